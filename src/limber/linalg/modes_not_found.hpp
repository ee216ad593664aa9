#pragma once  // internal

#include <string>

#include "limber/core/errors.hpp"

namespace limber {

/// Modes that were not found. A shorter step or more damping changes nothing about that.
struct ModesNotFound : StepFailure {
  explicit ModesNotFound(const std::string& why, int its = 0, double res = 0) : StepFailure("modes: " + why, its, res) {
    advice = "Try another number of modes, or a method without them";
  }
};

}  // namespace limber
