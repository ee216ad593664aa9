#include "limber/mesh/winding.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

namespace limber {
namespace {

constexpr double dipole_reach = 2;  // [radius]

std::vector<Box3> boxes_of(const TriMesh& mesh) {
  std::vector<Box3> boxes;
  for (const auto& t : mesh.triangles) {
    const Vec3 &a = mesh.nodes[t[0]], &b = mesh.nodes[t[1]], &c = mesh.nodes[t[2]];
    boxes.push_back({a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)});
  }
  return boxes;
}

}  // namespace

double solid_angle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 u = a - x, v = b - x, w = c - x;
  const double lu = u.norm(), lv = v.norm(), lw = w.norm();
  const double below = lu * lv * lw + u.dot(v) * lw + v.dot(w) * lu + w.dot(u) * lv;
  return std::atan2(u.dot(v.cross(w)), below) / (2 * std::numbers::pi);
}

WindingTree::WindingTree(TriMesh mesh) : mesh_(std::move(mesh)), tree_(boxes_of(mesh_)) {
  for (std::size_t i = 0; i < tree_.nodes().size(); ++i) dipoles_.push_back(dipole(static_cast<int>(i)));
}

WindingTree::Dipole WindingTree::dipole(int node) const {
  const auto [first, last] = tree_.slots(node);
  Dipole d;
  double total = 0;
  for (int k = first; k < last; ++k) {
    const auto& t = mesh_.triangles[tree_.item(k)];
    const Vec3 &a = mesh_.nodes[t[0]], &b = mesh_.nodes[t[1]], &c = mesh_.nodes[t[2]];
    const Vec3 area = (b - a).cross(c - a) / 2;
    d.area += area;
    d.centre += area.norm() * (a + b + c) / 3;
    total += area.norm();
  }
  const Bounds& box = tree_.nodes()[node].box;
  if (total > 0)
    d.centre /= total;
  else
    for (int c = 0; c < 3; ++c) d.centre[c] = (box.low[c] + box.high[c]) / 2;
  for (int k = first; k < last; ++k)
    for (const int i : mesh_.triangles[tree_.item(k)])
      d.radius = std::max(d.radius, (mesh_.nodes[i] - d.centre).norm());
  return d;
}

double WindingTree::winding(const Vec3& x) const {
  double w = 0;
  int open[BoxTree::max_depth], height = 0;
  open[height++] = 0;
  while (height > 0) {
    const int at = open[--height];
    const BoxTree::Node& node = tree_.nodes()[at];
    const Dipole& d = dipoles_[at];
    const Vec3 r = d.centre - x;
    const double l = r.norm();
    if (l > dipole_reach * d.radius) {
      if (l > 0) w += d.area.dot(r) / (4 * std::numbers::pi * l * l * l);
    } else if (node.count == 0) {
      open[height++] = node.link;
      open[height++] = at + 1;
    } else {
      for (int k = node.link; k < node.link + node.count; ++k) {
        const auto& t = mesh_.triangles[tree_.item(k)];
        w += solid_angle(x, mesh_.nodes[t[0]], mesh_.nodes[t[1]], mesh_.nodes[t[2]]);
      }
    }
  }
  return w;
}

double WindingTree::distance(const Vec3& x, double within) const {
  const auto to = [&](int i) {
    const auto& t = mesh_.triangles[i];
    return (nearest_in_triangle(x, mesh_.nodes[t[0]], mesh_.nodes[t[1]], mesh_.nodes[t[2]]) - x).norm();
  };
  return tree_.nearest(x, to, within).distance;
}

}  // namespace limber
