#include "limber/contact/moving_shape.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace limber {

ImplicitValue PosedShape::at(const Vec3& x) const {
  ImplicitValue f = shape_->at(material(x));
  if (pose_.turn.isZero(0)) return f;
  const Mat3 R = Mat3::Identity() + pose_.turn;
  return {f.value, R * f.gradient, R * f.hessian * R.transpose()};
}

Vec3 PosedShape::velocity(const Vec3& x) const {
  return pose_.translation.rate + pose_.omega.cross(x - pose_.pivot - pose_.translation.value);
}

Vec3 PosedShape::material(const Vec3& x) const {
  const Vec3 back = x - pose_.translation.value;
  return back + pose_.turn.transpose() * (back - pose_.pivot);
}

std::optional<Box3> PosedShape::bounds() const {
  const std::optional<Box3> box = shape_->bounds();
  if (!box) return box;
  const Vec3 centre = (box->min + box->max) / 2, half = (box->max - box->min) / 2;
  const Vec3 moved = centre + pose_.turn * (centre - pose_.pivot) + pose_.translation.value;
  const Vec3 reach = (Mat3::Identity() + pose_.turn).cwiseAbs() * half;
  return Box3{moved - reach, moved + reach};
}

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The largest r ≥ 0 with margin + slope r − ½ bend r² ≥ 0 on [0, r], for margin ≥ 0.
double first_root(double margin, double slope, double bend) {
  if (bend == infinity) return 0;
  if (bend == 0) return slope < 0 ? -margin / slope : infinity;
  const double root = std::sqrt(slope * slope + 2 * bend * margin);
  return slope > 0 ? (slope + root) / bend : 2 * margin / (root - slope);
}

/// How far φ surely stays above φ − margin along the unit direction, looking no further than `ahead` [m].
double advance(const ImplicitShape& shape, const Vec3& X, const ImplicitValue& f, const Vec3& direction, double margin,
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
  const Vec3 X0 = material(x), along = dx + pose_.turn.transpose() * dx;
  const double length = along.norm();
  ImplicitValue f = shape_->at(X0);
  const double gap = f.value - minimum;
  if (!(gap > 0)) return 0;
  if (length == 0) return 1;
  const Vec3 direction = along / length;
  const double target = minimum + keep * gap;
  double s = 0;
  for (int k = 0; k < max_advances; ++k) {
    const double margin = f.value - target;
    double step = advance(*shape_, X0 + s * along, f, direction, margin, (1 - s) * length) / length;
    if (margin <= close_enough * (1 - keep) * gap && step <= 1e-6 * s) break;
    double next = 1;
    ImplicitValue there = f;
    for (;; step /= 2) {  // at the root, rounding may leave φ a bit below the target
      next = std::min(1.0, s + step);
      if (next == s) return s;
      there = shape_->at(X0 + next * along);
      if (there.value >= target) break;
    }
    s = next;
    f = there;
    if (s == 1) break;
  }
  return s;
}

namespace {

/// The resting point seen from the obstacle at one time: X(τ), and φ along it.
struct Sighting {
  double t, value, rate;    // φ [m], dφ/dτ [m/s]
  Vec3 X, velocity;         // Ẋ [m/s]
  double speed, curvature;  // |Ẋ|, |Ẍ| [m/s²]
};

Sighting sight(const ImplicitShape& shape, const Motion& motion, const Vec3& x, double t) {
  const RigidMotion m = motion.at(t);
  const Vec3 y = x - m.pivot - m.translation.value, V = m.translation.rate + m.omega.cross(y);
  const Vec3 bend = m.omega.cross(m.omega.cross(y)) + 2 * m.omega.cross(m.translation.rate) - m.omega_rate.cross(y) -
                    m.translation.acceleration;
  const PosedShape posed(ShapePtr(ShapePtr(), &shape), m);
  const ImplicitValue f = posed.at(x);
  const Vec3 X_rate = -(V + m.turn.transpose() * V);
  return {t, f.value, -f.gradient.dot(V), posed.material(x), X_rate, V.norm(), bend.norm()};
}

/// Whether φ ≥ target between two sightings.
bool stays_above(const ImplicitShape& shape, const Sighting& a, const Sighting& mid, const Sighting& b, double target) {
  constexpr double variation = 2;  // of speed and curvature within the piece, as the header says
  const double half = (b.t - a.t) / 2;
  const double path = std::max((mid.X - a.X).norm(), (b.X - mid.X).norm());
  const double speed = variation * std::max({a.speed, mid.speed, b.speed, path / half});
  const double curvature = variation * std::max({a.curvature, mid.curvature, b.curvature});
  const double L = shape.lipschitz();
  if ((std::min({a.value, mid.value, b.value}) - target) >= L * speed * half / 2) return true;
  const double jump = std::max((mid.velocity - a.velocity).norm(), (b.velocity - mid.velocity).norm());
  if (jump > curvature * half + 1e-9 * speed) return false;
  const auto quarter_holds = [&](const Sighting& from, double direction) {
    const double concavity = shape.concavity(from.X, speed * half / 2);
    const double bend = concavity * speed * speed + L * curvature;
    return first_root(from.value - target, direction * from.rate, bend) >= half / 2;
  };
  return quarter_holds(a, 1) && quarter_holds(mid, -1) && quarter_holds(mid, 1) && quarter_holds(b, -1);
}

}  // namespace

double MovingShape::safe_time(const Vec3& x, double t0, double t1, double keep, double minimum) const {
  constexpr int first_pieces = 4, max_depth = 12, max_pieces = 256;
  const ImplicitShape& shape = *shape_;
  Sighting a = sight(shape, motion_, x, t0);
  const double gap = a.value - minimum;
  if (!(gap > 0) || t1 <= t0) return t0;
  if (is_static()) return t1;
  const double target = minimum + keep * gap, shortest = (t1 - t0) / first_pieces * std::ldexp(1.0, -max_depth);
  double length = (t1 - t0) / first_pieces;
  for (int k = 0; k < max_pieces && a.t < t1; ++k) {
    const double end = a.t + length < t1 - shortest / 2 ? a.t + length : t1;
    const Sighting b = sight(shape, motion_, x, end);
    const Sighting mid = sight(shape, motion_, x, (a.t + end) / 2);
    const bool holds = b.value >= target && mid.value >= target && stays_above(shape, a, mid, b, target);
    if (holds) {
      a = b;
      length = std::min(2 * length, (t1 - t0) / first_pieces);
    } else if (length > shortest) {
      length /= 2;
    } else {
      break;
    }
  }
  return a.t;
}

}  // namespace limber
