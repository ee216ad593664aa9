#pragma once
/// Faces of elements, for integrating surface loads. The faces of a sheet are its triangles.

#include <span>
#include <vector>

#include "limber/mesh/element_mesh.hpp"

namespace limber {

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

/// Edges that no other face traverses in the opposite direction: the nodes of each, its ends first. If there are none,
/// the surface is closed.
std::vector<std::vector<int>> rim(const FaceMesh& faces);

}  // namespace limber
