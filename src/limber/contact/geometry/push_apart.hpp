#pragma once
/// Moves bodies that overlap at the start apart as rigid wholes. Immovable and non-overlapping objects stay. The others
/// are placed one after the other: each slides along one of the six axis directions, the directions out of its
/// overlaps, or their sum, whichever gives the shortest path to a place free of all objects placed so far. Objects
/// already passed on such a path are not met again, so any number of bodies is separated.

#include <vector>

#include "limber/contact/geometry/collisions.hpp"

namespace limber {

/// Returns the displacement of each object [m]. movable: per object. q: 3N of the bodies at t = 0, changed so that gaps
/// are at least about δ. A body for which no direction works stays in place. Gaps below `close` [m] count as overlaps.
std::vector<Vec3> push_apart(const Collisions& collisions, const std::vector<char>& movable, Vector& q,
                             double close = 0);

}  // namespace limber
