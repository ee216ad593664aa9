#pragma once
/// Helpers for friction in a plane with unit normal n.

#include "limber/contact/forces/barrier.hpp"
#include "limber/core/types.hpp"

namespace limber {

inline Mat3 tangent_plane(const Vec3& n) { return Mat3::Identity() - n * n.transpose(); }

/// d/dy of s(|y|; ε)/|y| y.
inline Mat3 friction_slope(const Vec3& y, double eps) {
  const double speed = y.norm();
  Mat3 G = friction_factor(speed, eps) * Mat3::Identity();
  if (speed > 0) G += friction_factor_slope(speed, eps) / speed * y * y.transpose();
  return G;
}

}  // namespace limber
