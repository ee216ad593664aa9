#pragma once
/// Neo-Hookean rubber that stiffens, ψ = μ/2 (I − 3) − μ ln J + λ/2 (ln J)² + s μ/4 (I − 3 − 2 ln J)², J > 0.

#include "limber/material/invariants.hpp"
#include "limber/material/parameters.hpp"

namespace limber {

template <class Real>
struct StiffeningOf : InvariantMaterial<StiffeningOf<Real>, psi_I_I | psi_I_J | psi_J_J> {
  static constexpr const char* name = "stiffening";
  static constexpr const char* description = "neo-Hookean rubber that stiffens when stretched; forbids inversion";
  static constexpr const char* formula = "μ/2 (I_C − 3) − μ ln J + λ/2 (ln J)² + s μ/4 (I_C − 3 − 2 ln J)², J > 0";
  static constexpr bool needs_positive_det = true;
  static constexpr std::array<MaterialParameter, 1> parameters{
      {{"stiffening", "", 0, unlimited, "1", "factor s of the quadratic term"}}};

  explicit StiffeningOf(const MaterialParameters& p) : mu(p.mu()), lambda(p.lambda()), s(p.own_or("stiffening", 1)) {}
  Real mu, lambda, s;  // [Pa], [Pa], plain

  template <class T>
  T energy(const M3<T>& F) const {
    const T J = det(F), lnJ = log(J), y = dot(F, F) - T(3.0) - T(2.0) * lnJ;
    const T psi = T(0.5 * mu) * y + T(0.5 * lambda) * lnJ * lnJ + T(0.25 * s * mu) * y * y;
    return select(J > T(0.0), psi, infinity<T>());
  }
  /// The derivatives of ψ(I, J) that the second line of the class names, and the first ones.
  template <class T>
  LIMBER_INLINE InvariantDerivatives<T> derivatives(const Invariants<T>& x) const {
    const T inverse = T(1.0) / x.J, lnJ = log(x.J), y = x.I - T(3.0) - T(2.0) * lnJ;
    const T slope = T(0.5 * mu) + T(0.5 * s * mu) * y;  // ∂ψ/∂y
    InvariantDerivatives<T> d;
    d.I = slope;
    d.I_I = T(0.5 * s * mu);
    d.I_J = T(-s * mu) * inverse;
    d.J = (T(lambda) * lnJ - T(2.0) * slope) * inverse;
    d.J_J = (T(lambda) - T(lambda) * lnJ + T(2.0) * slope + T(2.0 * s * mu)) * inverse * inverse;
    return d;
  }
};
using Stiffening = StiffeningOf<double>;

}  // namespace limber
