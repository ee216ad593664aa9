#pragma once
/// Ogden (1972), isochoric, ψ = Σ_p μ_p/α_p (λ̄₁^α_p + λ̄₂^α_p + λ̄₃^α_p − 3) + κ/2 (J − 1)², λ̄ = J^(−1/3) s, s the
/// singular values of F, J > 0. At small strains μ = ½ Σ_p μ_p α_p.
/// With e_i = ln λ̄_i everything is smooth in ln s; equal stretches only need the limit of sinh(αd)/sinh(d).

#include "limber/core/errors.hpp"
#include "limber/material/material_base.hpp"
#include "limber/material/parameters.hpp"
#include "limber/material/principal.hpp"

namespace limber {

template <class Real>
struct OgdenOf : MaterialBase<OgdenOf<Real>> {
  static constexpr int terms = 6;
  static constexpr const char* name = "ogden";
  static constexpr const char* description = "rubber by powers of the stretches (lists mu, alpha); forbids inversion";
  static constexpr const char* formula =
      "Σ mu_p/alpha_p (λ̄₁^alpha_p + λ̄₂^alpha_p + λ̄₃^alpha_p − 3) + κ/2 (J − 1)², λ̄ = J^(-1/3) λ, J > 0";
  static constexpr bool needs_positive_det = true;
  static constexpr std::array<MaterialParameter, 3> parameters{
      {{"mu", "Pa", -unlimited, unlimited, "2μ/(N alpha_p), N terms", "factors of the terms; Σ mu_p alpha_p = 2μ",
        terms},
       {"alpha", "", -unlimited, unlimited, "[2]", "exponents, none of them 0", terms},
       {"bulk", "Pa", 0, unlimited, "λ + 2μ/3", "bulk modulus κ"}}};
  static constexpr std::array<const char*, 2> sufficient{"mu poisson", "mu bulk"};

  explicit OgdenOf(const MaterialParameters& p) {
    const auto alphas = p.lists.find("alpha"), mus = p.lists.find("mu");
    const std::vector<double> powers = alphas == p.lists.end() ? std::vector<double>{2} : alphas->second;
    for (std::size_t k = 0; k < terms; ++k) {
      alpha[k] = k < powers.size() ? powers[k] : 1;
      mu[k] = k >= powers.size()     ? 0
              : mus == p.lists.end() ? 2 * p.mu() / (static_cast<double>(powers.size()) * powers[k])
                                     : mus->second[k];
    }
    bulk = bulk_modulus(p, shear_modulus());
  }
  Real mu[terms], alpha[terms];  // [Pa], dimensionless; unused terms have mu = 0
  Real bulk;                     // [Pa]
  static constexpr Volumetric volumetric = Volumetric::quadratic;
  void soften(Real by) { bulk -= by; }

  Real shear_modulus() const {
    Real sum = 0;
    for (int k = 0; k < terms; ++k) sum += 0.5 * mu[k] * alpha[k];
    return sum;
  }

  static void complete(MaterialParameters& p) {
    const auto mus = p.lists.find("mu"), alphas = p.lists.find("alpha");
    const std::size_t count = alphas == p.lists.end() ? 1 : alphas->second.size();
    if (mus != p.lists.end() && mus->second.size() != count)
      throw InputError("mu", in_words(mus->second) + " and alpha " +
                                 (alphas == p.lists.end() ? "[2]" : in_words(alphas->second)) +
                                 " must have as many numbers");
    for (std::size_t k = 0; alphas != p.lists.end() && k < count; ++k)
      if (alphas->second[k] == 0)
        throw InputError("alpha", in_words(alphas->second) + " has a 0; any other number is allowed");
    const double shear = OgdenOf<double>(p).shear_modulus();
    if (mus != p.lists.end() && !(shear > 0))
      throw InputError("mu", in_words(mus->second) + " makes Σ mu_p alpha_p = " + in_words(2 * shear) +
                                 ", twice the shear modulus, which must be positive");
    complete_from_shear(p, shear, "mu");
  }

  template <class T>
  T energy(const M3<T>& F) const {
    const V3<T> s = svd(F).s;
    const T J = s[0] * s[1] * s[2], d = J - T(1.0);
    const V3<T> e = isochoric_logarithms(s);
    T psi = T(0.5 * bulk) * d * d;
    for (int k = 0; k < terms; ++k) {
      if (!present(T(mu[k]))) continue;
      const T a(alpha[k]);
      psi = psi + T(mu[k]) / a * (expm1(a * e[0]) + expm1(a * e[1]) + expm1(a * e[2]));
    }
    return select(J > T(0.0), psi, infinity<T>());
  }
  template <class T>
  PrincipalTangent<T, Spectrum::whole> tangent(const M3<T>& F, const T& w) const {
    const Svd<T> d = svd(F);
    return {d, principal(d.s), w};
  }
  template <class T>
  PrincipalTangent<T> tangent_psd(const M3<T>& F, const T& w) const {
    const Svd<T> d = svd(F);
    return {d, principal(d.s), w};
  }

 private:
  template <class T>
  static bool present(const T& mu) {
    return any(mu != T(0.0));
  }
  template <class T>
  static V3<T> isochoric_logarithms(const V3<T>& s) {
    const T a = log(s[0]), b = log(s[1]), c = log(s[2]), third(1.0 / 3);
    return {third * ((a - b) + (a - c)), third * ((b - a) + (b - c)), third * ((c - a) + (c - b))};
  }

  /// τ_i = ∂ψ/∂ln s_i gives ψ_i = τ_i/s_i and ψ_ij = (∂τ_i/∂ln s_j − δ_ij τ_i)/(s_i s_j). With d half the difference of
  /// ln s_i and ln s_j, (τ_i − τ_j)/(s_i − s_j) = Σ_p μ_p λ̄_k^(−α_p/2) sinh(α_p d)/sinh(d) / √(s_i s_j).
  template <class T>
  PrincipalDerivatives<T> principal(const V3<T>& s) const {
    const T o(0.0), third(1.0 / 3), J = s[0] * s[1] * s[2];
    const V3<T> e = isochoric_logarithms(s);
    V3<T> half, tau{o, o, o}, quotient{o, o, o};  // quotient[k]: of the pair i, j ≠ k, without the root
    for (int k = 0; k < 3; ++k) half[k] = max(T(0.5) * abs(e[(k + 1) % 3] - e[(k + 2) % 3]), T(1e-100));
    M3<T> slope = diagonal(o, o, o);
    for (int term = 0; term < terms; ++term) {
      if (!present(T(mu[term]))) continue;
      const T m(mu[term]), a(alpha[term]), stiffness = m * a;
      // Powers minus 1, to keep accuracy at small strains.
      const V3<T> x = {expm1(a * e[0]), expm1(a * e[1]), expm1(a * e[2])};
      const T mean = third * (x[0] + x[1] + x[2]);
      for (int k = 0; k < 3; ++k) {
        tau[k] = tau[k] + m * (x[k] - mean);
        quotient[k] = quotient[k] + m * exp(T(-0.5) * a * e[k]) * sinh(a * half[k]) / sinh(half[k]);
        for (int i = 0; i < 3; ++i) {
          const T own = i == k ? x[k] + T(1.0) : o;
          slope(k, i) = slope(k, i) + stiffness * (own + third * (mean - x[k] - x[i] - T(1.0)));
        }
      }
    }
    const T pressure = T(bulk) * (J - T(1.0)) * J, stiffening = T(bulk) * (T(2.0) * J - T(1.0)) * J;
    PrincipalDerivatives<T> psi;
    for (int k = 0; k < 3; ++k) {
      tau[k] = tau[k] + pressure;
      psi.first[k] = tau[k] / s[k];
    }
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      const T product = s[i] * s[j], sum = s[i] + s[j];
      psi.twist[k] = (tau[i] * s[j] + tau[j] * s[i]) / (product * sum);
      psi.flip[k] = T(0.5) * (quotient[k] * sum / sqrt(product) - tau[i] - tau[j]) / product;
      for (int l = 0; l < 3; ++l) psi.second(k, l) = (slope(k, l) + stiffening - (k == l ? tau[k] : o)) / (s[k] * s[l]);
    }
    return psi;
  }
};
using Ogden = OgdenOf<double>;

}  // namespace limber
