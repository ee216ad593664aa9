#pragma once
/// What is wrong with a triangle surface that should bound a body, and the part of it that can be mended without moving
/// a vertex: equal vertices become one, neighbours are turned to run through their common edges in opposite directions.

#include <cstddef>
#include <vector>

#include "limber/mesh/tri_mesh.hpp"

namespace limber {

struct SurfaceDefects {
  std::size_t open_edges = 0;         // of one triangle
  std::size_t nonmanifold_edges = 0;  // of more than two
  std::size_t twisted_edges = 0;      // of two that run through it in the same direction
  std::size_t pinched_nodes = 0;      // where the surface touches itself, see quality.hpp
  bool crossings = false;             // it cuts or touches itself, up to rounding

  bool closed() const { return open_edges + nonmanifold_edges + twisted_edges == 0; }
  bool clean() const { return closed() && pinched_nodes == 0 && !crossings; }
};
/// Crossings are looked for only if all else is clean: the answer is of use only then. Where rounding leaves it open
/// whether two triangles touch (1e-9 of the size of the surface), they do.
SurfaceDefects surface_defects(const TriMesh& mesh);

/// Edges of one triangle only, where vertices at the same place count as one: 0 for a surface without holes.
std::size_t count_open_edges(TriMesh mesh);

/// Gives vertices at the same place one number. Returns how many went.
std::size_t weld_equal_nodes(TriMesh& mesh);

/// The triangles' parts, joined by edges of two triangles: the number of the part of each, by their first triangles.
std::vector<int> surface_parts(const TriMesh& mesh);

/// The triangles' pieces, joined by common nodes: the number of the piece of each, by their first triangles.
std::vector<int> surface_pieces(const TriMesh& mesh);
/// Of each piece, what it encloses [m³ ≥ 0], with its holes closed by cones and its triangles turned to agree.
std::vector<double> piece_volumes(const TriMesh& mesh);

/// Turns triangles so that each part faces one way, if it can: as most of its area did. Then parts that face inwards,
/// but do not bound a hollow in another part, are turned outwards. Returns how many triangles were turned.
std::size_t orient_parts(TriMesh& mesh);

}  // namespace limber
