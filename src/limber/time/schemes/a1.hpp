#pragma once
/// A-1, a decoupled α-method after You, Zheng & Li (2026): the position of backward Euler, and a velocity with the
/// forces at the position where the step began,
///
///     u = u₀ + h F(u),   q₁ = q,   v₁ = v₀ + h M⁻¹f(q₀, v, t₀).
///
/// Symplectic on linear systems without damping. Damping and friction act at v, and so are as implicit as in backward
/// Euler.

#include "limber/time/dynamics.hpp"

namespace limber {

class A1 final : public TimeIntegrator {
 public:
  bool ends_at_stage() const override { return false; }  // its position does
  ForceWeights force_weights() const override { return {.start = 1, .stage = 0, .end = 0}; }
  State step(Dynamics& F, const History& u, double h) const override {
    const State end = F.implicit(u[0], h, u[0]);
    return {end.q, velocity(F, u[0], end.v, h), end.t};
  }
  /// v₁, with v the velocity of backward Euler.
  static Vector velocity(Dynamics& F, const State& u0, const Vector& v, double h) {
    return u0.v + h * F.rate({u0.q, v, u0.t}).v;
  }
};

}  // namespace limber
