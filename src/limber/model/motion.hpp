#pragma once
/// A prescribed motion of nodes,
///
///     x(t) = c + R(w(t)) (X − c) + d(t),
///
/// d: translation [m], w: rotation vector [rad] (its direction is the axis, its length the angle), c: pivot [m].
/// Velocity and acceleration are exact. A pinned node has a constant motion.

#include "limber/model/time_function.hpp"

namespace limber {

/// The motion at one time: v = ḋ + ω × y, a = d̈ + ω̇ × y + ω × (ω × y), y = R (X − c).
struct RigidMotion {
  Mat3 R_minus_I;  // R − I, so that a node at rest stays at X to the last bit
  Vec3 pivot;
  TimeJet<Vec3> translation;
  Vec3 omega, omega_rate;  // [rad/s], [rad/s²]

  void evaluate(const Vec3& X, Vec3& x, Vec3& v, Vec3& a) const;
};

struct Motion {
  Vec3 pivot = Vec3::Zero();
  TimeFunction<Vec3> translation, rotation;

  /// Whether the motion is constant: pinned, perhaps at a place other than X.
  bool is_constant() const { return translation.is_constant() && rotation.is_constant(); }
  /// Evaluated once for many nodes at one time.
  RigidMotion at(double t) const;
  /// Standing still, at this share of the way from X to the nodes' places at t.
  RigidMotion still(double t, double share) const;
  void evaluate(double t, const Vec3& X, Vec3& x, Vec3& v, Vec3& a) const { at(t).evaluate(X, x, v, a); }
};

/// R(w) − I = exp([w]ₓ) − I.
Mat3 rotation_minus_identity(const Vec3& w);

}  // namespace limber
