#pragma once  // internal
/// Where a stage starts from when something that is prescribed (obstacles, scripted nodes) moves among things that
/// collide: every node goes on as it moved, less what would close a gap, and what is prescribed goes with it, piece by
/// piece, as far as the way is free. So contacts that stick are carried along. A guess: it knows collisions only.

#include <optional>

#include "limber/model/system.hpp"

namespace limber {

struct MovingStart {
  Vector q;      // [m]
  double t = 0;  // [s] where what is prescribed has come to: `until`, or earlier where something is in the way
};

/// nullopt unless bodies, or what pushes them, go further than ten δ until then: a linear correction sees collisions
/// within δ only, and would have to creep along from one to the next.
std::optional<MovingStart> move_along(System& system, const State& from, double until);

}  // namespace limber
