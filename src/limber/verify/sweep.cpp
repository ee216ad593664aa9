#include "limber/verify/sweep.hpp"

#include <algorithm>
#include <utility>

namespace limber {
namespace {

double variance(const std::vector<SweepBox>& boxes, int axis) {
  double sum = 0, squares = 0;
  for (const SweepBox& b : boxes) {
    const double middle = (b.low[axis] - boxes[0].low[axis]) + (b.high[axis] - boxes[0].low[axis]);
    sum += middle;
    squares += middle * middle;
  }
  const auto n = static_cast<double>(boxes.size());
  return squares / n - (sum / n) * (sum / n);
}

}  // namespace

SweepBox box_around(const std::vector<Vec3>& points, int item, double margin) {
  Vec3 low = points[0], high = points[0];
  for (const Vec3& p : points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  return {{low[0] - margin, low[1] - margin, low[2] - margin},
          {high[0] + margin, high[1] + margin, high[2] + margin},
          item};
}

bool overlap(const SweepBox& a, const SweepBox& b) {
  for (std::size_t k = 0; k < 3; ++k)
    if (a.low[k] > b.high[k] || b.low[k] > a.high[k]) return false;
  return true;
}

Sweep::Sweep(std::vector<SweepBox> boxes) : boxes_(std::move(boxes)) {
  if (boxes_.empty()) return;
  for (int k = 1; k < 3; ++k)
    if (variance(boxes_, k) > variance(boxes_, axis_)) axis_ = k;
  std::sort(boxes_.begin(), boxes_.end(), [this](const SweepBox& a, const SweepBox& b) {
    return std::pair(a.low[axis_], a.item) < std::pair(b.low[axis_], b.item);
  });
}

}  // namespace limber
