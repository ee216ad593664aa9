#pragma once  // internal
/// The starting point of a stage in which prescribed nodes or obstacles move among colliding bodies. Every node keeps
/// its velocity, except where that would close a gap, and the prescribed motion advances with it, piece by piece, as
/// far as the path is free. Sticking contacts are thus carried along. It is only a guess, which knows collisions and no
/// other forces.

#include <optional>

#include "limber/model/system.hpp"

namespace limber {

struct MovingStart {
  Vector q;      // [m]
  double t = 0;  // [s] time reached by the prescribed motion: `until`, or earlier if something is in the way
};

/// nullopt unless bodies or moving obstacles travel more than ten δ until then. A linear correction sees collisions
/// within δ only, so over longer distances Newton would advance from one contact to the next.
std::optional<MovingStart> move_along(System& system, const State& from, double until);

}  // namespace limber
