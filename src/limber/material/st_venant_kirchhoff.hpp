#pragma once
/// St. Venant-Kirchhoff, ψ = μ E:E + λ/2 (tr E)², E = (FᵀF − 1)/2; with tr E = (I − 3)/2, ‖FᵀF‖² = I² − 2 II:
/// ψ = μ/4 (I² − 2 II − 2 I + 3) + λ/8 (I − 3)². Weak under strong compression.

#include "limber/material/invariants.hpp"
#include "limber/material/parameters.hpp"

namespace limber {

template <class Real>
struct StVenantKirchhoffOf : InvariantMaterial<StVenantKirchhoffOf<Real>, psi_II | psi_I_I> {
  static constexpr const char* name = "st_venant_kirchhoff";
  static constexpr const char* description = "linear law in Green's strain; gives way under strong compression";
  static constexpr const char* formula = "μ E:E + λ/2 (tr E)², E = (FᵀF − 1)/2";

  explicit StVenantKirchhoffOf(const MaterialParameters& p) : mu(p.mu()), lambda(p.lambda()) {}
  Real mu, lambda;  // [Pa]

  template <class T>
  T energy(const M3<T>& F) const {
    const M3<T> E = T(0.5) * (transpose(F) * F - diagonal(T(1.0), T(1.0), T(1.0)));
    const T tr = trace(E);
    return T(mu) * dot(E, E) + T(0.5 * lambda) * tr * tr;
  }
  template <class T>
  LIMBER_INLINE InvariantDerivatives<T> derivatives(const Invariants<T>& x) const {
    InvariantDerivatives<T> d;
    d.I = T(0.5 * mu) * (x.I - T(1.0)) + T(0.25 * lambda) * (x.I - T(3.0));
    d.II = T(-0.5 * mu);
    d.J = T(0.0);
    d.I_I = T(0.5 * mu + 0.25 * lambda);
    return d;
  }
};
using StVenantKirchhoff = StVenantKirchhoffOf<double>;

}  // namespace limber
