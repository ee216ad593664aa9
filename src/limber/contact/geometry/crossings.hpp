#pragma once
/// Finds crossing surfaces at a configuration, from which a simulation must not start.

#include <optional>
#include <string>
#include <vector>

#include "limber/contact/geometry/collisions.hpp"

namespace limber {

struct Crossing {
  std::array<int, 2> objects{};
  Vec3 where = Vec3::Zero();  // [m]
  double depth = 0;           // [m] of the deepest node of one inside the other; 0: only edges cross
  int node = -1;              // the deepest node; −1: a point of an implicit obstacle's surface
  Vec3 out = Vec3::Zero();    // unit direction of the shortest way for the first object to leave the second
};

/// The worst crossing of each pair of objects at time t: edges through triangles, nodes inside closed surfaces and
/// obstacles, and implicit obstacles inside closed surfaces, sampled by points on their surface (so a needle may be
/// missed). Touching is not crossing. q: 3N.
std::vector<Crossing> find_crossings(const Collisions& collisions, const Vector& q, double t);

}  // namespace limber
