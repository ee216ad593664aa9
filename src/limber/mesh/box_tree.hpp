#pragma once
/// A binary tree of axis-aligned boxes over numbered items (points, edges, triangles, tetrahedra). The upper levels
/// separate objects, the lower ones split the items of one object at the median of their centres. So a leaf holds items
/// of one object only, and objects that may not collide are pruned near the root. Boxes can be refitted without
/// changing the tree. Queries on one tree: the nearest item, the items that meet a box. On two trees, pairs:
/// contact/geometry/tree_pairs.hpp.

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/mesh/tet_mesh.hpp"

namespace limber {

struct Bounds {
  std::array<double, 3> low{unbounded(), unbounded(), unbounded()};  // [m]; initially empty
  std::array<double, 3> high{-unbounded(), -unbounded(), -unbounded()};

  Bounds() = default;
  Bounds(const std::array<double, 3>& from, const std::array<double, 3>& to) : low(from), high(to) {}
  Bounds(const Box3& box)  // NOLINT(google-explicit-constructor): it is the same thing
      : low{box.min.x(), box.min.y(), box.min.z()}, high{box.max.x(), box.max.y(), box.max.z()} {}
  static constexpr double unbounded() { return std::numeric_limits<double>::infinity(); }

  void include(const Bounds& other) {
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], other.low[k]);
      high[k] = std::max(high[k], other.high[k]);
    }
  }
};

/// Closed boxes: touching counts as overlap.
inline bool overlap(const Bounds& a, const Bounds& b) {
  int all = 1;  // branch-free
  for (int k = 0; k < 3; ++k) {
    all &= static_cast<int>(a.low[k] <= b.high[k]);
    all &= static_cast<int>(b.low[k] <= a.high[k]);
  }
  return all != 0;
}

class BoxTree {
 public:
  static constexpr int max_leaf = 8;    // items
  static constexpr int max_depth = 64;  // each level halves the items, and their number is an int

  struct Node {
    Bounds box;
    int link = 0;     // inner node: its right child (the left one is the next node); leaf: its first slot
    int count = 0;    // number of slots of a leaf; 0 for inner nodes
    int object = -1;  // the object of all items below; −1: several
  };
  struct Hit {
    double distance = std::numeric_limits<double>::infinity();  // [m]
    int item = -1;
  };

  BoxTree() = default;
  /// For the items of one object, with smaller leaves: for queries in which items cost more than boxes.
  explicit BoxTree(const std::vector<Box3>& boxes);

  /// boxes and objects of the items. The tree may be empty.
  void build(const std::vector<Bounds>& boxes, const std::vector<int>& objects);
  /// New boxes for the same items.
  void refit(const std::vector<Bounds>& boxes);
  /// Σ surface area of the nodes' boxes [m²], each first shrunk by `shrink` [m] on every side.
  double surface_area(double shrink) const;

  const std::vector<Node>& nodes() const { return nodes_; }  // parents before children; the root first
  const int& item(int slot) const { return items_[static_cast<std::size_t>(slot)]; }
  const Bounds& item_box(int slot) const { return boxes_[static_cast<std::size_t>(slot)]; }
  bool empty() const { return nodes_.empty(); }
  /// The slots of all items below a node: [first, second).
  std::pair<int, int> slots(int node) const;

  static double distance(const Bounds& box, const Vec3& x) {
    Vec3 d;
    for (int k = 0; k < 3; ++k) d[k] = std::max({box.low[k] - x[k], x[k] - box.high[k], 0.0});
    return d.norm();
  }

  /// The item with the smallest distance_to(item) ≥ 0 from x, which must not be less than the distance to its box; none
  /// beyond `within`. Of equally near items the first one wins, independent of the traversal. The tree must not be
  /// empty.
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
      if (node.count > 0) {
        for (int slot = node.link; slot < node.link + node.count; ++slot) {
          const int i = item(slot);
          const double d = distance_to(i);
          if (d < best.distance || (d == best.distance && (best.item < 0 || i < best.item))) best = {d, i};
        }
        continue;
      }
      std::pair<double, int> a{distance(nodes_[at + 1].box, x), at + 1};
      std::pair<double, int> b{distance(nodes_[node.link].box, x), node.link};
      if (a.first < b.first) std::swap(a, b);
      open[height++] = a;
      open[height++] = b;
    }
    return best;
  }

  /// Calls visit(item) for items whose boxes meet `box` until a call returns true; returns whether one did.
  template <class Visit>
  bool any_meeting(const Bounds& box, const Visit& visit) const {
    std::vector<int> open{0};
    while (!open.empty()) {
      const int at = open.back();
      open.pop_back();
      const Node& node = nodes_[at];
      if (!overlap(node.box, box)) continue;
      if (node.count == 0) {
        open.push_back(node.link);
        open.push_back(at + 1);
        continue;
      }
      for (int slot = node.link; slot < node.link + node.count; ++slot)
        if (overlap(item_box(slot), box) && visit(item(slot))) return true;
    }
    return false;
  }

 private:
  struct Builder;

  std::vector<Node> nodes_;
  std::vector<int> items_;     // per slot, in the order of the leaves
  std::vector<Bounds> boxes_;  // per slot
  int leaf_ = max_leaf;
};

/// The point of the triangle a, b, c nearest to x; degenerate triangles are allowed.
Vec3 nearest_in_triangle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace limber
