#pragma once
/// Mooney-Rivlin, isochoric, ψ = C10 (J^(−2/3) I − 3) + C01 (J^(−4/3) II − 3) + κ/2 (J − 1)², J > 0.
/// Defaults from E and ν: C10 = .4 μ, C01 = .1 μ, κ = λ + 2μ/3, so that 2 (C10 + C01) = μ.

#include "limber/core/errors.hpp"
#include "limber/material/invariants.hpp"
#include "limber/material/parameters.hpp"

namespace limber {

template <class Real>
struct MooneyRivlinOf : InvariantMaterial<MooneyRivlinOf<Real>, psi_II | psi_I_J | psi_II_J | psi_J_J> {
  static constexpr const char* name = "mooney_rivlin";
  static constexpr const char* description = "two-parameter rubber (c10, c01, bulk); forbids inversion";
  static constexpr const char* formula = "C10 (J^(-2/3) I_C − 3) + C01 (J^(-4/3) II_C − 3) + κ/2 (J − 1)², J > 0";
  static constexpr bool needs_positive_det = true;
  static constexpr std::array<MaterialParameter, 3> parameters{
      {{"c10", "Pa", -unlimited, unlimited, "0.4 μ", "factor C10 of the first invariant"},
       {"c01", "Pa", -unlimited, unlimited, "0.1 μ", "factor C01 of the second invariant"},
       {"bulk", "Pa", 0, unlimited, "λ + 2μ/3", "bulk modulus κ"}}};
  static constexpr std::array<const char*, 1> sufficient{"c10 c01 bulk"};

  explicit MooneyRivlinOf(const MaterialParameters& p)
      : c10(p.own_or("c10", 0.4 * p.mu())),
        c01(p.own_or("c01", 0.1 * p.mu())),
        bulk(p.own_or("bulk", p.lambda() + 2 * p.mu() / 3)) {}
  Real c10, c01, bulk;  // [Pa]
  static constexpr Volumetric volumetric = Volumetric::quadratic;
  void soften(Real by) { bulk -= by; }

  static void complete(MaterialParameters& p) {
    const MooneyRivlinOf<double> m(p);
    const double mu = 2 * (m.c10 + m.c01);
    if (!(mu > 0))
      throw InputError(p.own.contains("c10") ? "c10" : "c01", "the shear modulus 2 (c10 + c01) is not positive");
    if (p.young > 0 || p.own.size() < parameters.size()) return;
    p.young = 9 * m.bulk * mu / (3 * m.bulk + mu);
    p.poisson = (3 * m.bulk - 2 * mu) / (2 * (3 * m.bulk + mu));
  }

  template <class T>
  T energy(const M3<T>& F) const {
    const auto [I, II, J] = MooneyRivlinOf::invariants(F);
    const T root = T(1.0) / cbrt(J), a = root * root, d = J - T(1.0);
    const T psi = T(c10) * (a * I - T(3.0)) + T(c01) * (a * a * II - T(3.0)) + T(0.5 * bulk) * d * d;
    return select(J > T(0.0), psi, infinity<T>());
  }
  template <class T>
  LIMBER_INLINE InvariantDerivatives<T> derivatives(const Invariants<T>& x) const {
    const T root = T(1.0) / cbrt(x.J), a = root * root, inverse = root * a;
    InvariantDerivatives<T> d;
    d.I = T(c10) * a;
    d.II = T(c01) * a * a;
    d.I_J = T(-2.0 / 3) * d.I * inverse;
    d.II_J = T(-4.0 / 3) * d.II * inverse;
    d.J = d.I_J * x.I + d.II_J * x.II + T(bulk) * (x.J - T(1.0));
    d.J_J = (T(-5.0 / 3) * d.I_J * x.I + T(-7.0 / 3) * d.II_J * x.II) * inverse + T(bulk);
    return d;
  }
};
using MooneyRivlin = MooneyRivlinOf<double>;

}  // namespace limber
