#pragma once
/// A tree as one body: a trunk and recursive branches as round cones with fillets at the junctions. It stands on the
/// plane y = 0, where the trunk is cut flat. Equal parameters give the same tree on any machine.

#include <cstdint>

#include "limber/mesh/shapes/shapes.hpp"

namespace limber {

struct TreeShape {
  double trunk_length = 1, trunk_radius = 0.08;     // [m], radius without the flare at the ground
  int levels = 4;                                   // of branches; 0: a trunk alone
  int branches = 3;                                 // per branch: one continues at its end, the others leave its side
  double length_ratio = 0.75, radius_ratio = 0.75;  // of a branch to its parent; a branch also tapers by radius_ratio
  double spread = 0.85;                             // angle between a branch and its side branches [rad]
  double twist = 2.39996;                           // from one branch to the next around their parent [rad]
  double gravity_bend = 0.25;                       // downward bend of a branch over its length [rad], < 0: upwards
  double variation = 0.25;                          // of lengths and angles, 0: none, at most 1
  std::uint64_t seed = 1;
  double resolution = 0.02;  // at most coarsest_resolution
  std::size_t max_tets = default_max_tets;
};
TetMesh tree_mesh(const TreeShape& shape);
/// 1.1 times the radius of the thinnest branch: about two elements across it.
double coarsest_resolution(const TreeShape& shape);

}  // namespace limber
