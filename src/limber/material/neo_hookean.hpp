#pragma once
/// Compressible neo-Hookean, ψ = μ/2 (I − 3) − μ ln J + λ/2 (ln J)², J > 0.

#include "limber/material/invariants.hpp"
#include "limber/material/parameters.hpp"

namespace limber {

template <class Real>
struct NeoHookeanOf : InvariantMaterial<NeoHookeanOf<Real>, psi_J_J> {
  static constexpr const char* name = "neo_hookean";
  static constexpr const char* description = "compressible neo-Hookean rubber with logarithms of J; forbids inversion";
  static constexpr const char* formula = "μ/2 (I_C − 3) − μ ln J + λ/2 (ln J)², J > 0";
  static constexpr bool needs_positive_det = true;

  explicit NeoHookeanOf(const MaterialParameters& p) : mu(p.mu()), lambda(p.lambda()) {}
  Real mu, lambda;  // [Pa]
  static constexpr Volumetric volumetric = Volumetric::logarithmic;
  void soften(Real by) { lambda -= by; }

  template <class T>
  T energy(const M3<T>& F) const {
    const T J = det(F), lnJ = log(J);
    const T psi = T(0.5 * mu) * (dot(F, F) - T(3.0)) - T(mu) * lnJ + T(0.5 * lambda) * lnJ * lnJ;
    return select(J > T(0.0), psi, infinity<T>());
  }
  template <class T>
  LIMBER_INLINE InvariantDerivatives<T> derivatives(const Invariants<T>& x) const {
    const T inverse = T(1.0) / x.J, pressure = T(lambda) * log(x.J) - T(mu);
    InvariantDerivatives<T> d;
    d.I = T(0.5 * mu);
    d.J = pressure * inverse;
    d.J_J = (T(lambda) - pressure) * inverse * inverse;
    return d;
  }
};
using NeoHookean = NeoHookeanOf<double>;

}  // namespace limber
