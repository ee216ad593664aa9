#include "limber/mesh/soup_tree.hpp"

#include <Eigen/Geometry>
#include <algorithm>

namespace limber {
namespace {

constexpr int leaf_size = 4;

Vec3 nearest_in_segment(const Vec3& x, const Vec3& a, const Vec3& b) {
  const Vec3 ab = b - a;
  const double l2 = ab.squaredNorm();
  return l2 > 0 ? Vec3(a + std::clamp((x - a).dot(ab) / l2, 0., 1.) * ab) : a;
}

}  // namespace

BoxTree::BoxTree(std::vector<Box3> boxes) : boxes_(std::move(boxes)), order_(boxes_.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  nodes_.reserve(boxes_.size());
  build(0, static_cast<int>(boxes_.size()));
}

int BoxTree::build(int first, int count) {
  const int at = static_cast<int>(nodes_.size());
  Box3 box = boxes_[order_[first]], middles{Vec3::Constant(1e300), Vec3::Constant(-1e300)};
  for (int k = first; k < first + count; ++k) {
    const Box3& b = boxes_[order_[k]];
    box = {box.min.cwiseMin(b.min), box.max.cwiseMax(b.max)};
    const Vec3 middle = (b.min + b.max) / 2;
    middles = {middles.min.cwiseMin(middle), middles.max.cwiseMax(middle)};
  }
  nodes_.push_back({box, first, count, 0});
  if (count <= leaf_size) return at;
  int axis = 0;
  (middles.max - middles.min).maxCoeff(&axis);
  const int half = count / 2;
  const auto begin = order_.begin() + first;
  std::nth_element(begin, begin + half, begin + count, [&](int i, int j) {
    const double x = boxes_[i].min[axis] + boxes_[i].max[axis], y = boxes_[j].min[axis] + boxes_[j].max[axis];
    return x < y || (x == y && i < j);
  });
  build(first, half);
  const int right = build(first + half, count - half);
  nodes_[at].right = right;
  return at;
}

Vec3 nearest_in_triangle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 n = (b - a).cross(c - a);
  const double n2 = n.squaredNorm();
  if (n2 > 0) {
    const double u = (c - b).cross(x - b).dot(n), v = (a - c).cross(x - c).dot(n), w = (b - a).cross(x - a).dot(n);
    if (u >= 0 && v >= 0 && w >= 0) return x - n * ((x - a).dot(n) / n2);
  }
  Vec3 best = nearest_in_segment(x, a, b);
  for (const Vec3& p : {nearest_in_segment(x, b, c), nearest_in_segment(x, c, a)})
    if ((p - x).squaredNorm() < (best - x).squaredNorm()) best = p;
  return best;
}

}  // namespace limber
