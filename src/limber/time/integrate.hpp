#pragma once
/// A method applied n times to any system with a constant step: no retries, no change of method. It throws StepFailure.

#include <functional>
#include <vector>

#include "limber/core/history.hpp"
#include "limber/time/stepper.hpp"

namespace limber {

/// n+1 states, the first is the newest of `past`. `go_on` is asked before each step; when it says no, the states so far
/// are returned.
std::vector<State> integrate(
    System& system, const MethodInfo& method, const MethodParameters& parameters, const MethodOptions& options,
    History past, double step, long steps, const std::function<bool()>& go_on = [] { return true; });

}  // namespace limber
