#include "limber/mesh/element_mesh.hpp"

#include <algorithm>

namespace limber {
namespace {

/// The rotations that bring corner k to the place of corner 0.
constexpr int turned_corners[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 2, 3, 0, 5, 6, 7, 4}, {2, 3, 0, 1, 6, 7, 4, 5},
                                      {3, 0, 1, 2, 7, 4, 5, 6}, {4, 7, 6, 5, 0, 3, 2, 1}, {5, 4, 7, 6, 1, 0, 3, 2},
                                      {6, 5, 4, 7, 2, 1, 0, 3}, {7, 6, 5, 4, 3, 2, 1, 0}};
/// Around corner 6: its three faces without it, seen from outside.
constexpr int far_faces[3][3] = {{5, 1, 2}, {2, 3, 7}, {7, 4, 5}};

}  // namespace

ElementMesh linear_elements(const TetMesh& mesh) {
  ElementMesh out{ElementKind::tet4, mesh.nodes, {}};
  for (const auto& t : mesh.tets) out.corners.insert(out.corners.end(), t.begin(), t.end());
  return out;
}

ElementMesh quadratic_elements(const TetMesh& mesh) {
  ElementMesh out{ElementKind::tet10, mesh.nodes, {}};
  const auto list = edges(mesh);
  for (const auto& [a, b] : list)
    out.nodes.push_back((mesh.nodes[static_cast<std::size_t>(a)] + mesh.nodes[static_cast<std::size_t>(b)]) / 2);
  const int first = static_cast<int>(mesh.nodes.size());
  for (const auto& t : mesh.tets) {
    out.corners.insert(out.corners.end(), t.begin(), t.end());
    for (const auto& [i, j] : tet10_middles) {
      const int a = t[static_cast<std::size_t>(i)], b = t[static_cast<std::size_t>(j)];
      const std::array<int, 2> edge{std::min(a, b), std::max(a, b)};
      out.corners.push_back(first + static_cast<int>(std::lower_bound(list.begin(), list.end(), edge) - list.begin()));
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

std::array<std::array<int, 4>, 6> hex8_parts(std::span<const int> corners) {
  const auto smallest = std::min_element(corners.begin(), corners.end()) - corners.begin();
  std::array<int, 8> n{};
  for (std::size_t k = 0; k < 8; ++k) n[k] = corners[static_cast<std::size_t>(turned_corners[smallest][k])];
  std::array<std::array<int, 4>, 6> parts{};
  for (std::size_t f = 0; f < 3; ++f) {
    const int a = n[static_cast<std::size_t>(far_faces[f][0])], middle = n[static_cast<std::size_t>(far_faces[f][1])],
              b = n[static_cast<std::size_t>(far_faces[f][2])];
    const bool from_middle = std::min(middle, n[6]) < std::min(a, b);
    parts[(2 * f + 5) % 6] = {n[0], a, middle, from_middle ? n[6] : b};
    parts[2 * f] = {n[0], from_middle ? middle : a, b, n[6]};
  }
  return parts;
}

int pieces(ElementKind kind) { return kind == ElementKind::tet4 ? 1 : kind == ElementKind::tet10 ? 8 : 6; }

TetMesh subdivide(const ElementMesh& mesh) {
  TetMesh out;
  out.nodes = mesh.nodes;
  for (std::size_t e = 0; e < mesh.count(); ++e) {
    const auto nodes = mesh.element(e);
    const auto add = [&](const std::array<int, 4>& t) {
      out.tets.push_back({nodes[static_cast<std::size_t>(t[0])], nodes[static_cast<std::size_t>(t[1])],
                          nodes[static_cast<std::size_t>(t[2])], nodes[static_cast<std::size_t>(t[3])]});
    };
    if (mesh.kind == ElementKind::tet4) add({0, 1, 2, 3});
    if (mesh.kind == ElementKind::tet10)
      for (const auto& t : tet10_parts) add(t);
    if (mesh.kind == ElementKind::hex8)
      for (const auto& t : hex8_parts(nodes)) out.tets.push_back(t);
  }
  return out;
}

}  // namespace limber
