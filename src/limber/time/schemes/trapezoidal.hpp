#pragma once
/// Trapezoidal:  u₁ = u₀ + ½h (F(u₀) + F(u₁)).

#include "limber/time/dynamics.hpp"

namespace limber {

class Trapezoidal final : public TimeIntegrator {
 public:
  std::optional<ErrorFormula> error_formula(const History&, double) const override { return ErrorFormula{2, 1.0 / 12}; }
  State step(Dynamics& F, const History& u, double h) const override {
    return F.implicit(u[0] + h / 2 * F.rate(u[0]), h / 2, u[0]);
  }
};

}  // namespace limber
