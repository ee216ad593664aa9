#pragma once
/// Corotated elasticity, ψ = μ‖F − R‖² + λ/2 tr²(RᵀF − 1), with R in SO(3) the rotation of F = R S; also for inverted
/// F.
/// dP/dF is exact: with c = λ tr(S − 1) − 2μ it is  2μ 1 + λ R⊗R + c dR/dF.

#include "limber/material/material_base.hpp"
#include "limber/material/parameters.hpp"
#include "limber/material/principal.hpp"

namespace limber {

/// w [ 2μ (a·b) 1 + λ Ra (Rb)ᵀ + c [Ra]ᵀ G [Rb] ], with [x] the matrix of x× and G that of Polar.
template <class T>
class CorotatedTangent {
 public:
  struct Contraction {
    V3<T> g, Rg;
    M3<T> turn;  // c G [Rg]
  };
  CorotatedTangent(const M3<T>& stress, const Polar<T>& polar, const T& two_mu, const T& lambda, const T& c)
      : stress_(stress), R_(polar.R), turn_(c * polar.G), two_mu_(two_mu), lambda_(lambda) {}
  const M3<T>& stress() const { return stress_; }
  LIMBER_INLINE Contraction contract(const V3<T>& g) const {
    const V3<T> h = R_ * g;
    const V3<T> x = turn_.column(0), y = turn_.column(1), z = turn_.column(2);
    return {g, h, from_columns(h[2] * y - h[1] * z, h[0] * z - h[2] * x, h[1] * x - h[0] * y)};
  }
  LIMBER_INLINE M3<T> block(const Contraction& a, const Contraction& b) const {
    const V3<T>& h = a.Rg;
    const T unit = two_mu_ * dot(a.g, b.g);
    M3<T> K = from_columns(cross(b.turn.column(0), h), cross(b.turn.column(1), h), cross(b.turn.column(2), h));
    add_outer(K, lambda_ * h, b.Rg);
    for (int i = 0; i < 3; ++i) K(i, i) = K(i, i) + unit;
    return K;
  }

 private:
  M3<T> stress_, R_, turn_;
  T two_mu_, lambda_;
};

template <class Real>
struct CorotatedOf : MaterialBase<CorotatedOf<Real>> {
  static constexpr const char* name = "corotated";
  static constexpr const char* description = "linear elasticity in a frame that turns with each element";
  static constexpr const char* formula = "μ‖F − R‖² + λ/2 tr²(RᵀF − 1), F = R S";

  explicit CorotatedOf(const MaterialParameters& p) : CorotatedOf(p.mu(), p.lambda()) {}
  CorotatedOf(Real mu_, Real lambda_) : mu(mu_), lambda(lambda_) {}
  Real mu, lambda;  // [Pa]

  template <class T>
  T energy(const M3<T>& F) const {
    const M3<T> R = polar(F).R, D = F - R;
    const T tr = dot(R, D);
    return T(mu) * dot(D, D) + T(0.5 * lambda) * tr * tr;
  }
  template <class T>
  LIMBER_INLINE CorotatedTangent<T> tangent(const M3<T>& F, const T& w) const {
    const Polar<T> p = polar(F);
    const M3<T> D = F - p.R;
    const T pressure = w * T(lambda) * dot(p.R, D), two_mu = w * T(2 * mu);
    return {two_mu * D + pressure * p.R, p, two_mu, w * T(lambda), pressure - two_mu};
  }
  template <class T>
  PrincipalTangent<T> tangent_psd(const M3<T>& F, const T& w) const {
    const Svd<T> d = svd(F);
    const V3<T>& s = d.s;
    const T two_mu(2 * mu), l(lambda), floor(detail::least_stretch_sum);
    const T pressure = l * ((s[0] - T(1.0)) + (s[1] - T(1.0)) + (s[2] - T(1.0)));
    PrincipalDerivatives<T> psi;
    for (int k = 0; k < 3; ++k) {
      psi.first[k] = two_mu * (s[k] - T(1.0)) + pressure;
      psi.flip[k] = two_mu;
      psi.twist[k] = two_mu + T(2.0) * (pressure - two_mu) / max(s[(k + 1) % 3] + s[(k + 2) % 3], floor);
    }
    psi.second = {{two_mu + l, l, l, l, two_mu + l, l, l, l, two_mu + l}};
    return {d, psi, w};
  }
};
using Corotated = CorotatedOf<double>;

}  // namespace limber
