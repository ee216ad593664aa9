#pragma once
/// Linear elasticity, ψ = μ ε:ε + λ/2 (tr ε)², ε = (F + Fᵀ)/2 − 1: valid for small strains and rotations only.

#include "limber/material/material_base.hpp"
#include "limber/material/parameters.hpp"

namespace limber {

/// w [ μ (a·b) 1 + μ b aᵀ + λ a bᵀ ]; positive semidefinite, since μ > 0 and 3λ + 2μ > 0.
template <class T>
class LinearTangent {
 public:
  using Contraction = V3<T>;
  LinearTangent(const M3<T>& stress, const T& mu, const T& lambda) : stress_(stress), mu_(mu), lambda_(lambda) {}
  const M3<T>& stress() const { return stress_; }
  LIMBER_INLINE Contraction contract(const V3<T>& g) const { return g; }
  LIMBER_INLINE M3<T> block(const Contraction& a, const Contraction& b) const {
    const T unit = mu_ * dot(a, b);
    M3<T> K = diagonal(unit, unit, unit);
    add_outer(K, mu_ * b, a);
    add_outer(K, lambda_ * a, b);
    return K;
  }

 private:
  M3<T> stress_;
  T mu_, lambda_;
};

template <class Real>
struct LinearOf : MaterialBase<LinearOf<Real>> {
  static constexpr const char* name = "linear";
  static constexpr const char* description = "linear elasticity, for small displacements; not frame indifferent";
  static constexpr const char* formula = "μ ε:ε + λ/2 (tr ε)², ε = (F + Fᵀ)/2 − 1";

  explicit LinearOf(const MaterialParameters& p) : mu(p.mu()), lambda(p.lambda()) {}
  Real mu, lambda;  // [Pa]

  template <class T>
  T energy(const M3<T>& F) const {
    const M3<T> e = strain(F);
    const T tr = trace(e);
    return T(mu) * dot(e, e) + T(0.5 * lambda) * tr * tr;
  }
  template <class T>
  LIMBER_INLINE LinearTangent<T> tangent(const M3<T>& F, const T& w) const {
    const M3<T> e = strain(F);
    const T pressure = w * T(lambda) * trace(e);
    return {(w * T(2 * mu)) * e + diagonal(pressure, pressure, pressure), w * T(mu), w * T(lambda)};
  }
  template <class T>
  LinearTangent<T> tangent_psd(const M3<T>& F, const T& w) const {
    return tangent(F, w);
  }

 private:
  template <class T>
  static M3<T> strain(const M3<T>& F) {
    return T(0.5) * (F + transpose(F)) - diagonal(T(1.0), T(1.0), T(1.0));
  }
};
using Linear = LinearOf<double>;

}  // namespace limber
