#include "limber/contact/geometry/moving_shape.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {

ImplicitValue PosedShape::at(const Vec3& x) const {
  ImplicitValue f = shape_->at(material(x));
  if (pose_.R_minus_I.isZero(0)) return f;
  const Mat3 R = Mat3::Identity() + pose_.R_minus_I;
  return {f.value, R * f.gradient, R * f.hessian * R.transpose()};
}

Vec3 PosedShape::velocity(const Vec3& x) const {
  return pose_.translation.rate + pose_.omega.cross(x - pose_.pivot - pose_.translation.value);
}

Vec3 PosedShape::material(const Vec3& x) const {
  const Vec3 back = x - pose_.translation.value;
  return back + pose_.R_minus_I.transpose() * (back - pose_.pivot);
}

std::optional<Box3> PosedShape::bounds() const {
  const std::optional<Box3> box = shape_->bounds();
  if (!box) return std::nullopt;
  const Vec3 centre = (box->min + box->max) / 2, half = (box->max - box->min) / 2;
  const Vec3 moved = centre + pose_.R_minus_I * (centre - pose_.pivot) + pose_.translation.value;
  const Vec3 reach = (Mat3::Identity() + pose_.R_minus_I).cwiseAbs() * half;
  return Box3{moved - reach, moved + reach};
}

namespace {

/// The largest r ≥ 0 with margin + slope r − ½ bend r² ≥ 0 on [0, r], for margin ≥ 0.
double first_root(double margin, double slope, double bend) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (bend == infinity) return 0;
  if (bend == 0) return slope < 0 ? -margin / slope : infinity;
  const double root = std::sqrt(slope * slope + 2 * bend * margin);
  return slope > 0 ? (slope + root) / bend : 2 * margin / (root - slope);
}

/// How far φ surely stays above φ − margin along the unit direction, looking no further than `ahead` [m].
double sure_way(const ImplicitShape& shape, const Vec3& X, const ImplicitValue& f, const Vec3& direction, double margin,
                double ahead) {
  const double slope = f.gradient.dot(direction), lipschitz = margin / shape.lipschitz();
  if (lipschitz >= ahead) return ahead;
  double best = lipschitz;
  for (double radius = ahead; radius > best; radius /= 4)
    best = std::max(best, std::min(radius, first_root(margin, slope, shape.concavity(X, radius))));
  return best;
}

}  // namespace

double PosedShape::safe_step(const Vec3& x, const Vec3& dx, double keep, double minimum) const {
  constexpr int max_advances = 64;
  constexpr double close_enough = 1e-3;  // of the distance that may be given up
  const Vec3 X0 = material(x), along = dx + pose_.R_minus_I.transpose() * dx;
  const double length = along.norm();
  ImplicitValue f = shape_->at(X0);
  const double gap = f.value - minimum;
  if (!(gap > 0)) return 0;
  if (length == 0) return 1;
  if (!std::isfinite(length)) return 0;  // no part of such a way has an end
  const Vec3 direction = along / length;
  const double target = minimum + keep * gap;
  double s = 0;
  for (int k = 0; k < max_advances; ++k) {
    const double margin = f.value - target;
    double step = sure_way(*shape_, X0 + s * along, f, direction, margin, (1 - s) * length) / length;
    if (margin <= close_enough * (1 - keep) * gap && step <= 1e-6 * s) break;
    double next = 1;
    ImplicitValue there = f;
    for (;; step /= 2) {  // at the root, rounding may leave φ a bit below the target
      next = std::min(1.0, s + step);
      if (next == s || std::isnan(step)) return s;
      there = shape_->at(X0 + next * along);
      if (there.value >= target) break;
    }
    s = next;
    f = there;
    if (s == 1) break;
  }
  return s;
}

}  // namespace limber
