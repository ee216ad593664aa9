#pragma once
/// A small creature standing on two of its four limbs, with a tail, ears and a snout: smooth unions of balls, cones and
/// ellipsoids. It faces along z, its soles lie flat in the plane y = 0, and x is its left.

#include "limber/mesh/shapes/shapes.hpp"

namespace limber {

struct CreatureShape {
  double height = 1;         // [m], from the soles to the tips of the ears
  double resolution = 0.03;  // at most 0.05 × height; coarser meshes lose the ears
  std::size_t max_tets = default_max_tets;
};
TetMesh creature_mesh(const CreatureShape& shape);
inline double coarsest_resolution(const CreatureShape& shape) { return 0.05 * shape.height; }

}  // namespace limber
