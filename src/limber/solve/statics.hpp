#pragma once
/// Equilibrium: f(q, 0, t) = 0, by the same Newton as the stages, with r = −f, A = K, φ = W. The whole load is tried
/// first. If that is too much at once, loads and prescribed motion are applied in parts s: from where they are zero to
/// s = 1 along the path of equilibria (equilibrium_path.hpp), around limit points too; with contact by Newton at
/// s₁ < s₂ < … ≤ 1. Parts that can move rigidly, as above a floor, come to rest by damped steps
/// f(q) = rate M (q − q_before), rate → 0.

#include <functional>
#include <string>
#include <vector>

#include "limber/solve/newton.hpp"

namespace limber {

struct StaticsReport {
  int iterations = 0;              // Newton, all load steps together
  int load_steps = 0;              // or damped steps
  double residual = 0;             // ‖f‖ [N]
  std::vector<std::string> notes;  // what the user should hear
};

/// How far it is: the share of the load that is carried, or is being tried.
struct StaticsProgress {
  double carried = 0, tried = 0;
  int iterations = 0;
};
/// Called in each iteration.
using StaticsWatch = std::function<void(const StaticsProgress&)>;

/// Starts from u.q. Throws StepFailure if no equilibrium is found.
Vector solve_statics(System& system, const State& u, LinearSolver& linear, NewtonOptions options, StaticsReport& report,
                     const StaticsWatch& watch = {});

}  // namespace limber
