#pragma once
/// Whether surfaces cross at a configuration, and how badly: what a simulation must not start from.

#include <optional>
#include <string>
#include <vector>

#include "limber/contact/geometry/collisions.hpp"

namespace limber {

struct Crossing {
  std::array<int, 2> objects{};
  Vec3 where = Vec3::Zero();  // [m]
  double depth = 0;           // [m] of the deepest node of one inside the other; 0: only edges cross
  int node = -1;              // the deepest; −1: a point of an implicit obstacle's surface is
  Vec3 out = Vec3::Zero();    // unit direction in which the first object leaves the second soonest
};

/// The worst crossing of each pair of objects at time t: edges through triangles, nodes inside closed surfaces and
/// obstacles, and implicit obstacles inside closed surfaces, by points on theirs (so that a needle may be missed). What
/// only touches is no crossing. q: 3N.
std::vector<Crossing> find_crossings(const Collisions& collisions, const Vector& q, double t);

}  // namespace limber
