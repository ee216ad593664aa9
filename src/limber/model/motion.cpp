#include "limber/model/motion.hpp"

#include <Eigen/Geometry>
#include <array>
#include <cmath>

namespace limber {

namespace {

/// Functions of s = |w|²: c₁ = sin θ/θ, c₂ = (1 − cos θ)/θ², c₃ = (θ − sin θ)/θ³, all Σₖ (−s)ᵏ/(2k+n)!, and dcₙ/ds.
struct RotationSeries {
  std::array<double, 4> c, dc;  // index n = 1, 2, 3
};

RotationSeries rotation_series(double s) {
  RotationSeries r{};
  if (s < 1) {  // the closed forms suffer from cancellation here; ten terms are exact to rounding
    for (int n = 1; n <= 3; ++n) {
      const std::size_t i = static_cast<std::size_t>(n);
      double term = n == 3 ? 1.0 / 6 : 1.0 / n, slope = 0;
      for (int k = 0; k < 10; ++k) {
        r.c[i] += term;
        slope = -term * (k + 1) / ((2 * k + n + 1) * (2 * k + n + 2));
        r.dc[i] += slope;
        term *= -s / ((2 * k + n + 1) * (2 * k + n + 2));
      }
    }
    return r;
  }
  const double theta = std::sqrt(s);
  r.c = {std::cos(theta), std::sin(theta) / theta, (1 - std::cos(theta)) / s, (1 - std::sin(theta) / theta) / s};
  for (std::size_t n = 1; n <= 3; ++n) r.dc[n] = (r.c[n - 1] - static_cast<double>(n) * r.c[n]) / (2 * s);
  return r;
}

Mat3 cross_matrix(const Vec3& w) {
  Mat3 W;
  W << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
  return W;
}

}  // namespace

Mat3 rotation_minus_identity(const Vec3& w) {
  const RotationSeries r = rotation_series(w.squaredNorm());
  const Mat3 W = cross_matrix(w);
  return r.c[1] * W + r.c[2] * W * W;
}

RigidMotion Motion::at(double t) const {
  const TimeJet<Vec3> w = rotation.at(t);
  const RotationSeries r = rotation_series(w.value.squaredNorm());
  const double s_rate = 2 * w.value.dot(w.rate);
  const Mat3 W = cross_matrix(w.value), dW = cross_matrix(w.rate), WW = W * W;
  // ω = L ẇ with the left Jacobian of SO(3), L = I + c₂ W + c₃ W².
  const Mat3 L = Mat3::Identity() + r.c[2] * W + r.c[3] * WW;
  const Mat3 dL = s_rate * (r.dc[2] * W + r.dc[3] * WW) + r.c[2] * dW + r.c[3] * (dW * W + W * dW);
  return {r.c[1] * W + r.c[2] * WW, pivot, translation.at(t), L * w.rate, L * w.acceleration + dL * w.rate};
}

RigidMotion Motion::still(double t, double share) const {
  const Vec3 none = Vec3::Zero();
  return {rotation_minus_identity(share * rotation.at(t).value),
          pivot,
          {share * translation.at(t).value, none, none},
          none,
          none};
}

void RigidMotion::evaluate(const Vec3& X, Vec3& x, Vec3& v, Vec3& a) const {
  const Vec3 arm = X - pivot, moved = R_minus_I * arm, y = arm + moved, spin = omega.cross(y);
  x = X + moved + translation.value;
  v = translation.rate + spin;
  a = translation.acceleration + omega_rate.cross(y) + omega.cross(spin);
}

}  // namespace limber
