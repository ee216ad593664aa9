#pragma once
/// Obstacles as signed distance functions: φ(x) [m] > 0 outside, = 0 on the surface, < 0 inside, |∇φ| = 1. Derivatives
/// are exact where φ is smooth. Elsewhere (on edges and the medial axis: a sphere's centre, a torus' axis, the planes
/// inside a box equidistant from two faces) ∇φ is one of the one-sided gradients, and ∇²φ is the finite part on one
/// side, without the jump.

#include <limits>
#include <memory>
#include <optional>

#include "limber/core/types.hpp"
#include "limber/mesh/tet_mesh.hpp"

namespace limber {

struct ImplicitValue {
  double value;   // φ [m]
  Vec3 gradient;  // ∇φ
  Mat3 hessian;   // ∇²φ [1/m]
};

class ImplicitShape {
 public:
  virtual ~ImplicitShape() = default;
  virtual double value(const Vec3& x) const = 0;
  virtual ImplicitValue at(const Vec3& x) const = 0;
  /// The Lipschitz constant L: |φ(x) − φ(y)| ≤ L |x − y|.
  virtual double lipschitz() const { return 1; }
  /// C ≥ 0 [1/m] with φ(y) ≥ φ(x) + ∇φ(x)·(y − x) − ½ C |y − x|² for all |y − x| ≤ radius; +∞ if no bound is known.
  /// Zero for convex shapes, whose distance functions are convex inside and outside.
  virtual double concavity(const Vec3& x, double radius) const = 0;
  /// Bounding box of {φ ≤ 0}; none: unbounded.
  virtual std::optional<Box3> bounds() const = 0;
};

using ShapePtr = std::shared_ptr<const ImplicitShape>;

/// The half-space behind the plane through `point`; `normal` points outwards and need not have unit length.
ShapePtr half_space(const Vec3& point, const Vec3& normal);
/// Radius [m] > 0, here and below.
ShapePtr sphere(const Vec3& centre, double radius);
/// The points within `radius` of the segment ab, a = b allowed.
ShapePtr capsule(const Vec3& a, const Vec3& b, double radius);
/// |(axesᵀ(x − centre))ᵢ| ≤ halfᵢ [m], all > 0; the columns of `axes` are the box's orthonormal directions.
ShapePtr box(const Vec3& centre, const Vec3& half, const Mat3& axes = Mat3::Identity());
/// Solid, with flat ends at a ≠ b.
ShapePtr cylinder(const Vec3& a, const Vec3& b, double radius);
/// The points within `minor` of the circle of radius `major` > minor around the axis; `axis` of any length > 0.
ShapePtr torus(const Vec3& centre, const Vec3& axis, double major, double minor);

}  // namespace limber
