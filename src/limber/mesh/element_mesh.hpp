#pragma once
/// Elements of one kind on their nodes: the integration domain of the elastic energy. Everything else (output, contact,
/// selections) uses a mesh of linear tetrahedra on the same nodes.

#include <span>
#include <vector>

#include "limber/mesh/element_type.hpp"
#include "limber/mesh/tet_mesh.hpp"

namespace limber {

struct ElementMesh {
  ElementKind kind = ElementKind::tet4;
  std::vector<Vec3> nodes;   // #V [m]
  std::vector<int> corners;  // #E × node_count(kind), in the order of the reference element

  std::size_t count() const { return corners.size() / static_cast<std::size_t>(node_count(kind)); }
  std::span<const int> element(std::size_t e) const {
    const auto n = static_cast<std::size_t>(node_count(kind));
    return {corners.data() + e * n, n};
  }
};

/// Elements of tetrahedra. Nodes: those of the mesh, then those inside edges, in the order of `edges(mesh)` and along
/// each from its lower node.
ElementMesh elements_of(const TetMesh& mesh, ElementKind kind);
inline ElementMesh linear_elements(const TetMesh& mesh) { return elements_of(mesh, ElementKind::tet4); }
inline ElementMesh quadratic_elements(const TetMesh& mesh) { return elements_of(mesh, ElementKind::tet10); }
/// Nodes and cells as in `box_mesh`.
ElementMesh box_hexahedra(const Vec3& origin, const Vec3& size, const std::array<int, 3>& cells);
ElementMesh box_hexahedra(const Vec3& origin, const Vec3& size, const std::array<int, 3>& cells,
                          const CellRange& range);

/// Curved if an element has its other nodes elsewhere than the map of its corners.
Sides sides(const ElementMesh& mesh);

/// Linear tetrahedra on all nodes of the elements, element by element.
TetMesh subdivide(const ElementMesh& mesh);

}  // namespace limber
