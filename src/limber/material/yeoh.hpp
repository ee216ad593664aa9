#pragma once
/// Yeoh (1993), isochoric, ψ = Σ_p c_p (J^(−2/3) I − 3)^p + κ/2 (J − 1)², p = 1, 2, 3, J > 0.
/// At small strains μ = 2 c1.

#include "limber/core/errors.hpp"
#include "limber/material/invariants.hpp"
#include "limber/material/parameters.hpp"

namespace limber {

template <class Real>
struct YeohOf : InvariantMaterial<YeohOf<Real>, psi_I_I | psi_I_J | psi_J_J> {
  static constexpr const char* name = "yeoh";
  static constexpr const char* description = "rubber that stiffens when stretched far (c1, c2, c3); forbids inversion";
  static constexpr const char* formula =
      "c1 (Ī − 3) + c2 (Ī − 3)² + c3 (Ī − 3)³ + κ/2 (J − 1)², Ī = J^(-2/3) I_C, J > 0";
  static constexpr bool needs_positive_det = true;
  static constexpr std::array<MaterialParameter, 4> parameters{
      {{"c1", "Pa", 0, unlimited, "μ/2", "factor of Ī − 3"},
       {"c2", "Pa", -unlimited, unlimited, "0", "factor of (Ī − 3)²"},
       {"c3", "Pa", -unlimited, unlimited, "0", "factor of (Ī − 3)³"},
       {"bulk", "Pa", 0, unlimited, "λ + 2μ/3", "bulk modulus κ"}}};
  static constexpr std::array<const char*, 2> sufficient{"c1 poisson", "c1 bulk"};

  explicit YeohOf(const MaterialParameters& p)
      : c1(p.own_or("c1", p.mu() / 2)), c2(p.own_or("c2", 0)), c3(p.own_or("c3", 0)), bulk(bulk_modulus(p, 2 * c1)) {}
  Real c1, c2, c3, bulk;  // [Pa]
  static constexpr Volumetric volumetric = Volumetric::quadratic;
  void soften(Real by) { bulk -= by; }

  static void complete(MaterialParameters& p) { complete_from_shear(p, 2 * YeohOf<double>(p).c1, "c1"); }

  template <class T>
  T energy(const M3<T>& F) const {
    const T J = det(F), root = T(1.0) / cbrt(J), y = root * root * dot(F, F) - T(3.0), d = J - T(1.0);
    const T psi = (T(c1) + (T(c2) + T(c3) * y) * y) * y + T(0.5 * bulk) * d * d;
    return select(J > T(0.0), psi, infinity<T>());
  }
  template <class T>
  LIMBER_INLINE InvariantDerivatives<T> derivatives(const Invariants<T>& x) const {
    const T root = T(1.0) / cbrt(x.J), a = root * root, inverse = root * a;
    const T y = a * x.I - T(3.0), slope = T(-2.0 / 3) * a * x.I * inverse;  // slope = ∂y/∂J
    const T first = T(c1) + (T(2 * c2) + T(3 * c3) * y) * y, second = T(2 * c2) + T(6 * c3) * y;
    InvariantDerivatives<T> d;
    d.I = first * a;
    d.J = first * slope + T(bulk) * (x.J - T(1.0));
    d.I_I = second * a * a;
    d.I_J = (second * slope + T(-2.0 / 3) * first * inverse) * a;
    d.J_J = second * slope * slope + T(-5.0 / 3) * first * slope * inverse + T(bulk);
    return d;
  }
};
using Yeoh = YeohOf<double>;

}  // namespace limber
