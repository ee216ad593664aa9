#include "limber/record/resample.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace limber {

std::vector<double> times_at_rate(double first, double last, double fps) {
  const auto count = static_cast<long>(std::floor((last - first) * fps * (1 + 1e-9) + 1e-9)) + 1;
  std::vector<double> times;
  for (long k = 0; k < count; ++k) times.push_back(std::min(last, first + static_cast<double>(k) / fps));
  return times;
}

Frame frame_at(const TrajectoryReader& trajectory, const std::vector<double>& stored, double t) {
  const auto after = std::upper_bound(stored.begin(), stored.end(), t);
  if (after == stored.begin()) return trajectory.frame(0);
  const long k = after - stored.begin() - 1;
  Frame frame = trajectory.frame(k);
  const double start = stored[static_cast<std::size_t>(k)];
  if (after == stored.end() || t == start) return frame;
  const Frame next = trajectory.frame(k + 1);
  const double part = (t - start) / (*after - start);
  frame.q += part * (next.q - frame.q);
  frame.v += part * (next.v - frame.v);
  frame.t = t;
  return frame;
}

Vector difference_velocities(const TrajectoryReader& trajectory, const std::vector<double>& stored, double t) {
  assert(stored.size() > 1);
  const auto before = std::lower_bound(stored.begin(), stored.end(), t);
  const auto after = std::upper_bound(stored.begin(), stored.end(), t);
  const long a = std::max<long>(before - stored.begin() - 1, 0);
  const long b = std::min<long>(after - stored.begin(), static_cast<long>(stored.size()) - 1);
  return (trajectory.frame(b).q - trajectory.frame(a).q) /
         (stored[static_cast<std::size_t>(b)] - stored[static_cast<std::size_t>(a)]);
}

}  // namespace limber
