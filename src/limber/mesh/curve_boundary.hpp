#pragma once
/// Quadratic tetrahedra whose outer faces follow a surface: the middles of boundary edges move to the nearest points of
/// the surface, as far as the elements stay sound.

#include <cstddef>

#include "limber/mesh/element_mesh.hpp"
#include "limber/mesh/tri_mesh.hpp"

namespace limber {

/// What became of the middles of boundary edges.
struct Curved {
  std::size_t moved = 0;  // all the way to the surface
  std::size_t held_back =
      0;                // less far, so that every element keeps a tenth of its volume at its corners and in its parts
  std::size_t far = 0;  // not at all: the surface is further away than a quarter of the edge
};

/// `mesh`: tet10, straight, positively oriented. `surface`: at least one triangle.
Curved curve_boundary(ElementMesh& mesh, const TriMesh& surface);

}  // namespace limber
