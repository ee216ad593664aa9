#pragma once
/// What collides: the points, edges and triangles of all bodies and of triangulated obstacles, as node numbers. Rods
/// have edges without triangles, single points neither.

#include <array>
#include <vector>

#include "limber/core/types.hpp"

namespace limber {

struct ContactSurface {
  std::vector<int> points;                    // nodes, ascending, each once
  std::vector<std::array<int, 2>> edges;      // node pairs i < j, each once; those of triangles included
  std::vector<std::array<int, 3>> triangles;  // outward oriented where they bound a volume
  std::vector<int> object;                    // per node: which body or obstacle it belongs to
  std::vector<double> radius;                 // per node [m]: half the thickness; the surface lies this far out
};

/// May two primitives of these objects collide? Both of one object: self-contact.
using MayCollide = std::vector<std::vector<char>>;  // #objects × #objects, symmetric

}  // namespace limber
