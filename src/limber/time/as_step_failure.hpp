#pragma once  // internal
/// Converts InputError to StepFailure. Linear algebra reports a non-finite matrix or vector as wrong input; within a
/// step it results from the motion, and the driver should try a smaller step.

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
