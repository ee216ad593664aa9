#include "limber/mesh/tet_mesh.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "limber/core/errors.hpp"
#include "limber/mesh/cell_checks.hpp"
#include "limber/mesh/single_faces.hpp"

namespace limber {
namespace {

using Tet = std::array<int, 4>;

double signed_volume(const std::vector<Vec3>& x, const Tet& t) {
  const Vec3 &a = x[t[0]], &b = x[t[1]], &c = x[t[2]], &d = x[t[3]];
  return (b - a).cross(c - a).dot(d - a) / 6;
}

double longest_edge(const std::vector<Vec3>& x, const Tet& t) {
  double longest = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j) longest = std::max(longest, (x[t[i]] - x[t[j]]).norm());
  return longest;
}

}  // namespace

double signed_volume(const TetMesh& mesh, std::size_t t) { return signed_volume(mesh.nodes, mesh.tets[t]); }

double volume(const TetMesh& mesh) {
  double sum = 0;
  for (const Tet& t : mesh.tets) sum += std::abs(signed_volume(mesh.nodes, t));
  return sum;
}

Box3 bounding_box(const std::vector<Vec3>& nodes) {
  if (nodes.empty()) return {Vec3::Zero(), Vec3::Zero()};
  Box3 box{nodes.front(), nodes.front()};
  for (const Vec3& x : nodes) {
    box.min = box.min.cwiseMin(x);
    box.max = box.max.cwiseMax(x);
  }
  return box;
}

std::vector<std::array<int, 3>> boundary_triangles(const TetMesh& mesh) {
  // Outward for a positively oriented tetrahedron.
  constexpr int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  std::vector<std::array<int, 3>> all(4 * mesh.tets.size());
  for (std::size_t id = 0; id < all.size(); ++id) {
    const Tet& t = mesh.tets[id / 4];
    const auto& f = faces[id % 4];
    all[id] = {t[f[0]], t[f[1]], t[f[2]]};
  }
  std::vector<std::array<int, 3>> triangles;
  for (const std::size_t id : single_faces(all)) triangles.push_back(all[id]);
  return triangles;
}

std::vector<std::array<int, 2>> edges(const TetMesh& mesh) {
  std::vector<std::array<int, 2>> all;
  all.reserve(6 * mesh.tets.size());
  for (const Tet& t : mesh.tets)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < i; ++j) all.push_back({std::min(t[i], t[j]), std::max(t[i], t[j])});
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

MeshNotes check_and_orient(TetMesh& mesh, const std::string& where) {
  check_cells(mesh, mesh.tets, {"tetrahedron", "tetrahedra"}, where);
  std::size_t flat = 0, first = 0;
  std::vector<std::size_t> negative;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const double V = signed_volume(mesh, t), L = longest_edge(mesh.nodes, mesh.tets[t]);
    // Written so that an overflow to NaN counts as flat too.
    if (!(std::abs(V) > 1e-14 * L * L * L)) {
      if (flat++ == 0) first = t;
    } else if (V < 0) {
      negative.push_back(t);
    }
  }
  if (flat > 0)
    throw InputError(where, fmt::format("{} of {} tetrahedra have zero volume; the first is tetrahedron {} (nodes {})",
                                        flat, mesh.tets.size(), first, listed(mesh.tets[first])));
  for (const std::size_t t : negative) std::swap(mesh.tets[t][2], mesh.tets[t][3]);
  return {negative.size()};
}

}  // namespace limber
