#pragma once
/// The colliding primitives of a file that need not be a surface: triangles, lines and points. Also for several meshes
/// with the same faces, the shapes of one object.

#include <string>
#include <vector>

#include "limber/mesh/surface_mesh.hpp"

namespace limber {

struct Primitives {
  std::vector<std::vector<Vec3>> shapes;      // #shapes × #V [m]; every node belongs to a primitive
  std::vector<std::array<int, 3>> triangles;  // polygons become fans around their first corner
  std::vector<std::array<int, 2>> edges;      // those of no triangle, i < j, without repeats
  std::vector<int> points;                    // of neither, ascending
  std::size_t degenerate = 0;                 // omitted triangles, with zero area in every shape
};

/// The primitives of a mesh with vertices at `shapes` (#shapes × #positions [m]). Vertices that coincide in all shapes
/// become one node. If a mesh has no polygons, lines or `p`, all its vertices are points.
Primitives primitives(const SurfaceMesh& mesh, const std::vector<std::vector<Vec3>>& shapes);

/// A sentence with the first difference between the polygons, lines and points of two meshes; empty if there is none.
/// Numbers count from 1.
std::string difference(const SurfaceMesh& mesh, const SurfaceMesh& other);

}  // namespace limber
