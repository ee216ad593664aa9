#pragma once  // internal
/// Linear algebra takes a matrix or a vector that is not finite for wrong input. Within a step that is the motion's
/// doing, and the driver takes a smaller step.

#include "limber/core/errors.hpp"

namespace limber {

template <class Compute>
auto as_step_failure(const char* what, const Compute& compute) {
  try {
    return compute();
  } catch (const InputError& e) {
    throw StepFailure(std::string(what) + ": " + e.what());
  }
}

}  // namespace limber
