#pragma once
/// The colliding geometry: points, edges and triangles of all bodies and of triangulated obstacles, as node numbers.
/// Rods have edges but no triangles; single points have neither.

#include <array>
#include <vector>

#include "limber/core/types.hpp"

namespace limber {

struct ContactSurface {
  std::vector<int> points;                    // nodes, ascending, without repeats
  std::vector<std::array<int, 2>> edges;      // node pairs i < j without repeats, including the edges of triangles
  std::vector<std::array<int, 3>> triangles;  // oriented outwards if they bound a volume
  std::vector<int> object;                    // per node: its body or obstacle
  std::vector<double> radius;                 // per node [m]: half the thickness, by which the surface is offset
};

/// Whether primitives of two objects may collide; the diagonal is self-contact.
using MayCollide = std::vector<std::vector<char>>;  // #objects × #objects, symmetric

}  // namespace limber
