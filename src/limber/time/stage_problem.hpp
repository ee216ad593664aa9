#pragma once  // internal
/// A stage as a problem for Newton in the unknown v:  r(v) = Pᵀ[M (v − v*) − τᵥ f(q* + τ_q P v, v, t)], and
///
///     φ(v) = ½‖v − v*‖²_M + (τᵥ/τ_q) W(q* + τ_q P v) + τᵥ R(v), where the forces have potentials.
///
/// If modes are split off, v starts and stays admissible: its changes lie in the complement, where Pᵀ∇φ = r. With
/// contact, prescribed nodes and obstacles move from their places at the last known state to those of the stage during
/// the iterations, together with the bodies they push.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "limber/core/errors.hpp"
#include "limber/linalg/solvers/factor.hpp"
#include "limber/time/stage.hpp"
#include "limber/time/stage_matrix.hpp"

namespace limber {

/// B of ½‖B r‖². It is fixed during a step, so that merits can be compared.
class Scaling {
 public:
  explicit Scaling(ResidualScaling kind) : kind_(kind) {}

  /// The first stage matrix of the step is taken as that of its start.
  void begin_step() {
    start_.reset();
    serves_.reset();
  }
  void offer(const SparseMatrix& A, const System& system) {
    if (start_ || kind_ == ResidualScaling::mass || kind_ == ResidualScaling::identity) return;
    start_ = A;
    if (kind_ == ResidualScaling::stage) {
      solver_ = make_linear_solver("auto", system.symmetric() ? Symmetry::symmetric : Symmetry::general,
                                   {.space = system.traits().nodes.space});
      solver_->set_matrix(*start_);
    }
  }
  double merit(System& system, const Vector& r) {
    switch (kind_) {
      case ResidualScaling::mass:
        return 0.5 * system.space().dot(r, system.solve_mass(r));
      case ResidualScaling::identity:
        break;
      case ResidualScaling::rows:
        if (start_) {
          Vector rows = start_->diagonal();
          system.space().add_up(rows);
          return 0.5 * system.space().squared_norm(r.cwiseQuotient(rows));
        }
        break;
      case ResidualScaling::stage:
        if (Vector x; start_ && serves_.value_or(true)) {
          const bool solved = solver_->solve(r, x, 1e-6).status == SolveReport::Status::ok;
          if (!serves_) serves_ = solved;  // false: the matrix could not be inverted, and B is 1 in this step
          if (solved) return 0.5 * system.space().squared_norm(x);
          if (*serves_) throw StepFailure("the residual's scaling by the stage matrix was not solved for");
        }
        break;
    }
    return 0.5 * system.space().squared_norm(r);
  }

 private:
  ResidualScaling kind_;
  std::optional<SparseMatrix> start_;
  std::unique_ptr<LinearSolver> solver_;
  std::optional<bool> serves_;  // unset: not tried yet in this step
};

/// (S) as a problem for Newton in the unknown v.
class StageProblem final : public NewtonProblem, public ChangingProblem {
 public:
  StageProblem(System& system, const Stage& s, Tangent& T, SparseMatrix& A, Correction& correction, Scaling& scaling)
      : system_(system),
        s_(s),
        tangent_(T),
        A_(A),
        correction_(correction),
        scaling_(scaling),
        now_(system.contact() && system.contact()->forces().time_dependent() ? s.at.t : s.t) {}

  bool collides() const { return system_.contact() != nullptr; }
  Preparation prepare(const Vector& v) override {
    if (system_.lag() == Lag::each_iterate) system_.update_lagged(state(v));
    return {.changed = now_ != s_.t || system_.lag() == Lag::each_iterate, .complete = now_ == s_.t};
  }
  Vector drift(const Vector& v) override {
    // Small enough that the motion is far below any gap.
    constexpr double part = 1e-7;
    State later = state(v);
    later.t += part * (s_.t - now_);
    return -s_.tau_v / part * (system_.force(later) - system_.force(state(v)));
  }
  double advance(const Vector& v, const Vector& dv) override {
    const Vector q = state(v).q, dq = s_.tau_q * dv;
    const double left = s_.t - now_;
    for (double s = 1; s > least_advance;) {
      const double then = s == 1 ? s_.t : now_ + s * left, free = system_.max_step(q, s * dq, now_, then);
      if (free >= 1) {
        moved_to(then);
        return s;
      }
      s *= std::min(.9 * free, .7);
    }
    throw StepFailure(
        fmt::format("{} cannot move on: what is in the way was not made to yield, with {:.2g} % of the way left",
                    driven(), 100 * (s_.t - now_) / (s_.t - s_.at.t)));
  }
  std::string driven() const override { return system_.contact()->driven(); }
  /// under_way: prescribed nodes and obstacles have not arrived yet. moved_to: sets the time of their place.
  bool under_way() const { return now_ != s_.t; }
  void moved_to(double t) {
    now_ = t;
    if (ContactPart* contact = system_.contact()) contact->begin_iterates();
  }
  /// Whether prescribed motion would close a gap that no free node can keep open.
  bool blocked() const {
    return failure_of([&] { system_.gaps(s_.at, s_.t, 0); }).has_value();
  }
  System& system() const { return system_; }
  /// Without contact the tolerance is also relative to the motion in the step, so that small motions are solved as
  /// accurately as large ones.
  double enough(const Vector& v, double tolerance) override {
    const State u = state(v);
    if (collides()) return std::min(tolerance, gap_share * system_.smallest_gap(u));
    if (s_.tau_q == 0) return tolerance;
    const double moved = system_.space().max_abs(u.q - s_.at.q);
    return std::clamp(motion_share * moved, rounding * system_.length_scale(), tolerance);
  }
  Vector residual(const Vector& v) override { return with_inertia(v, system_.force(state(v))); }
  Vector linearize(const Vector& v, Definiteness d) override {
    if (tangent_.K.size() == 0) tangent_.K.swap(A_);  // reuses its memory
    const Vector f = system_.linearize(state(v), d, tangent_);
    if (s_.modes) s_.modes->take_out_of(tangent_.low_rank);
    combine_in_place(system_, tangent_, s_.tau_q, s_.tau_v, A_);
    correction_ = limber::correction(tangent_, s_.tau_q, s_.tau_v);
    scaling_.offer(A_, system_);
    return with_inertia(v, f);
  }
  NewtonMatrix matrix() const override {
    return {A_, system_.symmetric(), system_.space(), &tangent_.low_rank, s_.tau_q * s_.tau_v};
  }
  /// Linear forces with negative curvature have no minimum: contact bounds φ at gaps only.
  void require_minimum() override {
    if (!s_.linear || !s_.linear->symmetric() || has_minimum_) return;
    if (system_.space().shared()) return;  // no process has the whole matrix
    Tangent T;
    SparseMatrix A;
    s_.linear->tangent(s_.at, Definiteness::exact, T);
    combine(*s_.linear, T, s_.tau_q, s_.tau_v, A);
    A = with_entries(A, T.low_rank, s_.tau_q * s_.tau_v, Triangle::lower);
    if (!positive_definite(A))
      throw NoMinimum("the linearised forces push bodies ever further (negative stiffness): the stage has no minimum");
    has_minimum_ = true;
  }
  std::optional<double> potential(const Vector& v) override {
    if (s_.tau_q == 0) return std::nullopt;  // q does not move, so W exerts no force to balance
    const auto p = system_.potentials(state(v));
    if (!p) return std::nullopt;
    const Vector d = v - s_.star.v;
    return 0.5 * system_.space().dot(d, system_.apply_mass(d)) + s_.tau_v / s_.tau_q * p->stored +
           s_.tau_v * p->dissipated;
  }
  double residual_merit(const Vector& r) override { return scaling_.merit(system_, r); }
  double max_step(const Vector& v, const Vector& dv) override {
    if (s_.tau_q == 0) return 1;
    return system_.max_step(state(v).q, s_.tau_q * dv, now_, now_);
  }
  double correction(const Vector& dv) const override {
    return (s_.tau_q != 0 ? s_.tau_q : s_.tau_v) * system_.space().max_abs(dv);
  }

 private:
  static constexpr double least_advance = 1e-6;
  static constexpr double motion_share = 1e-2, rounding = 1e-14;

  State state(const Vector& v) const {
    State u = s_.state(v);
    u.t = now_;
    return u;
  }
  Vector with_inertia(const Vector& v, const Vector& f) const {
    const Vector r = system_.apply_mass(v - s_.star.v) - s_.tau_v * f;
    return s_.modes ? s_.modes->complement_of_force(r) : r;
  }

  System& system_;
  const Stage& s_;
  Tangent& tangent_;
  SparseMatrix& A_;
  Correction& correction_;
  Scaling& scaling_;
  double now_;                // [s] time of the present place of prescribed nodes and obstacles
  bool has_minimum_ = false;  // the linear part of φ is known to have a minimum
};

}  // namespace limber
