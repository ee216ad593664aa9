#pragma once
/// Implicit midpoint:  uₘ = u₀ + ½h F(uₘ),  u₁ = 2uₘ − u₀. It extrapolates: u₁ may leave the domain even if uₘ does
/// not.

#include "limber/time/dynamics.hpp"

namespace limber {

class Midpoint final : public TimeIntegrator {
 public:
  bool ends_at_stage() const override { return false; }
  ForceWeights force_weights() const override { return {.start = 0, .stage = 1, .end = 0}; }
  std::optional<ErrorFormula> error_formula(const History&, double) const override { return ErrorFormula{2, 1.0 / 12}; }
  State step(Dynamics& F, const History& u, double h) const override {
    return 2 * F.implicit(u[0], h / 2, u[0]) - u[0];
  }
};

}  // namespace limber
