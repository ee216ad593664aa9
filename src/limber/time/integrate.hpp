#pragma once
/// Applies a method n times to any system with a constant step, without retries or a change of method. Throws
/// StepFailure.

#include <functional>
#include <vector>

#include "limber/core/history.hpp"
#include "limber/time/stepper.hpp"

namespace limber {

/// Returns n+1 states; the first is the newest of `past`. `go_on` is called before each step; if it returns false, the
/// states so far are returned.
std::vector<State> integrate(
    System& system, const MethodInfo& method, const MethodParameters& parameters, const MethodOptions& options,
    History past, double step, long steps, const std::function<bool()>& go_on = [] { return true; });

}  // namespace limber
