#pragma once
/// The ways to take a step: the method's own, those after a failure, and those after an energy gain. The driver tries
/// them in order; all it knows about a method besides is its Supervision.

#include <array>
#include <functional>
#include <vector>

#include "limber/time/stepper.hpp"

namespace limber {

enum class Way { method, newton, new_modes, without_modes, split_impulse, tr_bdf2, backward_euler };
/// Ways of retaking steps that gained energy, except the full Newton.
inline constexpr std::array retake_ways = {Way::new_modes, Way::without_modes, Way::split_impulse, Way::tr_bdf2,
                                           Way::backward_euler};
/// The name used in summary.json: "new_modes", "TR-BDF2", …
const char* to_string(Way way);

struct Attempt {
  Way way;
  bool with_modes;         // hybrids: energy may pass between modes and complement
  bool ends_beyond_stage;  // no stage has checked the path to the new state
  bool after_contact;      // only where the attempt before was made with contact
  std::function<State(const History&, double h)> run;
};

/// The method itself, then the fallbacks for a step that failed after `halvings` halvings. `system` and `stepper` must
/// outlive the attempts.
std::vector<Attempt> attempts(Stepper& stepper, System& system, int halvings);

/// The ways to retake a step that gained energy, least dissipative first. touched: contact acted during the step.
std::vector<Attempt> retakes(Stepper& stepper, System& system, bool touched);

/// What the driver must check in the steps of a method.
struct Supervision {
  /// The method can diverge: the energy growth of a step and of the whole run is bounded.
  bool can_diverge = false;
  /// A step may not gain energy.
  bool held_to_account = true;
  /// Hybrids: energy once lost may not be regained by steps with modes.
  bool feeds_back = false;
  /// Every step with contact within reach is judged like one that touches, since the method itself may be unstable.
  bool judged_as_touching = false;
  /// Forces may become stiffer and the step be repeated.
  bool bears_stiffening = true;
};
Supervision supervision(const MethodInfo& method);

}  // namespace limber
