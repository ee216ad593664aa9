#pragma once
/// Faces of elements, for integrating surface loads. The faces of a sheet are its triangles.

#include <span>
#include <vector>

#include "limber/mesh/element_mesh.hpp"

namespace limber {

enum class FaceKind { tri3, tri6, quad4 };

int node_count(FaceKind kind);
int corner_count(FaceKind kind);

/// Corners are counter-clockwise seen from outside; those of a tri6 are followed by the midpoints 01, 12, 20.
struct FaceMesh {
  FaceKind kind = FaceKind::tri3;
  std::vector<int> nodes = {};  // #F × node_count(kind)

  std::size_t count() const;
  std::span<const int> face(std::size_t f) const;
};

/// The faces that belong to one element only, in the order of the elements.
FaceMesh boundary_faces(const ElementMesh& mesh);
FaceMesh triangle_faces(const std::vector<std::array<int, 3>>& triangles);
/// The faces with all corners among these nodes.
FaceMesh faces_between(const FaceMesh& all, const std::vector<int>& nodes);

/// Edges, from corner to corner, that no other face traverses in the opposite direction, with the midpoint of a tri6
/// (otherwise −1). If there are none, the surface is closed.
struct RimEdge {
  int from, to, middle;
};
std::vector<RimEdge> rim(const FaceMesh& faces);

}  // namespace limber
