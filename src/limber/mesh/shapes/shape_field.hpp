#pragma once
/// Distance functions for composing shapes. All are 1-Lipschitz and negative inside.

#include <algorithm>
#include <cmath>

#include "limber/core/types.hpp"

namespace limber {

/// The union of balls about a + τ u, 0 ≤ τ ≤ length, of radius r(τ) = radius − slope τ, |slope| < 1: d(x) = min_τ |x −
/// a − τ u| − r.
struct RoundCone {
  Vec3 a = Vec3::Zero(), u = Vec3::UnitX();
  double length = 0, radius = 0, slope = 0, lean = 0;

  RoundCone(const Vec3& from, const Vec3& to, double from_radius, double to_radius)
      : a(from), length((to - from).norm()), radius(from_radius) {
    if (length > 0) u = (to - from) / length;
    slope = length > 0 ? std::clamp((from_radius - to_radius) / length, -0.95, 0.95) : 0;
    lean = slope / std::sqrt(1 - slope * slope);
  }
  /// The minimum is at τ − x·u = −lean × (distance from the axis), or at an end.
  double nearest(const Vec3& x) const {
    const double along = (x - a).dot(u), off = std::sqrt(std::max(0., (x - a).squaredNorm() - along * along));
    return std::clamp(along - lean * off, 0., length);
  }
  double radius_at(double tau) const { return radius - slope * tau; }
  double distance(const Vec3& x) const {
    const double tau = nearest(x);
    return (x - a - tau * u).norm() - radius_at(tau);
  }
};

/// The union of two shapes, with a fillet of size about k.
inline double smooth_union(double a, double b, double k) {
  const double h = std::max(0., k - std::abs(a - b));
  return std::min(a, b) - h * h / (4 * k);
}

}  // namespace limber
