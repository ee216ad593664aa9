#pragma once  // internal

#include <string>

#include "limber/core/errors.hpp"

namespace limber {

/// The search for modes failed. A shorter step or more damping would not help.
struct ModesNotFound : StepFailure {
  explicit ModesNotFound(const std::string& why, int its = 0, double res = 0) : StepFailure("modes: " + why, its, res) {
    advice = "Try another number of modes, or a method without them";
  }
};

}  // namespace limber
