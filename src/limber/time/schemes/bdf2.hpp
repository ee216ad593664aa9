#pragma once
/// BDF2, eq. (3.1.3), for variable steps, r = h/h₋₁:
///
///     u₁ = u₀ + r²/(1+2r) (u₀ − u₋₁) + (1+r)/(1+2r) h F(u₁);   the first step is backward Euler.

#include "limber/time/schemes/backward_euler.hpp"

namespace limber {

class Bdf2 final : public TimeIntegrator {
 public:
  SchemeMemory memory() const override { return {.states = 2}; }
  ForceWeights force_weights() const override { return {.start = 0, .stage = 0, .end = 1}; }
  /// The error of a step with exact history is (1+r)²/(6r(1+2r)) h³ q‴; the history passes on c r² of each change.
  std::optional<ErrorFormula> error_formula(const History& u, double h) const override {
    if (u.size() < 2) return BackwardEuler().error_formula(u, h);
    return ErrorFormula{2, constant(h / (u[0].t - u[1].t))};
  }
  static double constant(double r) { return (1 + r) * (1 + r) / (6 * r * (1 + 2 * r - r * r)); }
  State step(Dynamics& F, const History& u, double h) const override {
    if (u.size() < 2) return BackwardEuler().step(F, u, h);
    const double r = h / (u[0].t - u[1].t), c = 1 / (1 + 2 * r);
    return F.implicit(u[0] + c * r * r * (u[0] - u[1]), c * (1 + r) * h, u[0]);
  }
};

}  // namespace limber
