#pragma once
/// Bodies that overlap at the start are moved apart as rigid wholes. What cannot move and what overlaps nothing stays;
/// the others are placed one after the other: each slides along the direction, of the six along the axes, those that
/// lead out of what it overlaps and their sum, in which the way to a place free of all that is placed already is
/// shortest. On such a way nothing once passed is met again, so any number of bodies comes apart.

#include <vector>

#include "limber/contact/geometry/collisions.hpp"

namespace limber {

/// By how much each object was moved [m]. movable: per object. q: 3N of the bodies at t = 0, changed; gaps become at
/// least about δ. A body for which no direction leads out stays where it is. Gaps below `close` [m] count as overlaps.
std::vector<Vec3> push_apart(const Collisions& collisions, const std::vector<char>& movable, Vector& q,
                             double close = 0);

}  // namespace limber
