#pragma once
/// The ways to take a step: the method's own, those for a step that fails, and those for a step that gains energy. The
/// driver tries them in order and knows nothing else about methods but what it has to watch.

#include <array>
#include <functional>
#include <vector>

#include "limber/time/stepper.hpp"

namespace limber {

enum class Way { method, newton, new_modes, without_modes, split_impulse, tr_bdf2, backward_euler };
/// Those of steps that gained energy, but for the full Newton.
inline constexpr std::array retake_ways = {Way::new_modes, Way::without_modes, Way::split_impulse, Way::tr_bdf2,
                                           Way::backward_euler};
/// As it stands in summary.json: "new_modes", "TR-BDF2", …
const char* to_string(Way way);

struct Attempt {
  Way way;
  bool with_modes;         // hybrids: modes and complement may feed each other
  bool ends_beyond_stage;  // no stage has checked the path to the new state
  bool after_contact;      // only where the attempt before was made with contact
  std::function<State(const History&, double h)> run;
};

/// The method itself, then what is left for a step that fails after being halved `halvings` times. `system` and
/// `stepper` must outlive the attempts.
std::vector<Attempt> attempts(Stepper& stepper, System& system, int halvings);

/// For a step that gained energy, liveliest first. touched: contact acted during the step.
std::vector<Attempt> retakes(Stepper& stepper, System& system, bool touched);

/// What the driver has to watch in the steps of a method.
struct Supervision {
  /// The method can diverge: a step's energy growth is bounded, and so is that of the whole run.
  bool can_diverge = false;
  /// A step may not gain energy.
  bool held_to_account = true;
  /// Hybrids: modes and complement may not regain what they have lost.
  bool feeds_back = false;
  /// Contact is judged in every step, not only where something touches: the method may be unstable by itself.
  bool judged_as_touching = false;
  /// Forces may become stiffer for a step that is taken again.
  bool bears_stiffening = true;
};
Supervision supervision(const MethodInfo& method);

}  // namespace limber
