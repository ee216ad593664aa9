#pragma once
/// The θ-scheme,  u₁ = u₀ + (1 − θ) h F(u₀) + θ h F(u₁):  ½ is trapezoidal, 1 backward Euler.

#include "limber/time/dynamics.hpp"

namespace limber {

class Theta final : public TimeIntegrator {
 public:
  explicit Theta(double theta) : theta_(theta) {}

  State step(Dynamics& F, const History& u, double h) const override {
    return F.implicit(u[0] + (1 - theta_) * h * F.rate(u[0]), theta_ * h, u[0]);
  }

 private:
  double theta_;
};

}  // namespace limber
