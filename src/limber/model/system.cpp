#include "limber/model/system.hpp"

#include <algorithm>
#include <cmath>

namespace limber {

double System::reach(const Vector& q, double from, double to) const {
  if (contact() == nullptr || !time_dependent() || from == to) return to;
  const Vector still = Vector::Zero(q.size());
  // What is prescribed moves along curves, but their chords serve: what counts is that both ends are joined without
  // harm.
  for (double t = to; std::abs(t - from) > 1e-9 * std::abs(to - from);) {
    const double s = max_step(q, still, from, t);
    if (s >= 1) return t;
    t = from + std::min(.9 * s, .5) * (t - from);
  }
  return from;
}

}  // namespace limber
