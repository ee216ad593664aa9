#include "limber/mesh/tri_mesh.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "limber/mesh/tet_mesh.hpp"
#include "limber/mesh/unused_nodes.hpp"

namespace limber {

bool has_area(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a;
  const double longest = std::max({ab.squaredNorm(), ac.squaredNorm(), (c - b).squaredNorm()});
  return ab.cross(ac).norm() > 1e-14 * longest;
}

std::size_t drop_degenerate(TriMesh& mesh) {
  const std::size_t dropped = std::erase_if(
      mesh.triangles, [&](const auto& t) { return !has_area(mesh.nodes[t[0]], mesh.nodes[t[1]], mesh.nodes[t[2]]); });
  drop_unused_nodes(mesh.nodes, mesh.triangles);
  return dropped;
}

bool is_closed(const TriMesh& mesh) {
  std::vector<std::array<int, 2>> forth, back;
  for (const auto& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) {
      forth.push_back({t[k], t[(k + 1) % 3]});
      back.push_back({t[(k + 1) % 3], t[k]});
    }
  std::sort(forth.begin(), forth.end());
  std::sort(back.begin(), back.end());
  return forth == back && std::adjacent_find(forth.begin(), forth.end()) == forth.end();
}

double enclosed_volume(const TriMesh& mesh) {
  const Box3 box = bounding_box(mesh.nodes);
  const Vec3 o = (box.min + box.max) / 2;
  double sum = 0;
  for (const auto& t : mesh.triangles)
    sum += (mesh.nodes[t[0]] - o).dot((mesh.nodes[t[1]] - o).cross(mesh.nodes[t[2]] - o));
  return sum / 6;
}

bool orient_outwards(TriMesh& mesh) {
  if (enclosed_volume(mesh) >= 0) return false;
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return true;
}

}  // namespace limber
