#pragma once
/// Elements of one kind on their nodes: the integration domain of the elastic energy. Everything else (output, contact,
/// selections) uses a mesh of linear tetrahedra on the same nodes.

#include <span>
#include <vector>

#include "limber/mesh/tet_mesh.hpp"

namespace limber {

enum class ElementKind { tet4, tet10, hex8 };

inline int node_count(ElementKind kind) { return kind == ElementKind::tet4 ? 4 : kind == ElementKind::tet10 ? 10 : 8; }

/// The corners whose edges have the middle nodes 4, 5, … of a tet10.
inline constexpr std::array<std::array<int, 2>, 6> tet10_middles = {{{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}}};

/// The linear tetrahedra of a subdivided tet10: four at the corners, and four in the octahedron between them, cut along
/// its diagonal from middle 02 to middle 13.
inline constexpr std::array<std::array<int, 4>, 8> tet10_parts = {
    {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3}, {6, 8, 4, 5}, {6, 8, 5, 9}, {6, 8, 9, 7}, {6, 8, 7, 4}}};

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

ElementMesh linear_elements(const TetMesh& mesh);
/// Nodes: those of the mesh, then the edge midpoints in the order of `edges(mesh)`.
ElementMesh quadratic_elements(const TetMesh& mesh);
/// Nodes and cells as in `box_mesh`.
ElementMesh box_hexahedra(const Vec3& origin, const Vec3& size, const std::array<int, 3>& cells);
ElementMesh box_hexahedra(const Vec3& origin, const Vec3& size, const std::array<int, 3>& cells,
                          const CellRange& range);

/// The six linear tetrahedra of a hex8: its lowest-numbered corner joined with the triangles of the three faces not
/// containing it. Each face is cut through its lowest-numbered corner, so that neighbouring hexahedra agree (Dompierre
/// et al. 1999). In boxes these are Kuhn's six around the diagonal from corner 0 to corner 6.
std::array<std::array<int, 4>, 6> hex8_parts(std::span<const int> corners);

/// Linear tetrahedra on all nodes of the elements, eight for a tet10 and six for a hex8, element by element.
TetMesh subdivide(const ElementMesh& mesh);
/// Number of tetrahedra per element.
int pieces(ElementKind kind);

}  // namespace limber
