#pragma once
/// The paper's "simple mixture" of BDF2 (θ = 1) and trapezoidal (θ = 0), r = h/h₋₁:
///
///     u₁ = u₀ + θ r²/(1+2r) (u₀ − u₋₁) + (1−θ) ½h F(u₀) + (θ (1+r)/(1+2r) + (1−θ)/2) h F(u₁).
///
/// The first step uses backward Euler in place of BDF2, as BDF2 itself does.

#include "limber/time/schemes/bdf2.hpp"

namespace limber {

class Blend final : public TimeIntegrator {
 public:
  explicit Blend(double theta) : theta_(theta) {}

  SchemeMemory memory() const override { return {.states = 2}; }
  ForceWeights force_weights() const override {
    return {.start = (1 - theta_) / 2, .stage = 0, .end = (1 + theta_) / 2};
  }
  std::optional<ErrorFormula> error_formula(const History& u, double h) const override {
    if (u.size() < 2) return ErrorFormula{1, theta_ / 2};
    const double r = h / (u[0].t - u[1].t), c = 1 / (1 + 2 * r), passed_on = c * r * r;
    const double bdf2 = Bdf2::constant(r) * (1 - passed_on);
    return ErrorFormula{2, (theta_ * bdf2 + (1 - theta_) / 12) / (1 - theta_ * passed_on)};
  }
  State step(Dynamics& F, const History& u, double h) const override {
    const double w = 1 - theta_;
    State star = u[0];
    if (w != 0) star = star + w * h / 2 * F.rate(u[0]);
    if (u.size() < 2) return F.implicit(star, (theta_ + w / 2) * h, u[0]);
    const double r = h / (u[0].t - u[1].t), c = 1 / (1 + 2 * r);
    return F.implicit(star + theta_ * c * r * r * (u[0] - u[1]), (theta_ * c * (1 + r) + w / 2) * h, u[0]);
  }

 private:
  double theta_;
};

}  // namespace limber
