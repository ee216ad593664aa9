#pragma once
/// Fixed corotated elasticity (Stomakhin et al. 2012), ψ = μ‖F − R‖² + λ/2 (J − 1)² = μ Σ (s_i − 1)² + λ/2 (J − 1)²:
/// corotated with the actual volume in place of tr(S), so that it resists flattening. Also for inverted F.

#include "limber/material/corotated.hpp"
#include "limber/material/material_base.hpp"
#include "limber/material/parameters.hpp"
#include "limber/material/principal.hpp"

namespace limber {

/// The blocks of `corotated` without λ, and  w λ [ (J − 1) ∂²J + Ca (Cb)ᵀ ],  C = cof F.
template <class T>
class FixedCorotatedTangent {
 public:
  struct Contraction {
    typename CorotatedTangent<T>::Contraction turned;
    V3<T> J;  // C g
  };
  LIMBER_INLINE FixedCorotatedTangent(const M3<T>& F, const T& two_mu, const T& lambda)
      : rotated_(of_rotation(F, two_mu)), F_(F), C_(cofactor(F)), lambda_(lambda) {
    pressure_ = lambda * (dot(F_.column(0), C_.column(0)) - T(1.0));
  }
  LIMBER_INLINE M3<T> stress() const { return rotated_.stress() + pressure_ * C_; }
  LIMBER_INLINE Contraction contract(const V3<T>& g) const { return {rotated_.contract(g), C_ * g}; }
  LIMBER_INLINE M3<T> block(const Contraction& a, const Contraction& b) const {
    M3<T> K = rotated_.block(a.turned, b.turned);
    const V3<T> t = pressure_ * (F_ * cross(a.turned.g, b.turned.g));
    const T o(0.0);
    K = K + M3<T>{{o, t[2], -t[1], -t[2], o, t[0], t[1], -t[0], o}};
    add_outer(K, lambda_ * a.J, b.J);
    return K;
  }

 private:
  LIMBER_INLINE static CorotatedTangent<T> of_rotation(const M3<T>& F, const T& two_mu) {
    const Polar<T> p = polar(F);
    return {two_mu * (F - p.R), p, two_mu, T(0.0), -two_mu};
  }
  CorotatedTangent<T> rotated_;
  M3<T> F_, C_;
  T lambda_, pressure_;  // times w
};

template <class Real>
struct FixedCorotatedOf : MaterialBase<FixedCorotatedOf<Real>> {
  static constexpr const char* name = "fixed_corotated";
  static constexpr const char* description = "corotated with λ on det F, which resists being pressed flat";
  static constexpr const char* formula = "μ‖F − R‖² + λ/2 (J − 1)², F = R S";

  explicit FixedCorotatedOf(const MaterialParameters& p) : mu(p.mu()), lambda(p.lambda()) {}
  Real mu, lambda;  // [Pa]
  static constexpr Volumetric volumetric = Volumetric::quadratic;
  void soften(Real by) { lambda -= by; }

  template <class T>
  T energy(const M3<T>& F) const {
    const M3<T> D = F - polar(F).R;
    const T d = det(F) - T(1.0);
    return T(mu) * dot(D, D) + T(0.5 * lambda) * d * d;
  }
  template <class T>
  LIMBER_INLINE FixedCorotatedTangent<T> tangent(const M3<T>& F, const T& w) const {
    return {F, w * T(2 * mu), w * T(lambda)};
  }
  template <class T>
  PrincipalTangent<T> tangent_psd(const M3<T>& F, const T& w) const {
    const Svd<T> d = svd(F);
    const V3<T>& s = d.s;
    const V3<T> c = {s[1] * s[2], s[2] * s[0], s[0] * s[1]};  // ∂J/∂s
    const T two_mu(2 * mu), l(lambda), pressure = l * (s[0] * c[0] - T(1.0)), floor(detail::least_stretch_sum);
    PrincipalDerivatives<T> psi;
    for (int k = 0; k < 3; ++k) {
      const T sum = max(s[(k + 1) % 3] + s[(k + 2) % 3], floor);
      psi.first[k] = two_mu * (s[k] - T(1.0)) + pressure * c[k];
      psi.flip[k] = two_mu - pressure * s[k];
      psi.twist[k] = two_mu - T(2.0) * two_mu / sum + pressure * s[k];
      for (int i = 0; i < 3; ++i) psi.second(k, i) = l * c[k] * c[i] + (i == k ? two_mu : pressure * s[3 - i - k]);
    }
    return {d, psi, w};
  }
};
using FixedCorotated = FixedCorotatedOf<double>;

}  // namespace limber
