#pragma once
/// Defects of a triangle surface that should bound a body, and repairs that move no vertex: merging equal vertices, and
/// reorienting triangles so that neighbours traverse their common edges in opposite directions.

#include <cstddef>
#include <vector>

#include "limber/mesh/tri_mesh.hpp"

namespace limber {

struct SurfaceDefects {
  std::size_t open_edges = 0;         // with one triangle
  std::size_t nonmanifold_edges = 0;  // with more than two triangles
  std::size_t twisted_edges = 0;      // with two triangles that traverse it in the same direction
  std::size_t pinched_nodes = 0;      // where the surface touches itself, see quality.hpp
  bool crossings = false;             // the surface cuts or touches itself, up to rounding

  bool closed() const { return open_edges + nonmanifold_edges + twisted_edges == 0; }
  bool clean() const { return closed() && pinched_nodes == 0 && !crossings; }
};
/// Crossings are only searched if everything else is clean, since they matter only then. If rounding leaves it open
/// whether two triangles touch (1e-9 of the size of the surface), they count as touching.
SurfaceDefects surface_defects(const TriMesh& mesh);

/// The number of edges with a single triangle, after merging coincident vertices: 0 for a surface without holes.
std::size_t count_open_edges(TriMesh mesh);

/// Merges coincident vertices. Returns the number of vertices removed.
std::size_t weld_equal_nodes(TriMesh& mesh);

/// The part of each triangle. Parts are connected by edges of two triangles and numbered by their first triangles.
std::vector<int> surface_parts(const TriMesh& mesh);

/// The piece of each triangle. Pieces are connected by common nodes and numbered by their first triangles.
std::vector<int> surface_pieces(const TriMesh& mesh);
/// The volume enclosed by each piece [m³ ≥ 0], with holes closed by cones and triangles oriented consistently.
std::vector<double> piece_volumes(const TriMesh& mesh);

/// Reorients triangles so that each part, if orientable, is oriented like the larger share of its area. Then parts that
/// face inwards are reversed, except those that bound a hollow in another part. Returns the number of reversed
/// triangles.
std::size_t orient_parts(TriMesh& mesh);

}  // namespace limber
