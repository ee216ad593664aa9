#include "limber/mesh/embed.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>

#include "limber/core/parallel.hpp"
#include "limber/mesh/box_tree.hpp"

namespace limber {
namespace {

/// det(b − a, c − a, d − a) of each face with x, over that of the tetrahedron.
std::array<double, 4> weights_of(const Vec3& x, const TetMesh& mesh, int t) {
  const auto& n = mesh.tets[t];
  const Vec3 &a = mesh.nodes[n[0]], &b = mesh.nodes[n[1]], &c = mesh.nodes[n[2]], &d = mesh.nodes[n[3]];
  const Vec3 u = b - a, v = c - a, w = d - a, r = x - a;
  const double det = u.dot(v.cross(w));
  const double wb = r.dot(v.cross(w)) / det, wc = u.dot(r.cross(w)) / det, wd = u.dot(v.cross(r)) / det;
  return {1 - wb - wc - wd, wb, wc, wd};
}

double distance_to(const Vec3& x, const TetMesh& mesh, int t) {
  const auto w = weights_of(x, mesh, t);
  if (*std::min_element(w.begin(), w.end()) >= 0) return 0;
  double best = std::numeric_limits<double>::infinity();
  const auto& n = mesh.tets[t];
  for (int k = 0; k < 4; ++k) {
    const Vec3 p =
        nearest_in_triangle(x, mesh.nodes[n[(k + 1) % 4]], mesh.nodes[n[(k + 2) % 4]], mesh.nodes[n[(k + 3) % 4]]);
    best = std::min(best, (p - x).norm());
  }
  return best;
}

BoxTree tree_over(const TetMesh& mesh) {
  std::vector<Box3> boxes;
  for (const auto& n : mesh.tets) {
    const Vec3 &a = mesh.nodes[n[0]], &b = mesh.nodes[n[1]], &c = mesh.nodes[n[2]], &d = mesh.nodes[n[3]];
    boxes.push_back({a.cwiseMin(b).cwiseMin(c).cwiseMin(d), a.cwiseMax(b).cwiseMax(c).cwiseMax(d)});
  }
  return BoxTree(boxes);
}

}  // namespace

Embedding embed(const std::vector<Vec3>& points, const TetMesh& mesh) {
  assert(!mesh.tets.empty());
  const BoxTree tree = tree_over(mesh);
  Embedding e;
  e.tet.resize(points.size());
  e.nodes.resize(points.size());
  e.weights.resize(points.size());
  std::vector<double> distance(points.size());
  parallel_for(static_cast<Index>(points.size()), [&](Index i) {
    const BoxTree::Hit hit = tree.nearest(points[i], [&](int t) { return distance_to(points[i], mesh, t); });
    e.tet[i] = hit.item;
    e.nodes[i] = mesh.tets[hit.item];
    e.weights[i] = weights_of(points[i], mesh, hit.item);
    distance[i] = hit.distance;
  });
  for (const double d : distance) e.farthest = std::max(e.farthest, d);
  return e;
}

std::vector<Vec3> deform(const Embedding& embedding, const Vector& q) {
  std::vector<Vec3> x(embedding.nodes.size());
  parallel_for(static_cast<Index>(x.size()), [&](Index i) {
    x[i].setZero();
    for (int k = 0; k < 4; ++k) x[i] += embedding.weights[i][k] * q.segment<3>(3 * embedding.nodes[i][k]);
  });
  return x;
}

std::vector<Vec3> deform(const Embedding& embedding, const std::vector<Vec3>& nodes) {
  static_assert(sizeof(Vec3) == 3 * sizeof(double));
  return deform(embedding,
                Vector(Eigen::Map<const Vector>(nodes.data()->data(), 3 * static_cast<Index>(nodes.size()))));
}

}  // namespace limber
