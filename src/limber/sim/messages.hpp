#pragma once  // internal
/// What a motion tells the user about its steps.

#include <string>

#include "limber/sim/motion_state.hpp"

namespace limber {

/// That energy has appeared which nobody put in.
std::string energy_alarm(const MechanicalSystem& system, const MotionState& motion);
/// That the step of length h to the time t has an error, `error` for all positions [m], which is `ratio` times what is
/// allowed, and could not be shorter.
std::string shortest_step_note(const MechanicalSystem& system, double t, double h, const Vector& error, double ratio);

}  // namespace limber
