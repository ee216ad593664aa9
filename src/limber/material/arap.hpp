#pragma once
/// As rigid as possible, ψ = μ‖F − R‖²: corotated elasticity with λ = 0, so ν acts through μ only.

#include "limber/material/corotated.hpp"

namespace limber {

template <class Real>
struct ArapOf : CorotatedOf<Real> {
  static constexpr const char* name = "arap";
  static constexpr const char* description =
      "as rigid as possible: corotated with λ = 0, no resistance to volume change of its own";
  static constexpr const char* formula = "μ‖F − R‖², F = R S";
  explicit ArapOf(const MaterialParameters& p) : CorotatedOf<Real>(p.mu(), 0) {}
};
using Arap = ArapOf<double>;

}  // namespace limber
