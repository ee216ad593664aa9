#pragma once
/// Stable neo-Hookean (Smith, de Goes, Kim 2018, eq. 14), reparametrised so that E and ν hold at small strains:
/// ψ = μ'/2 (I − 3) + λ'/2 (J − α)² − μ'/2 ln(I + 1) − (value at rest), μ' = 4μ/3, λ' = λ + 5μ/6, α = 1 + 3μ'/(4λ').

#include "limber/material/invariants.hpp"
#include "limber/material/parameters.hpp"

namespace limber {

template <class Real>
struct StableNeoHookeanOf : InvariantMaterial<StableNeoHookeanOf<Real>, psi_I_I | psi_J_J> {
  static constexpr const char* name = "stable_neo_hookean";
  static constexpr const char* description = "neo-Hookean rubber that stays finite under inversion; the usual choice";
  static constexpr const char* formula =
      "μ'/2 (I_C − 3) + λ'/2 (J − α)² − μ'/2 ln(I_C + 1) − const, μ' = 4μ/3, λ' = λ + 5μ/6, α = 1 + 3μ'/(4λ')";

  explicit StableNeoHookeanOf(const MaterialParameters& p)
      : mu(4 * p.mu() / 3), lambda(p.lambda() + 5 * p.mu() / 6), alpha(1 + 0.75 * mu / lambda) {}
  Real mu, lambda;  // μ', λ' [Pa]
  Real alpha;
  static constexpr Volumetric volumetric = Volumetric::quadratic;  // ψ = … + λ'/2 (J − 1)² − 3/4 μ' (J − 1)
  void soften(Real by) {
    lambda -= by;
    alpha = 1 + 0.75 * mu / lambda;
  }

  template <class T>
  T energy(const M3<T>& F) const {
    const T J = det(F), x = dot(F, F) - T(3.0);
    return T(0.5 * mu) * (x - log1p(T(0.25) * x)) + T(0.5 * lambda) * (J - T(1.0)) * (J + T(1.0) - T(2 * alpha));
  }
  template <class T>
  LIMBER_INLINE InvariantDerivatives<T> derivatives(const Invariants<T>& x) const {
    const T inverse = T(1.0) / (x.I + T(1.0));
    InvariantDerivatives<T> d;
    d.I = T(0.5 * mu) * (T(1.0) - inverse);
    d.J = T(lambda) * (x.J - T(alpha));
    d.I_I = T(0.5 * mu) * inverse * inverse;
    d.J_J = T(lambda);
    return d;
  }
};
using StableNeoHookean = StableNeoHookeanOf<double>;

}  // namespace limber
