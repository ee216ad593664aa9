#pragma once
/// The derivative of an equilibrium f(q; p) = 0 by parameters: K dq = ∂f/∂p dp with K = −∂f/∂q, forwards; and of a
/// number J(q) backwards, Kᵀ w = ∂J/∂q, dJ/dp = w · ∂f/∂p.

#include <functional>
#include <span>
#include <string>

#include "limber/gradient/variation.hpp"
#include "limber/model/system.hpp"

namespace limber {

class EquilibriumDerivative {
 public:
  /// Of a system that stands still at u. `what_is_free`: for messages, what can move although K is to be regular; empty
  /// if it is not known.
  EquilibriumDerivative(System& system, State u, std::function<std::string()> what_is_free);

  /// dJ/dp of all variations, one after the other, from ∂J/∂q. Throws StepFailure if K is singular.
  Vector backwards(const Vector& by_q, std::span<SystemVariation* const> variations);
  /// ∂q/∂p, a column for each component of all variations. Throws StepFailure if K is singular.
  Matrix forwards(std::span<SystemVariation* const> variations);

 private:
  CallEquation equation() const;
  /// K⁻¹ b or K⁻ᵀ b.
  Matrix solve(const Matrix& b, bool transposed);

  System& system_;
  State u_;
  std::function<std::string()> what_is_free_;
};

}  // namespace limber
