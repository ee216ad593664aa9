#include "limber/mesh/curve_boundary.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <map>

#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"
#include "limber/mesh/box_tree.hpp"

namespace limber {
namespace {

constexpr double reach = 0.25;  // [edge]
constexpr double least = 0.1;   // of the straight element's volume

double det(const Vec3& a, const Vec3& b, const Vec3& c) { return a.dot(b.cross(c)); }

/// The least of det ∂X/∂ξ at the corners and of the eightfold volumes of the eight linear parts, over the straight det.
double soundness(const ElementMesh& mesh, std::size_t e) {
  const auto n = mesh.element(e);
  const auto x = [&](int i) -> const Vec3& { return mesh.nodes[ix(n[ix(i)])]; };
  const double whole = det(x(1) - x(0), x(2) - x(0), x(3) - x(0));
  // The middle between two corners.
  static constexpr int middle[4][4] = {{-1, 4, 6, 7}, {4, -1, 5, 8}, {6, 5, -1, 9}, {7, 8, 9, -1}};
  static constexpr int around[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  double worst = 1;
  for (int a = 0; a < 4; ++a) {
    Vec3 along[3];
    for (int k = 0; k < 3; ++k) {
      const int b = around[a][k];
      along[k] = 4 * x(middle[a][b]) - 3 * x(a) - x(b);
    }
    worst = std::min(worst, det(along[0], along[1], along[2]) / whole);
  }
  for (const auto& t : element_type(mesh.kind).pieces)
    worst = std::min(worst, 8 * det(x(t[1]) - x(t[0]), x(t[2]) - x(t[0]), x(t[3]) - x(t[0])) / whole);
  return worst;
}

struct Pull {
  int node;
  Vec3 straight, full;  // where it is, and the way to the surface [m]
  double share = 1;     // of the way that it goes
};

}  // namespace

Curved curve_boundary(ElementMesh& mesh, const TriMesh& surface) {
  std::vector<Box3> boxes;
  for (const auto& t : surface.triangles)
    boxes.push_back(bounding_box({surface.nodes[ix(t[0])], surface.nodes[ix(t[1])], surface.nodes[ix(t[2])]}));
  const BoxTree tree(boxes);
  const auto nearest = [&](const Vec3& x, int triangle) {
    const auto& t = surface.triangles[ix(triangle)];
    return nearest_in_triangle(x, surface.nodes[ix(t[0])], surface.nodes[ix(t[1])], surface.nodes[ix(t[2])]);
  };

  const ElementType& type = element_type(mesh.kind);
  TetMesh corners;
  corners.nodes = mesh.nodes;
  std::map<std::array<int, 2>, int> middle_of;
  for (std::size_t e = 0; e < mesh.count(); ++e) {
    const auto n = mesh.element(e);
    corners.tets.push_back({n[0], n[1], n[2], n[3]});
    for (std::size_t k = 0; k < 6; ++k) {
      const int a = n[ix(type.edges[k][0])], b = n[ix(type.edges[k][1])];
      middle_of[{std::min(a, b), std::max(a, b)}] = n[4 + k];
    }
  }
  Curved result;
  std::map<int, Pull> pulls;
  for (const auto& t : boundary_triangles(corners))
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = std::min(t[k], t[(k + 1) % 3]), b = std::max(t[k], t[(k + 1) % 3]), m = middle_of.at({a, b});
      if (pulls.count(m)) continue;
      const Vec3 x = mesh.nodes[ix(m)];
      const double limit = reach * (mesh.nodes[ix(a)] - mesh.nodes[ix(b)]).norm();
      const auto hit = tree.nearest(
          x, [&](int i) { return (nearest(x, i) - x).norm(); }, limit);
      Pull pull{m, x, Vec3::Zero()};
      if (hit.item >= 0)
        pull.full = nearest(x, hit.item) - x;
      else
        ++result.far;
      pulls.emplace(m, pull);
    }
  for (const auto& [m, pull] : pulls) mesh.nodes[ix(m)] = pull.straight + pull.full;

  // An element that is not sound takes its middles half of the way back, which changes its neighbours too.
  std::vector<std::size_t> open(mesh.count());
  for (std::size_t e = 0; e < open.size(); ++e) open[e] = e;
  for (int round = 0; !open.empty(); ++round) {
    std::vector<int> back;
    for (const std::size_t e : open)
      if (soundness(mesh, e) < least)
        for (const int i : mesh.element(e))
          if (pulls.count(i)) back.push_back(i);
    std::sort(back.begin(), back.end());
    back.erase(std::unique(back.begin(), back.end()), back.end());
    for (const int i : back) {
      Pull& pull = pulls.at(i);
      pull.share = round < 6 ? pull.share / 2 : 0;
      mesh.nodes[ix(i)] = pull.straight + pull.share * pull.full;
    }
    open.clear();
    for (std::size_t e = 0; e < mesh.count() && !back.empty(); ++e)
      if (const auto n = mesh.element(e);
          std::any_of(n.begin(), n.end(), [&](int i) { return std::binary_search(back.begin(), back.end(), i); }))
        open.push_back(e);
  }
  for (const auto& [m, pull] : pulls) ++(pull.share < 1 ? result.held_back : result.moved);
  result.moved -= result.far;
  return result;
}

}  // namespace limber
