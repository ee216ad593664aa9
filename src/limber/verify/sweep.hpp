#pragma once  // internal
/// Pairs of boxes that overlap, by sorting along one axis and sweeping over it.

#include <array>
#include <vector>

#include "limber/core/types.hpp"

namespace limber {

struct SweepBox {
  std::array<double, 3> low, high;  // [m]
  int item = 0;
};

/// The smallest box of the points, and `margin` [m] more on all sides. `points`: at least one.
SweepBox box_around(const std::vector<Vec3>& points, int item, double margin = 0);
/// Closed boxes: touching counts.
bool overlap(const SweepBox& a, const SweepBox& b);

/// Sorts the boxes along the axis in which they spread most.
class Sweep {
 public:
  explicit Sweep(std::vector<SweepBox> boxes);

  Index size() const { return static_cast<Index>(boxes_.size()); }

  /// visit(a, b) for the items that overlap box i of the sorted list and come after it: over all i, each pair once.
  template <class Visit>
  void visit_after(Index i, const Visit& visit) const {
    const SweepBox& a = boxes_[static_cast<std::size_t>(i)];
    const int u = (axis_ + 1) % 3, v = (axis_ + 2) % 3;
    for (std::size_t j = static_cast<std::size_t>(i) + 1; j < boxes_.size(); ++j) {
      const SweepBox& b = boxes_[j];
      if (b.low[axis_] > a.high[axis_]) break;
      if (a.low[u] <= b.high[u] && b.low[u] <= a.high[u] && a.low[v] <= b.high[v] && b.low[v] <= a.high[v])
        visit(a.item, b.item);
    }
  }

 private:
  std::vector<SweepBox> boxes_;
  int axis_ = 0;
};

}  // namespace limber
