#include "limber/scene/run/frame_plan.hpp"

#include <cmath>

namespace limber {

State between(const State& a, const State& b, double t) {
  const double h = b.t - a.t, s = (t - a.t) / h;
  if (std::abs(t - b.t) <= 1e-9 * h) return b;
  if (std::abs(t - a.t) <= 1e-9 * h) return a;
  const double s2 = s * s, s3 = s2 * s;
  State u;
  u.q = (2 * s3 - 3 * s2 + 1) * a.q + (s3 - 2 * s2 + s) * h * a.v + (3 * s2 - 2 * s3) * b.q + (s3 - s2) * h * b.v;
  u.v = (6 * s2 - 6 * s) / h * a.q + (3 * s2 - 4 * s + 1) * a.v + (6 * s - 6 * s2) / h * b.q + (3 * s2 - 2 * s) * b.v;
  u.t = t;
  return u;
}

}  // namespace limber
