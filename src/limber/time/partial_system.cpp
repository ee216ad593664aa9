#include "limber/time/partial_system.hpp"

#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/linalg/pattern.hpp"
#include "limber/time/stage_matrix.hpp"

namespace limber {
namespace {

/// Moves A to the pattern of B if B has one.
void move_to(const SparseMatrix& B, SparseMatrix& A) {
  if (A.size() > 0 && B.size() > 0 && !same_pattern(A, B)) A = on_pattern_of(B, A);
}

void add(const SparseMatrix& A, SparseMatrix& to) {
  using Values = Eigen::Map<const Eigen::ArrayXd>;
  Eigen::Map<Eigen::ArrayXd>(to.valuePtr(), to.nonZeros()) += Values(A.valuePtr(), A.nonZeros());
}

/// A vector of which each process has its part: all of them compare alike.
struct SharedVector {
  const Vector& x;
  const Space& space;

  operator const Vector&() const { return x; }
  friend bool operator==(const Vector& known, const SharedVector& asked) { return asked.space.all(known == asked.x); }
};

void append(const LowRank& more, LowRank& to) {
  if (!more.any()) return;
  const Index before = to.c.size(), added = more.c.size();
  to.U.conservativeResize(more.U.rows(), before + added);
  to.U.rightCols(added) = more.U;
  to.c.conservativeResize(before + added);
  to.c.tail(added) = more.c;
}

}  // namespace

std::shared_ptr<const RowMatrix> RememberedProduct::rows(const System& system, const SparseMatrix& A) const {
  if (auto known = rows_.copy()) return known;
  std::shared_ptr<RowMatrix> rows = make_row_matrix(A, system.symmetric() ? Symmetry::symmetric : Symmetry::general);
  rows->refresh(A);
  rows_.set(rows);
  return rows;
}

std::shared_ptr<const Vector> RememberedProduct::operator()(const System& system, const SparseMatrix& A,
                                                            const Vector& x) const {
  return product_.at_in_place(SharedVector{x, system.space()}, [&](Vector& Ax) {
    Ax.resize(x.size());
    rows(system, A)->multiply(x.data(), Ax.data());
    system.space().add_up(Ax);
  });
}

LinearForce::LinearForce(System& smooth, State at, const std::optional<State>& tangent_at, const Linearization* known)
    : SystemDecorator(smooth), at_(std::move(at)), tangent_at_(tangent_at.value_or(at_)) {
  has_potential_ = smooth.potentials(at_).has_value();
  if (known && !tangent_at) {
    f_ = known->f;
    exact_ = known->tangent;
  } else {
    exact_.emplace();
    if (tangent_at) {
      smooth.tangent(tangent_at_, Definiteness::exact, *exact_);
      f_ = smooth.force(at_);
    } else {
      f_ = smooth.linearize(at_, Definiteness::exact, *exact_);
    }
  }
  if (!base_.space().all_finite(f_)) throw StepFailure("the force is not finite");
}

Vector LinearForce::force(const State& u) const {
  const Vector dq = u.q - at_.q;
  Vector f = *K_(*this, exact_->K, dq);
  exact_->low_rank.add_product(dq, f);
  f = f_ - f;
  if (velocity_dependent()) f -= *D_(*this, exact_->D, u.v - at_.v);
  return f;
}

Vector LinearForce::linearize(const State& u, Definiteness d, Tangent& T) {
  auto& known = d == Definiteness::exact ? exact_ : projected_;
  if (!known) base_.tangent(tangent_at_, d, known.emplace());
  move_to(T.K, known->K);
  move_to(T.K, known->D);
  T = *known;
  return force(u);
}

std::optional<Potentials> LinearForce::potentials(const State& u) const {
  if (!has_potential_) return std::nullopt;
  const Vector dq = u.q - at_.q, dv = u.v - at_.v;
  Potentials p{.stored = .5 * space().dot(dq, *K_(*this, exact_->K, dq)) - space().dot(f_, dq), .dissipated = 0};
  p.stored += .5 * exact_->low_rank.curvature(dq);
  if (velocity_dependent()) p.dissipated = .5 * space().dot(dv, *D_(*this, exact_->D, dv));
  return p;
}

State WithContact::shifted(const State& w) const {
  if (shift_q_.size() == 0) return w;
  return {w.q + shift_q_, w.v + shift_v_, w.t};
}

Vector WithContact::linearize(const State& w, Definiteness d, Tangent& T) {
  // Contact first, since it may enlarge the pattern.
  Vector f = all_forces().linearize(shifted(w), d, T);
  if (share_ != 1) {
    f *= share_;
    for (SparseMatrix* S : {&T.K, &T.D, &T.unsymmetric})
      if (S->size() > 0) *S *= share_;
  }
  if (!same_pattern(smooth_tangent_.K, T.K)) smooth_tangent_.K = T.K;
  f += smooth_.linearize(w, d, smooth_tangent_);
  add(smooth_tangent_.K, T.K);
  if (smooth_.velocity_dependent()) add(smooth_tangent_.D, T.D);
  T.deflation = std::move(smooth_tangent_.deflation);  // contact's unsymmetric part is already in T
  T.low_rank.c *= share_;
  append(smooth_tangent_.low_rank, T.low_rank);
  return f;
}

std::optional<Potentials> WithContact::potentials(const State& w) const {
  auto p = smooth_.potentials(w);
  const auto contact = all_forces().potentials(shifted(w));
  if (!p || !contact) return std::nullopt;
  *p += {share_ * contact->stored, share_ * contact->dissipated};
  return p;
}

double WithContact::max_step(const Vector& q, const Vector& dq, double t0, double t1) const {
  const Vector moved = shift_q_.size() == 0 ? q : Vector(q + shift_q_);
  return std::min(smooth_.max_step(q, dq, t0, t1), all_forces().max_step(moved, dq, t0, t1));
}

}  // namespace limber
