#include "limber/mesh/element_mesh.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

/// A node inside an edge of the reference tetrahedron.
struct EdgeNode {
  std::size_t from, to;  // corners
  int place;             // from 1
};

std::vector<EdgeNode> edge_nodes(const ElementType& type, int on_edge) {
  const Matrix X = type.reference_nodes();
  std::vector<EdgeNode> all;
  for (Index n = type.corners; n < type.nodes; ++n) {
    const double share[4] = {1 - X.row(n).sum(), X(n, 0), X(n, 1), X(n, 2)};
    for (const auto& [i, j] : type.edges)
      if (std::abs(share[i] + share[j] - 1) < 1e-12)
        all.push_back({static_cast<std::size_t>(i), static_cast<std::size_t>(j),
                       static_cast<int>(std::lround((on_edge + 1) * share[j]))});
  }
  return all;
}

}  // namespace

ElementMesh elements_of(const TetMesh& mesh, ElementKind kind) {
  const ElementType& type = element_type(kind);
  const int on_edge = face_type(type.face).on_edge;
  const std::vector<EdgeNode> inside = edge_nodes(type, on_edge);
  std::vector<std::array<int, 2>> list;
  if (on_edge > 0) list = edges(mesh);
  ElementMesh out{kind, mesh.nodes, {}};
  for (const auto& [a, b] : list)
    for (int k = 1; k <= on_edge; ++k)
      out.nodes.push_back(
          ((on_edge + 1 - k) * mesh.nodes[static_cast<std::size_t>(a)] + k * mesh.nodes[static_cast<std::size_t>(b)]) /
          (on_edge + 1));
  const int first = static_cast<int>(mesh.nodes.size());
  for (const auto& t : mesh.tets) {
    out.corners.insert(out.corners.end(), t.begin(), t.end());
    for (const auto& [from, to, place] : inside) {
      const int a = t[from], b = t[to];
      const std::array<int, 2> edge{std::min(a, b), std::max(a, b)};
      const auto number = std::lower_bound(list.begin(), list.end(), edge) - list.begin();
      out.corners.push_back(first + static_cast<int>(number) * on_edge + (a < b ? place : on_edge + 1 - place) - 1);
    }
  }
  return out;
}

ElementMesh box_hexahedra(const Vec3& origin, const Vec3& size, const std::array<int, 3>& cells) {
  return box_hexahedra(origin, size, cells, all_cells(cells));
}

ElementMesh box_hexahedra(const Vec3& origin, const Vec3& size, const std::array<int, 3>& cells,
                          const CellRange& range) {
  ElementMesh out{ElementKind::hex8, box_mesh(origin, size, cells, Split::six, range).nodes, {}};
  std::array<int, 3> n{};
  for (std::size_t axis = 0; axis < 3; ++axis) n[axis] = range.end[axis] - range.begin[axis];
  const auto node = [&](int i, int j, int k) { return i + (n[0] + 1) * (j + (n[1] + 1) * k); };
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i)
        for (int z = 0; z < 2; ++z)
          for (const auto& [x, y] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}})
            out.corners.push_back(node(i + x, j + y, k + z));
  return out;
}

Sides sides(const ElementMesh& mesh) {
  const ElementType& type = element_type(mesh.kind);
  if (type.corners == type.nodes) return Sides::straight;
  const Matrix X = type.reference_nodes();
  for (std::size_t e = 0; e < mesh.count(); ++e) {
    const auto nodes = mesh.element(e);
    const auto x = [&](std::size_t a) { return mesh.nodes[static_cast<std::size_t>(nodes[a])]; };
    Mat3 map;
    map << x(1) - x(0), x(2) - x(0), x(3) - x(0);
    for (std::size_t a = 4; a < nodes.size(); ++a)
      if ((x(a) - x(0) - map * X.row(static_cast<Index>(a)).transpose()).norm() > 1e-12 * map.norm())
        return Sides::curved;
  }
  return Sides::straight;
}

TetMesh subdivide(const ElementMesh& mesh) {
  TetMesh out;
  out.nodes = mesh.nodes;
  out.tets.reserve(mesh.count() * static_cast<std::size_t>(pieces(mesh.kind)));
  for (std::size_t e = 0; e < mesh.count(); ++e) add_pieces(mesh.kind, mesh.element(e), out.tets);
  return out;
}

}  // namespace limber
