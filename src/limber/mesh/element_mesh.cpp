#include "limber/mesh/element_mesh.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

/// A node inside an edge or in the middle of a face of the reference tetrahedron.
struct InnerNode {
  std::vector<std::size_t> corners;
  int place;  // on an edge, from 1
};

std::vector<InnerNode> inner_nodes(const ElementType& type, int on_edge) {
  const Matrix X = type.reference_nodes();
  std::vector<InnerNode> all;
  for (Index n = type.corners; n < type.nodes; ++n) {
    const double share[4] = {1 - X.row(n).sum(), X(n, 0), X(n, 1), X(n, 2)};
    InnerNode node{{}, 0};
    for (std::size_t k = 0; k < 4; ++k)
      if (share[k] > 1e-12) node.corners.push_back(k);
    node.place = static_cast<int>(std::lround((on_edge + 1) * share[node.corners[1]]));
    all.push_back(std::move(node));
  }
  return all;
}

std::array<int, 3> sorted_corners(const std::array<int, 4>& tet, const InnerNode& node) {
  std::array<int, 3> face{tet[node.corners[0]], tet[node.corners[1]], tet[node.corners[2]]};
  std::sort(face.begin(), face.end());
  return face;
}

/// Those in whose middle a node stands.
std::vector<std::array<int, 3>> faces_with_nodes(const TetMesh& mesh, const std::vector<InnerNode>& inside) {
  std::vector<std::array<int, 3>> faces;
  for (const auto& t : mesh.tets)
    for (const InnerNode& node : inside)
      if (node.corners.size() == 3) faces.push_back(sorted_corners(t, node));
  std::sort(faces.begin(), faces.end());
  faces.erase(std::unique(faces.begin(), faces.end()), faces.end());
  return faces;
}

template <class Item>
int place_in(const std::vector<Item>& sorted, const Item& item) {
  return static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), item) - sorted.begin());
}

}  // namespace

ElementMesh elements_of(const TetMesh& mesh, ElementKind kind) {
  const ElementType& type = element_type(kind);
  const int on_edge = face_type(type.face).on_edge;
  const std::vector<InnerNode> inside = inner_nodes(type, on_edge);
  std::vector<std::array<int, 2>> list;
  if (on_edge > 0) list = edges(mesh);
  ElementMesh out{kind, mesh.nodes, {}};
  for (const auto& [a, b] : list)
    for (int k = 1; k <= on_edge; ++k)
      out.nodes.push_back(
          ((on_edge + 1 - k) * mesh.nodes[static_cast<std::size_t>(a)] + k * mesh.nodes[static_cast<std::size_t>(b)]) /
          (on_edge + 1));
  const auto faces = faces_with_nodes(mesh, inside);
  const int first = static_cast<int>(mesh.nodes.size()), first_face = static_cast<int>(out.nodes.size());
  for (const auto& [a, b, c] : faces)
    out.nodes.push_back((mesh.nodes[static_cast<std::size_t>(a)] + mesh.nodes[static_cast<std::size_t>(b)] +
                         mesh.nodes[static_cast<std::size_t>(c)]) /
                        3);
  for (const auto& t : mesh.tets) {
    out.corners.insert(out.corners.end(), t.begin(), t.end());
    for (const InnerNode& node : inside) {
      if (node.corners.size() == 3) {
        out.corners.push_back(first_face + place_in(faces, sorted_corners(t, node)));
        continue;
      }
      const int a = t[node.corners[0]], b = t[node.corners[1]];
      const int number = place_in(list, std::array<int, 2>{std::min(a, b), std::max(a, b)});
      out.corners.push_back(first + number * on_edge + (a < b ? node.place : on_edge + 1 - node.place) - 1);
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
