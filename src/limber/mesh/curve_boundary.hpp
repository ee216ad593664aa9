#pragma once
/// Quadratic tetrahedra whose outer faces follow a surface: midpoints of boundary edges are moved to the nearest points
/// of the surface, as far as the elements stay valid.

#include <cstddef>

#include "limber/mesh/element_mesh.hpp"
#include "limber/mesh/tri_mesh.hpp"

namespace limber {

/// Numbers of boundary-edge midpoints.
struct Curved {
  std::size_t moved = 0;      // moved all the way to the surface
  std::size_t held_back = 0;  // moved less far: every element keeps a tenth of its volume at corners and in its parts
  std::size_t far = 0;        // not moved: the surface is farther away than a quarter of the edge
};

/// `mesh`: tet10, straight, positively oriented. `surface`: at least one triangle.
Curved curve_boundary(ElementMesh& mesh, const TriMesh& surface);

}  // namespace limber
