#pragma once
/// A tree of boxes over numbered things in space: which of them is nearest, which of them a box meets. The answers do
/// not depend on the order in which the tree is walked: of things at the same distance, the first one counts.

#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/mesh/tet_mesh.hpp"

namespace limber {

class BoxTree {
 public:
  struct Node {
    Box3 box;
    int first = 0, count = 0;  // its things are order()[first] and on
    int right = 0;             // the right child, the left one being the next node; 0: leaf
  };
  struct Hit {
    double distance = std::numeric_limits<double>::infinity();  // [m]
    int item = -1;
  };

  static constexpr int max_depth = 64;  // each level halves the things, and their number is an int

  /// One box a thing; at least one.
  explicit BoxTree(std::vector<Box3> boxes);

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<int>& order() const { return order_; }

  static double distance(const Box3& box, const Vec3& x) {
    return (box.min - x).cwiseMax(x - box.max).cwiseMax(0.0).norm();
  }

  /// The thing with the least distance(item) ≥ 0 from x, which is never less than that of its box; none beyond
  /// `within`.
  template <class Distance>
  Hit nearest(const Vec3& x, const Distance& distance_to,
              double within = std::numeric_limits<double>::infinity()) const {
    Hit best{within, -1};
    std::pair<double, int> open[max_depth];
    int height = 0;
    open[height++] = {distance(nodes_[0].box, x), 0};
    while (height > 0) {
      const auto [far, at] = open[--height];
      if (far > best.distance) continue;
      const Node& node = nodes_[at];
      if (node.right == 0) {
        for (int k = node.first; k < node.first + node.count; ++k) {
          const int item = order_[k];
          const double d = distance_to(item);
          if (d < best.distance || (d == best.distance && (best.item < 0 || item < best.item))) best = {d, item};
        }
        continue;
      }
      std::pair<double, int> a{distance(nodes_[at + 1].box, x), at + 1};
      std::pair<double, int> b{distance(nodes_[node.right].box, x), node.right};
      if (a.first < b.first) std::swap(a, b);
      open[height++] = a;
      open[height++] = b;
    }
    return best;
  }

  /// Calls visit(item) for all things whose boxes meet `box`, until one returns true; whether one did.
  template <class Visit>
  bool any_meeting(const Box3& box, const Visit& visit) const {
    std::vector<int> open{0};
    while (!open.empty()) {
      const int at = open.back();
      open.pop_back();
      const Node& node = nodes_[at];
      if (!meet(node.box, box)) continue;
      if (node.right != 0) {
        open.push_back(node.right);
        open.push_back(at + 1);
        continue;
      }
      for (int k = node.first; k < node.first + node.count; ++k)
        if (meet(boxes_[order_[k]], box) && visit(order_[k])) return true;
    }
    return false;
  }

 private:
  static bool meet(const Box3& a, const Box3& b) {
    return (a.min.array() <= b.max.array()).all() && (b.min.array() <= a.max.array()).all();
  }
  int build(int first, int count);

  std::vector<Box3> boxes_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
};

/// The point of the triangle a, b, c that is nearest to x; flat triangles are fine.
Vec3 nearest_in_triangle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace limber
