#pragma once
/// Backward Euler, eq. (3.1.1):  u₁ = u₀ + h F(u₁).

#include "limber/time/dynamics.hpp"

namespace limber {

class BackwardEuler final : public TimeIntegrator {
 public:
  ForceWeights force_weights() const override { return {.start = 0, .stage = 0, .end = 1}; }
  std::optional<ErrorFormula> error_formula(const History&, double) const override { return ErrorFormula{1, .5}; }
  State step(Dynamics& F, const History& u, double h) const override { return F.implicit(u[0], h, u[0]); }
};

}  // namespace limber
