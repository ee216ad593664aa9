#pragma once
/// What collides of a file that need not be a surface: its triangles, its lines and its points; and of several meshes
/// with the same faces, which are the shapes of one thing.

#include <string>
#include <vector>

#include "limber/mesh/surface_mesh.hpp"

namespace limber {

struct Primitives {
  std::vector<std::vector<Vec3>> shapes;      // #shapes × #V [m], each node in a primitive
  std::vector<std::array<int, 3>> triangles;  // polygons become fans around their first corner
  std::vector<std::array<int, 2>> edges;      // of no triangle, i < j, each once
  std::vector<int> points;                    // of neither, ascending
  std::size_t degenerate = 0;                 // triangles that have no area in any shape: left out
};

/// Of a mesh with its vertices at `shapes` (#shapes × #positions [m]). Vertices at the same place in all shapes are one
/// node. A mesh without polygons, lines and `p` is one of points: all its vertices are.
Primitives primitives(const SurfaceMesh& mesh, const std::vector<std::vector<Vec3>>& shapes);

/// In what the polygons, lines and points of a mesh differ from those of another, as a sentence with the first that
/// does; empty: in nothing. Numbers count from 1.
std::string difference(const SurfaceMesh& mesh, const SurfaceMesh& other);

}  // namespace limber
