#pragma once
/// What is verified: the bodies of a trajectory cut into connected parts, each with its closed surface or, without
/// tetrahedra, its triangles and edges.

#include <array>
#include <string>
#include <vector>

#include "limber/record/trajectory.hpp"
#include "limber/verify/intersect.hpp"

namespace limber {

/// Tetrahedra that hang together by nodes; or triangles and springs, or a single node, of a body without tetrahedra.
struct Part {
  int body = 0;
  std::vector<exact::Triangle> surface;   // faces of one tetrahedron only, outward
  std::vector<exact::Triangle> sheet;     // triangles of parts without tetrahedra
  std::vector<std::array<int, 2>> edges;  // of parts without tetrahedra
  std::vector<int> samples;               // a node of each connected piece of the surface; or one of the part
};

/// Throws InputError(path, …) if indices are out of range.
std::vector<Part> find_parts(const TrajectoryHeader& header, const std::string& path);

}  // namespace limber
