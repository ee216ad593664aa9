#pragma once
/// Exponential Rosenbrock-Euler, eq. (eqERE):  u₁ = u₀ + h φ₁(hJ) F(u₀),  φ₁(Z) = Z⁻¹(e^Z − I).

#include "limber/time/dynamics.hpp"

namespace limber {

class ExponentialRosenbrockEuler final : public TimeIntegrator {
 public:
  bool ends_at_stage() const override { return false; }
  State step(Dynamics& F, const History& u, double h) const override { return F.exponential(u[0], h); }
};

}  // namespace limber
