#include "limber/time/modal/prediction.hpp"

#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/time/stage_matrix.hpp"
#include "limber/time/time_derivative.hpp"

namespace limber {
namespace {

void require_finite(const ModalChange& change) {
  if (!change.a.allFinite() || !change.b.allFinite())  // local: reduced
    throw StepFailure("a mode with negative stiffness grows beyond all bounds in this step");
}

}  // namespace

ModalPrediction::ModalPrediction(System& system, const ModalBasis& X, NegativeModes negative, Splitting rule,
                                 const Linearization& at, const Vector& f, ReducedTangent reduced, double s)
    : system_(system),
      X_(X),
      at_(at),
      s_(s),
      damped_(rule == Splitting::second_order && system.velocity_dependent()),
      reduced_(std::move(reduced)),
      motion_(reduced_.K, reduced_.D, negative),
      change_{Vector::Zero(X.count()), Vector::Zero(X.count())} {
  if (s == 0) return;
  change_ = motion_.after(s, X.coordinates(at.at.v), X.coordinates_of_force(f));
  if (rule != Splitting::printed) {
    if (damped_) acceleration_ = system.solve_mass(f);
    Vector c = slope(at.at.v, acceleration_);
    if (rule == Splitting::second_order && system.time_dependent())
      c += X.coordinates_of_force(force_rate(system, at.at, at.f, std::abs(s)));
    coupled_ = motion_.after(s, Vector::Zero(X.count()), s / 2 * c);
    slope_ = std::move(c);
    change_.a += coupled_.a;
    change_.b += coupled_.b;
  }
  require_finite(change_);
}

/// Xᵀ(−K v), in second-order methods also −XᵀD P a, minus the part explained by the motion of the modes. Zero on rigid
/// motions, where elastic forces would be rounding errors.
Vector ModalPrediction::slope(const Vector& velocity, const Vector& acceleration) const {
  Vector c = -multiply_stiffness(system_, at_.tangent, velocity);
  if (damped_) c -= multiply(system_, at_.tangent.D, X_.complement(acceleration));
  Vector slope = X_.coordinates_of_force(c) + reduced_.K * X_.coordinates(velocity);
  for (const Index i : reduced_.null) slope[i] = 0;
  return slope;
}

ModalChange ModalPrediction::missed(const State& u) const {
  Vector acceleration;
  if (damped_) acceleration = (u.v - at_.at.v) / s_ - acceleration_;
  ModalChange change = motion_.after_ramp(s_, slope_ + slope((u.q - at_.at.q) / s_ - at_.at.v, acceleration));
  change.a -= coupled_.a;
  change.b -= coupled_.b;
  require_finite(change);
  return change;
}

}  // namespace limber
