#pragma once
/// Barrier of a distance x [m] and smoothed friction of a sliding speed x [m/s], with their derivatives:
///   b(x; δ) = −(x−δ)² log(x/δ) on (0, δ), 0 beyond, +∞ at x ≤ 0,
///   s(x; ε) = 2x/ε − x²/ε² for x < ε, 1 beyond; S(x) = ∫₀ˣ s; s(x)/x with its limit 2/ε at 0.

#include <cmath>
#include <limits>

namespace limber {

/// A function of one variable and its first two derivatives.
struct Jet {
  double value = 0, first = 0, second = 0;
};

/// b, b', b''. δ > 0. Where x ≤ 0 the value is +∞ and the derivatives are those limits at 0⁺: −∞, +∞.
inline Jet barrier(double x, double delta) {
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

/// s, s', s''. ε > 0, x ≥ 0.
inline Jet friction_smoothing(double x, double eps) {
  if (!(x < eps)) return {x >= eps ? 1 : x, 0, 0};
  const double r = x / eps;
  return {r * (2 - r), 2 * ((eps - x) / eps) / eps, -2 / eps / eps};
}

/// S(x) = ∫₀ˣ s, the potential of lagged friction.
inline double friction_potential(double x, double eps) {
  if (!(x < eps)) return x - eps / 3;
  const double r = x / eps;
  return x * r * (1 - r / 3);
}

/// s(x)/x, and 2/ε at x = 0.
inline double friction_factor(double x, double eps) { return x < eps ? (2 - x / eps) / eps : 1 / x; }

/// d/dx of s(x)/x: −1/ε² below ε, −1/x² beyond; it is continuous.
inline double friction_factor_slope(double x, double eps) {
  const double y = x < eps ? eps : x;
  return -1 / y / y;
}

}  // namespace limber
