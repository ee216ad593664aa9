#pragma once  // internal

#include <string>

#include "limber/core/errors.hpp"

namespace limber {

/// Modes that were not found. A shorter step or more damping changes nothing about that.
struct ModesNotFound : StepFailure {
  explicit ModesNotFound(const std::string& why, int iterations = 0, double residual = 0)
      : StepFailure("modes: " + why, iterations, residual) {
    advice = "Try another number of modes, or a method without them";
  }
};

}  // namespace limber
