#include "limber/time/modal/frame.hpp"

#include <algorithm>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/linalg/gathered.hpp"
#include "limber/linalg/modes/parts.hpp"
#include "limber/linalg/row_matrix.hpp"
#include "limber/linalg/solvers/factor.hpp"
#include "limber/time/partial_system.hpp"
#include "limber/time/stage_matrix.hpp"

namespace limber {
namespace {

enum class TangentOf { any_state, one_stage };  // depends on the state, or is constant within a stage

/// Whether S X vanishes to rounding, column by column. S: #n × n; size 0 stands for S = 0.
std::vector<bool> vanishes(const Space& space, const SparseMatrix& S, const Matrix& X, const Matrix& SX) {
  constexpr double rounding = 1e-11;
  std::vector<bool> null(static_cast<std::size_t>(X.cols()), true);
  if (SX.size() == 0) return null;
  Vector size = S.diagonal();
  space.add_up(size);
  size = size.cwiseAbs();
  for (Index i = 0; i < X.cols(); ++i)
    null[static_cast<std::size_t>(i)] = space.norm(SX.col(i)) <= rounding * space.norm(size.cwiseProduct(X.col(i)));
  return null;
}

/// Pᵀf(q_e, v_e, t) − held, with q_e = modal_q + P w_q, v_e = modal_v + P w_v.
class InComplement final : public SystemDecorator {
 public:
  InComplement(System& smooth, const ModalBasis& X, const Vector& start_modal, const Vector& shift_q,
               const Vector& shift_v, const Vector& held, TangentOf tangent)
      : SystemDecorator(smooth),
        X_(X),
        modal_q_(start_modal + shift_q),
        shift_q_(shift_q),
        modal_v_(shift_v),
        held_(held),
        tangent_(tangent) {}

  Vector force(const State& w) const override { return X_.complement_of_force(base_.force(inner(w))) - held_; }
  Vector linearize(const State& w, Definiteness d, Tangent& T) override {
    const Vector f = base_.linearize(inner(w), d, T);
    if (tangent_ == TangentOf::any_state) {
      T.deflation = deflation(T);
    } else {
      auto& known = d == Definiteness::exact ? exact_ : projected_;
      if (!known) known = deflation(T);
      T.deflation = known;
    }
    X_.take_out_of(T.low_rank);
    return X_.complement_of_force(f) - held_;
  }
  std::optional<Potentials> potentials(const State& w) const override {
    auto p = base_.potentials(inner(w));
    if (p) p->stored += space().dot(held_, w.q);
    return p;
  }
  double max_step(const Vector& q, const Vector& dq, double t0, double t1) const override {
    // Elements must not invert at q_e, where they are evaluated, nor at q.
    return std::min(base_.max_step(modal_q_ + X_.complement(q), X_.complement(dq), t0, t1),
                    base_.max_step(q + shift_q_, dq, t0, t1));
  }

 private:
  State inner(const State& w) const { return {modal_q_ + X_.complement(w.q), modal_v_ + X_.complement(w.v), w.t}; }
  Matrix product(const SparseMatrix& S) const {
    if (X_.count() == 0) return X_.X;
    const auto rows = make_row_matrix(S, symmetric() ? Symmetry::symmetric : Symmetry::general, space());
    rows->refresh(S);
    return rows->multiply_block(X_.X);
  }
  /// Modes in the null space of K and D (rigid motions) need no deflation.
  Deflation deflation(const Tangent& T) const {
    const Matrix KX = product(T.K), DX = velocity_dependent() ? product(T.D) : Matrix();
    const std::vector<bool> no_k = vanishes(space(), T.K, X_.X, KX), no_d = vanishes(space(), T.D, X_.X, DX);
    std::vector<Index> kept;
    for (std::size_t i = 0; i < no_k.size(); ++i)
      if (!no_k[i] || !no_d[i]) kept.push_back(static_cast<Index>(i));
    const auto all = Eigen::all;
    const Matrix X = X_.X(all, kept);
    Deflation out{.MX = X_.MX(all, kept), .KX = KX(all, kept), .DX = {}, .XKX = {}, .XDX = {}};
    out.DX = DX.size() > 0 ? Matrix(DX(all, kept)) : Matrix::Zero(X.rows(), X.cols());
    out.XKX = X_.product(X, out.KX);
    out.XDX = X_.product(X, out.DX);
    return out;
  }

  const ModalBasis& X_;
  Vector modal_q_;
  const Vector &shift_q_, &modal_v_, &held_;
  TangentOf tangent_;
  std::optional<Deflation> exact_, projected_;
};

}  // namespace

ModalFrame::ModalFrame(System& system, StageSolver& newton, ModalSubspace& modes, Splitting rule,
                       StageSolution solution)
    : system_(system), newton_(newton), modes_(modes), rule_(rule), solution_(solution) {
  const ModalBasis& X = modes_.basis();
  const State& u0 = modes_.start().at;
  const Vector contact = system_.contact()->forces().force(u0);
  start_modal_ = X.combined(X.coordinates(u0.q));
  held_ = contact - X.complement_of_force(contact);
  f_ = modes_.start().f + contact;
}

ModalLimits ModalFrame::limits(const ModalSubspace& modes, double h, ModalLimits l) {
  l.most_damping = .5 / h;
  if (modes.negative() == NegativeModes::grow) l.lowest = -1 / (h * h);
  return l;
}

const ModalFrame::Shift& ModalFrame::shift(double t) {
  for (const Shift& s : shifts_)
    if (s.t == t) return s;
  const Linearization& start = modes_.start();
  const ModalBasis& X = modes_.basis();
  const ModalPrediction prediction(system_.contact()->smooth(), X, modes_.negative(), rule_, start, f_,
                                   modes_.reduced_start(), t - start.at.t);
  const ModalChange& moved = prediction.change();
  shifts_.push_back({t, X.combined(moved.a), X.combined(X.coordinates(start.at.v) + moved.b)});
  return shifts_.back();
}

History ModalFrame::into_frame(const History& u) {
  std::deque<State> past;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const Shift& s = shift(u[i].t);
    past.push_back({u[i].q - s.q, u[i].v - s.v, u[i].t});
  }
  return History(std::move(past));
}

State ModalFrame::from_frame(const State& w) {
  const Shift& s = shift(w.t);
  return {w.q + s.q, w.v + s.v, w.t};
}

State ModalFrame::rate(const State& w) {
  const Shift s = shift(w.t);
  InComplement smooth(system_.contact()->smooth(), modes_.basis(), start_modal_, s.q, s.v, held_, TangentOf::any_state);
  return {w.v, system_.solve_mass(WithContact(system_, smooth, s.q, s.v).force(w)), 1};
}

State ModalFrame::solve(const Stage& stage) {
  const Shift s = shift(stage.t);
  const State at = from_frame(stage.at);
  Stage here = stage;
  here.at = {at.q - s.q, at.v - s.v, at.t};
  here.tangent_at.reset();
  const auto solve_with = [&](System& forces, TangentOf tangent) {
    InComplement smooth(forces, modes_.basis(), start_modal_, s.q, s.v, held_, tangent);
    WithContact both(system_, smooth, s.q, s.v);
    return newton_.solve(both, here);
  };
  if (solution_ == StageSolution::newton) return solve_with(system_.contact()->smooth(), TangentOf::any_state);
  const State& start = modes_.start().at;
  const bool from_start = at.t == start.t && !system_.contact()->smooth().time_dependent();
  State about = at;
  about.t = stage.t;
  const std::optional<State> tangent_at =
      stage.tangent_at ? std::optional(from_frame(*stage.tangent_at)) : std::nullopt;
  const Linearization* known = from_start && !tangent_at ? &modes_.start() : nullptr;
  LinearForce force(system_.contact()->smooth(), about, tangent_at, known);
  require_definite(force, stage);
  return solve_with(force, TangentOf::one_stage);
}

/// A growing body left to the scheme may have a linearised stage without a minimum. Throws StepFailure then.
void ModalFrame::require_definite(LinearForce& force, const Stage& stage) const {
  std::vector<std::vector<int>> growing;
  for (const LeftOut& body : modes_.left_out())
    if (body.why == LeftOut::Why::grows) growing.push_back(body.unknowns);
  if (growing.empty()) return;
  const auto fail = [] {
    throw StepFailure("modes: a mode grows so fast in the step that its linearised stage has no minimum");
  };
  if (!force.symmetric()) fail();  // definiteness cannot be checked
  Tangent T;
  force.tangent(stage.at, Definiteness::exact, T);
  SparseMatrix A;
  combine(force, T, stage.tau_q, stage.tau_v, A);
  A = with_entries(A, T.low_rank, stage.tau_q * stage.tau_v, Triangle::lower);
  A = gather_matrix(system_.space(), A, Symmetry::symmetric);
  for (const ModeProblem& body : part_problems(growing, A, A, Matrix(A.cols(), 0)))
    if (!positive_definite(body.K)) fail();
}

}  // namespace limber
