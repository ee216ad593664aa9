#pragma once
/// An obstacle in rigid motion, φ(x, t) = φ₀(X) with X = c + Rᵀ(x − c − d), so that ∇φ = R∇φ₀, ∇²φ = R∇²φ₀Rᵀ and
/// ∂φ/∂t = −∇φ·V with V = ḋ + ω × (x − c − d), the velocity of the obstacle's material point at x.

#include "limber/contact/geometry/implicit_shape.hpp"
#include "limber/model/motion.hpp"

namespace limber {

/// The obstacle at one time, for queries at many points.
class PosedShape {
 public:
  PosedShape(ShapePtr shape, const RigidMotion& pose) : shape_(std::move(shape)), pose_(pose) {}

  double value(const Vec3& x) const { return shape_->value(material(x)); }
  double lipschitz() const { return shape_->lipschitz(); }  // of the value
  ImplicitValue at(const Vec3& x) const;
  Vec3 velocity(const Vec3& x) const;  // V [m/s]
  Vec3 material(const Vec3& x) const;  // X [m]
  std::optional<Box3> bounds() const;  // contains {φ ≤ 0}
  /// The largest s ≤ 1 found with φ(x + σ dx) − minimum ≥ keep · (φ(x) − minimum) for all σ in [0, s], 0 ≤ keep < 1; 0
  /// if φ(x) ≤ minimum already. Advances by the larger of two lower bounds of φ, from the Lipschitz constant and from
  /// the tangent with the concavity. That is exact for a half-space, and Newton's method from the safe side for convex
  /// shapes. The work is bounded: after 64 advances s is safe but may be short (grazing motion along a concave shape).
  double safe_step(const Vec3& x, const Vec3& dx, double keep, double minimum) const;

 private:
  ShapePtr shape_;
  RigidMotion pose_;
};

class MovingShape {
 public:
  /// Without a motion the shape is at rest.
  explicit MovingShape(ShapePtr shape, Motion motion = {}) : shape_(std::move(shape)), motion_(std::move(motion)) {}

  bool is_static() const { return motion_.is_constant(); }
  PosedShape pose(double t) const { return {shape_, motion_.at(t)}; }

  ImplicitValue at(const Vec3& x, double t) const { return pose(t).at(x); }
  Vec3 velocity(const Vec3& x, double t) const { return pose(t).velocity(x); }
  double safe_step(const Vec3& x, const Vec3& dx, double t, double keep, double minimum) const {
    return pose(t).safe_step(x, dx, keep, minimum);
  }
  /// safe_step on the straight path between two points in the obstacle's own coordinates, when both move.
  double safe_share(const Vec3& from, const Vec3& to, double keep, double minimum) const {
    return PosedShape(shape_, Motion().at(0)).safe_step(from, to - from, keep, minimum);
  }

 private:
  ShapePtr shape_;
  Motion motion_;
};

}  // namespace limber
