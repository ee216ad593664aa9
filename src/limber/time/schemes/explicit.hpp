#pragma once
/// Explicit schemes, for comparison. They are stable only while ω_max h is small (< 2, RK4: < 2.83).

#include "limber/time/dynamics.hpp"

namespace limber {

/// v₁ = v₀ + h M⁻¹f(q₀, v₀, t₀),  q₁ = q₀ + h v₁.
class SymplecticEuler final : public TimeIntegrator {
 public:
  bool ends_at_stage() const override { return false; }
  ForceWeights force_weights() const override { return {.start = 1, .stage = 0, .end = 0}; }
  std::optional<ErrorFormula> error_formula(const History&, double) const override { return ErrorFormula{1, .5}; }
  State step(Dynamics& F, const History& u, double h) const override {
    const Vector v = u[0].v + h * F.rate(u[0]).v;
    return {u[0].q + h * v, v, u[0].t + h};
  }
};

/// v_½ = v₀ + ½h M⁻¹f(q₀, v₀, t₀),  q₁ = q₀ + h v_½,  v₁ = v_½ + ½h M⁻¹f(q₁, v₁, t₁).
/// The second kick is implicit if f depends on v: a stage with τ_q = 0.
class Verlet final : public TimeIntegrator {
 public:
  bool ends_at_stage() const override { return false; }
  State step(Dynamics& F, const History& u, double h) const override {
    const Vector v = u[0].v + h / 2 * F.rate(u[0]).v;
    const State star{u[0].q + h * v, v, u[0].t + h};
    return F.solve({star, 0, h / 2, star.t, star});
  }
};

/// The classical fourth-order Runge-Kutta method.
class RungeKutta4 final : public TimeIntegrator {
 public:
  bool ends_at_stage() const override { return false; }
  State step(Dynamics& F, const History& u, double h) const override {
    const State k1 = F.rate(u[0]);
    const State k2 = F.rate(u[0] + h / 2 * k1);
    const State k3 = F.rate(u[0] + h / 2 * k2);
    const State k4 = F.rate(u[0] + h * k3);
    return u[0] + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
};

}  // namespace limber
