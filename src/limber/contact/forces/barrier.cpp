#include "limber/contact/forces/barrier.hpp"

#include <cmath>
#include <limits>

// Compiled once: a copy in a room that is compiled with other options could differ in its last bit, and the linker
// would take either.
namespace limber {

Jet barrier(double x, double delta) {
  if (!(x < delta)) return {x >= delta ? 0 : x, 0, 0};  // NaN stays NaN
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (x <= 0) return {infinity, -infinity, infinity};
  const double u = x - delta, ratio = x / delta;
  // x − δ is exact above δ/2, and log1p keeps its digits; a quotient that underflows is split instead.
  const double log = ratio > 0.5      ? std::log1p(u / delta)
                     : ratio > 1e-280 ? std::log(ratio)
                                      : std::log(x) - std::log(delta);
  const double v = u / x;
  // u, v and the logarithm are all negative: no sum below cancels.
  return {-u * (u * log), -u * (2 * log + v), -2 * log - 4 * v + v * v};
}

Jet friction_smoothing(double x, double eps) {
  if (!(x < eps)) return {x >= eps ? 1 : x, 0, 0};
  const double r = x / eps;
  return {r * (2 - r), 2 * ((eps - x) / eps) / eps, -2 / eps / eps};
}

double friction_potential(double x, double eps) {
  if (!(x < eps)) return x - eps / 3;
  const double r = x / eps;
  return x * r * (1 - r / 3);
}

double friction_factor(double x, double eps) { return x < eps ? (2 - x / eps) / eps : 1 / x; }

double friction_factor_slope(double x, double eps) {
  const double y = x < eps ? eps : x;
  return -1 / y / y;
}

}  // namespace limber
