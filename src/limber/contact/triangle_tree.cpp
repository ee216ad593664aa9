#include "limber/contact/triangle_tree.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "limber/contact/distance.hpp"

namespace limber {

namespace {

constexpr int leaf_size = 4;
constexpr int max_depth = 64;  // halving 2³¹ triangles takes half of that
constexpr double far = 2;      // radii from which a group of triangles may act as one dipole

double distance2(const Box3& box, const Vec3& x) {
  return (box.min - x).cwiseMax(x - box.max).cwiseMax(0).squaredNorm();
}

/// Of the triangle abc seen from the origin (van Oosterom and Strackee): tan(Ω/2) = a·(b×c) / (…).
double solid_angle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double A = a.norm(), B = b.norm(), C = c.norm();
  const double across = a.dot(b.cross(c)), along = A * B * C + a.dot(b) * C + b.dot(c) * A + c.dot(a) * B;
  return across == 0 && along <= 0 ? 0 : 2 * std::atan2(across, along);
}

}  // namespace

TriangleTree::TriangleTree(const TriMesh& mesh) {
  triangles_.reserve(mesh.triangles.size());
  for (const auto& t : mesh.triangles) triangles_.push_back({mesh.nodes[t[0]], mesh.nodes[t[1]], mesh.nodes[t[2]]});
  nodes_.reserve(triangles_.size());
  build(0, static_cast<int>(triangles_.size()));
}

void TriangleTree::summarize(Node& node) const {
  const auto begin = triangles_.begin() + node.first, end = begin + node.count;
  node.box = {(*begin)[0], (*begin)[0]};
  Vec3 moment = Vec3::Zero();
  double total = 0;
  for (auto t = begin; t != end; ++t) {
    const auto& [a, b, c] = *t;
    for (const Vec3& x : *t) node.box = {node.box.min.cwiseMin(x), node.box.max.cwiseMax(x)};
    const Vec3 area = (b - a).cross(c - a) / 2;
    node.area += area;
    moment += area.norm() * (a + b + c) / 3;
    total += area.norm();
  }
  node.centre = total > 0 ? Vec3(moment / total) : Vec3((node.box.min + node.box.max) / 2);
  for (auto t = begin; t != end; ++t)
    for (const Vec3& x : *t) node.radius = std::max(node.radius, (x - node.centre).norm());
}

int TriangleTree::build(int first, int count) {
  const int self = static_cast<int>(nodes_.size());
  Node node;
  node.first = first;
  node.count = count;
  summarize(node);
  nodes_.push_back(node);
  if (count <= leaf_size) return self;
  Eigen::Index axis;
  (node.box.max - node.box.min).maxCoeff(&axis);
  const auto begin = triangles_.begin() + first;
  const auto middle = [axis](const Corners& t) { return t[0][axis] + t[1][axis] + t[2][axis]; };
  std::nth_element(begin, begin + count / 2, begin + count,
                   [&](const Corners& s, const Corners& t) { return middle(s) < middle(t); });
  build(first, count / 2);
  const int right = build(first + count / 2, count - count / 2);
  nodes_[static_cast<std::size_t>(self)].right = right;
  return self;
}

TriangleTree::Hit TriangleTree::nearest(const Vec3& x, int guess) const {
  const auto squared = [&](int i) {
    const auto& [a, b, c] = triangles_[static_cast<std::size_t>(i)];
    return point_triangle_distance2(x, a, b, c);
  };
  double best = squared(guess);
  int triangle = guess;
  struct Entry {
    int node;
    double d2;
  };
  std::array<Entry, max_depth + 2> stack;
  std::size_t size = 0;
  stack[size++] = {0, distance2(nodes_[0].box, x)};
  while (size > 0) {
    const Entry entry = stack[--size];
    if (entry.d2 >= best) continue;
    const Node& node = nodes_[static_cast<std::size_t>(entry.node)];
    if (node.right == 0) {
      for (int i = node.first; i < node.first + node.count; ++i) {
        const double d2 = squared(i);
        if (d2 >= best) continue;
        best = d2;
        triangle = i;
      }
      continue;
    }
    Entry near{entry.node + 1, distance2(nodes_[static_cast<std::size_t>(entry.node) + 1].box, x)};
    Entry other{node.right, distance2(nodes_[static_cast<std::size_t>(node.right)].box, x)};
    if (other.d2 < near.d2) std::swap(near, other);
    stack[size++] = other;
    stack[size++] = near;
  }
  return {std::sqrt(best), triangle};
}

double TriangleTree::winding(const Vec3& x) const {
  double sum = 0;
  std::array<int, max_depth + 2> stack;
  std::size_t size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const int index = stack[--size];
    const Node& node = nodes_[static_cast<std::size_t>(index)];
    const Vec3 to = node.centre - x;
    const double d = to.norm();
    if (d > far * node.radius) {
      sum += node.area.dot(to) / (d * d * d);
    } else if (node.right == 0) {
      for (int i = node.first; i < node.first + node.count; ++i) {
        const auto& [a, b, c] = triangles_[static_cast<std::size_t>(i)];
        sum += solid_angle(a - x, b - x, c - x);
      }
    } else {
      stack[size++] = node.right;
      stack[size++] = index + 1;
    }
  }
  return sum / (4 * std::numbers::pi);
}

}  // namespace limber
