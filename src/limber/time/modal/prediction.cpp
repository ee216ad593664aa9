#include "limber/time/modal/prediction.hpp"

#include "limber/core/errors.hpp"
#include "limber/time/stage_matrix.hpp"
#include "limber/time/time_derivative.hpp"

namespace limber {
namespace {

/// Xᵀ of −K v, and in second-order methods of − D P M⁻¹f + ∂f/∂t.
Vector coupling(System& system, const ModalBasis& X, Splitting rule, const Linearization& at, const Vector& f,
                double s) {
  const bool symmetric = system.symmetric();
  Vector c = -multiply(at.tangent.K, symmetric, at.at.v);
  if (rule == Splitting::second_order && system.velocity_dependent())
    c -= multiply(at.tangent.D, symmetric, X.complement(system.solve_mass(f)));
  if (rule == Splitting::second_order && system.time_dependent()) c += force_rate(system, at.at, at.f, std::abs(s));
  return X.coordinates_of_force(c);
}

}  // namespace

ModalChange predict(System& system, const ModalBasis& X, NegativeModes negative, Splitting rule,
                    const Linearization& at, const Vector& f, ReducedTangent reduced, double s) {
  const Vector rate = X.coordinates(at.at.v);
  if (s == 0) return {Vector::Zero(X.count()), Vector::Zero(X.count())};
  Vector force = X.coordinates_of_force(f);
  if (rule != Splitting::printed) {
    Vector c = coupling(system, X, rule, at, f, s) + reduced.K * rate;
    for (const Index i : reduced.null) c[i] = 0;
    force += s / 2 * c;
  }
  const ModalMotion motion(std::move(reduced.K), std::move(reduced.D), negative);
  ModalChange moved = motion.after(s, rate, force);
  if (!moved.a.allFinite() || !moved.b.allFinite())
    throw StepFailure("a mode with negative stiffness grows beyond all bounds in this step");
  return moved;
}

}  // namespace limber
