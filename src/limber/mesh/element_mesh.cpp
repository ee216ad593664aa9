#include "limber/mesh/element_mesh.hpp"

#include <algorithm>

namespace limber {
namespace {

/// Kuhn's six around the diagonal from corner 0 to corner 6.
constexpr std::array<std::array<int, 4>, 6> of_hex8 = {
    {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}}};

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
  ElementMesh out{ElementKind::hex8, box_mesh(origin, size, cells, Split::six).nodes, {}};
  const auto node = [&](int i, int j, int k) { return i + (cells[0] + 1) * (j + (cells[1] + 1) * k); };
  for (int k = 0; k < cells[2]; ++k)
    for (int j = 0; j < cells[1]; ++j)
      for (int i = 0; i < cells[0]; ++i)
        for (int z = 0; z < 2; ++z)
          for (const auto& [x, y] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}})
            out.corners.push_back(node(i + x, j + y, k + z));
  return out;
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
      for (const auto& t : of_hex8) add(t);
  }
  return out;
}

}  // namespace limber
