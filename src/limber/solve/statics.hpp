#pragma once
/// Equilibrium: f(q, 0, t) = 0, by the same Newton as the stages, with r = −f, A = K, φ = W. If the whole load is too
/// much at once, it is applied in parts (continuation):  f(q) = (1 − s) f(q₀) for s = s₁, s₂, …, 1. Where that
/// fails and parts can move rigidly, as above a floor, they come to rest by damped steps f(q) = rate M (q − q_before),
/// rate → 0.

#include "limber/solve/newton.hpp"

namespace limber {

struct StaticsReport {
  int iterations = 0;   // Newton, all load steps together
  int load_steps = 0;   // or damped steps
  double residual = 0;  // ‖f‖ [N]
};

/// Starts from u.q. Throws StepFailure if no equilibrium is found.
Vector solve_statics(System& system, const State& u, LinearSolver& linear, NewtonOptions options,
                     StaticsReport& report);

}  // namespace limber
