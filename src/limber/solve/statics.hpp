#pragma once
/// Equilibrium f(q, 0, t) = 0 by the same Newton as the stages, with r = −f, A = K, φ = W. The whole load is tried
/// first. If that fails, loads and prescribed motion are applied gradually: from zero to s = 1 along the path of
/// equilibria (equilibrium_path.hpp), past limit points too; with contact by Newton at s₁ < s₂ < … ≤ 1. Parts that can
/// move rigidly, as above a floor, are brought to rest by damped steps f(q) = rate M (q − q_before), rate → 0.

#include <functional>
#include <string>
#include <vector>

#include "limber/solve/newton.hpp"

namespace limber {

struct StaticsReport {
  int iterations = 0;              // Newton, over all load steps
  int load_steps = 0;              // or damped steps
  double residual = 0;             // ‖f‖ [N]
  std::vector<std::string> notes;  // messages for the user
};

/// Progress: the share of the load that is carried, and the one being tried.
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
