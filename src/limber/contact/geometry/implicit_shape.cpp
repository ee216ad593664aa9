#include "limber/contact/geometry/implicit_shape.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace limber {

namespace {

Box3 grown(const Vec3& a, const Vec3& b, const Vec3& by) { return {a.cwiseMin(b) - by, a.cwiseMax(b) + by}; }

/// Distance to the point y minus r: the derivatives are those of |x − y|, in the plane normal to `flat` (zero: in
/// space).
ImplicitValue from_point(const Vec3& x, const Vec3& y, double r, const Vec3& flat) {
  const Vec3 gap = x - y;
  const double d = gap.norm();
  if (d == 0) {
    const Vec3 any = flat.isZero() ? Vec3::UnitX() : flat.unitOrthogonal();
    return {-r, any, Mat3::Zero()};
  }
  const Vec3 n = gap / d;
  return {d - r, n, (Mat3::Identity() - n * n.transpose() - flat * flat.transpose()) / d};
}

class HalfSpace final : public ImplicitShape {
 public:
  HalfSpace(const Vec3& point, const Vec3& normal) : point_(point), normal_(normal.normalized()) {}
  double value(const Vec3& x) const override { return normal_.dot(x - point_); }
  ImplicitValue at(const Vec3& x) const override { return {value(x), normal_, Mat3::Zero()}; }
  double concavity(const Vec3&, double) const override { return 0; }
  std::optional<Box3> bounds() const override { return std::nullopt; }

 private:
  Vec3 point_, normal_;
};

class Sphere final : public ImplicitShape {
 public:
  Sphere(const Vec3& centre, double radius) : centre_(centre), radius_(radius) {}
  double value(const Vec3& x) const override { return (x - centre_).norm() - radius_; }
  ImplicitValue at(const Vec3& x) const override { return from_point(x, centre_, radius_, Vec3::Zero()); }
  double concavity(const Vec3&, double) const override { return 0; }
  std::optional<Box3> bounds() const override { return grown(centre_, centre_, Vec3::Constant(radius_)); }

 private:
  Vec3 centre_;
  double radius_;
};

class Capsule final : public ImplicitShape {
 public:
  Capsule(const Vec3& a, const Vec3& b, double radius)
      : a_(a),
        b_(b),
        along_(b - a),
        axis_(along_.norm() > 0 ? Vec3(along_.normalized()) : Vec3::Zero()),
        radius_(radius) {}
  double value(const Vec3& x) const override {
    const double s = parameter(x);
    return (x - nearest(s)).norm() - radius_;
  }
  ImplicitValue at(const Vec3& x) const override {
    const double s = parameter(x);
    return from_point(x, nearest(s), radius_, s > 0 && s < 1 ? axis_ : Vec3::Zero());
  }
  double concavity(const Vec3&, double) const override { return 0; }
  std::optional<Box3> bounds() const override { return grown(a_, b_, Vec3::Constant(radius_)); }

 private:
  double parameter(const Vec3& x) const {
    const double length2 = along_.squaredNorm();
    return length2 > 0 ? std::clamp(along_.dot(x - a_) / length2, 0.0, 1.0) : 0;
  }
  Vec3 nearest(double s) const { return s < 1 ? Vec3(a_ + s * along_) : b_; }

  Vec3 a_, b_, along_, axis_;
  double radius_;
};

/// The distance to the orthant {q ≤ 0} of N coordinates: |q⁺| outside, max q inside, as (value, ∂/∂q, ∂²/∂q²).
template <int N>
struct Orthant {
  using V = Eigen::Matrix<double, N, 1>;
  using M = Eigen::Matrix<double, N, N>;
  static double value(const V& q) { return q.maxCoeff() > 0 ? q.cwiseMax(0).norm() : q.maxCoeff(); }
  explicit Orthant(const V& q) {
    Eigen::Index face;
    f = q.maxCoeff(&face);
    g = V::Unit(face);
    H = M::Zero();
    const V out = q.cwiseMax(0);
    if ((out.array() > 0).count() < 2) return;
    f = out.norm();
    g = out / f;
    for (int i = 0; i < N; ++i) H(i, i) = out[i] > 0;
    H = ((H - g * g.transpose()) / f).eval();
  }
  double f;
  V g;
  M H;
};

double sign(double x) { return x < 0 ? -1 : 1; }

class BoxShape final : public ImplicitShape {
 public:
  BoxShape(const Vec3& centre, const Vec3& half, const Mat3& axes) : centre_(centre), half_(half), axes_(axes) {}
  double value(const Vec3& x) const override { return Orthant<3>::value(local(x).cwiseAbs() - half_); }
  ImplicitValue at(const Vec3& x) const override {
    const Vec3 y = local(x);
    const Orthant<3> o(y.cwiseAbs() - half_);
    const Mat3 B = axes_ * y.unaryExpr(&sign).asDiagonal();
    return {o.f, B * o.g, B * o.H * B.transpose()};
  }
  double concavity(const Vec3&, double) const override { return 0; }
  std::optional<Box3> bounds() const override { return grown(centre_, centre_, axes_.cwiseAbs() * half_); }

 private:
  Vec3 local(const Vec3& x) const { return axes_.transpose() * (x - centre_); }

  Vec3 centre_, half_;
  Mat3 axes_;
};

/// x in cylindrical coordinates around an axis: ρ ≥ 0 across it, z along it.
struct Cylindrical {
  Cylindrical(const Vec3& x, const Vec3& centre, const Vec3& axis) : along(axis) {
    const Vec3 r = x - centre;
    z = axis.dot(r);
    const Vec3 flat = r - z * axis;
    rho = flat.norm();
    across = rho > 0 ? Vec3(flat / rho) : Vec3(axis.unitOrthogonal());
  }
  /// φ = f(ρ, z) in space: ∇²φ has the further eigenvalue f_ρ/ρ around the axis (on it, f_ρ = 0 or φ has a kink).
  ImplicitValue lift(double f, const Eigen::Vector2d& g, const Eigen::Matrix2d& H) const {
    Eigen::Matrix<double, 3, 2> B;
    B << across, along;
    const Vec3 around = along.cross(across);
    const double ring = rho > 0 ? g[0] / rho : 0;
    return {f, B * g, B * H * B.transpose() + ring * around * around.transpose()};
  }
  double rho, z;
  Vec3 across, along;
};

class Cylinder final : public ImplicitShape {
 public:
  Cylinder(const Vec3& a, const Vec3& b, double radius)
      : a_(a), b_(b), axis_((b - a).normalized()), size_(radius, (b - a).norm() / 2) {}
  double value(const Vec3& x) const override {
    const Cylindrical c(x, (a_ + b_) / 2, axis_);
    return Orthant<2>::value(Eigen::Vector2d(c.rho, std::abs(c.z)) - size_);
  }
  ImplicitValue at(const Vec3& x) const override {
    const Cylindrical c(x, (a_ + b_) / 2, axis_);
    const Orthant<2> o(Eigen::Vector2d(c.rho, std::abs(c.z)) - size_);
    const Eigen::Matrix2d S = Eigen::Vector2d(1, sign(c.z)).asDiagonal();
    return c.lift(o.f, S * o.g, S * o.H * S);
  }
  double concavity(const Vec3&, double) const override { return 0; }
  std::optional<Box3> bounds() const override {
    const Vec3 disc = size_[0] * (1 - axis_.array().square()).max(0).sqrt();
    return grown(a_, b_, disc);
  }

 private:
  Vec3 a_, b_, axis_;
  Eigen::Vector2d size_;  // radius, half the height [m]
};

class Torus final : public ImplicitShape {
 public:
  Torus(const Vec3& centre, const Vec3& axis, double major, double minor)
      : centre_(centre), axis_(axis.normalized()), major_(major), minor_(minor) {}
  double value(const Vec3& x) const override {
    const Cylindrical c(x, centre_, axis_);
    return std::hypot(c.rho - major_, c.z) - minor_;
  }
  ImplicitValue at(const Vec3& x) const override {
    const Cylindrical c(x, centre_, axis_);
    const Eigen::Vector2d gap(c.rho - major_, c.z);
    const double d = gap.norm();
    if (d == 0) return c.lift(-minor_, Eigen::Vector2d(1, 0), Eigen::Matrix2d::Zero());
    const Eigen::Vector2d n = gap / d;
    return c.lift(d - minor_, n, (Eigen::Matrix2d::Identity() - n * n.transpose()) / d);
  }
  /// The only negative eigenvalue is (ρ − R)/(dρ) ≥ −1/ρ, since d ≥ |ρ − R|.
  double concavity(const Vec3& x, double radius) const override {
    const double rho = Cylindrical(x, centre_, axis_).rho - radius;
    return rho > 0 ? 1 / rho : std::numeric_limits<double>::infinity();
  }
  std::optional<Box3> bounds() const override {
    const Vec3 disc = major_ * (1 - axis_.array().square()).max(0).sqrt();
    return grown(centre_, centre_, disc + Vec3::Constant(minor_));
  }

 private:
  Vec3 centre_, axis_;
  double major_, minor_;
};

}  // namespace

ShapePtr half_space(const Vec3& point, const Vec3& normal) {
  assert(normal.norm() > 0);
  return std::make_shared<HalfSpace>(point, normal);
}

ShapePtr sphere(const Vec3& centre, double radius) {
  assert(radius > 0);
  return std::make_shared<Sphere>(centre, radius);
}

ShapePtr capsule(const Vec3& a, const Vec3& b, double radius) {
  assert(radius > 0);
  return std::make_shared<Capsule>(a, b, radius);
}

ShapePtr box(const Vec3& centre, const Vec3& half, const Mat3& axes) {
  assert(half.minCoeff() > 0 && axes.isUnitary(1e-9));
  return std::make_shared<BoxShape>(centre, half, axes);
}

ShapePtr cylinder(const Vec3& a, const Vec3& b, double radius) {
  assert(radius > 0 && a != b);
  return std::make_shared<Cylinder>(a, b, radius);
}

ShapePtr torus(const Vec3& centre, const Vec3& axis, double major, double minor) {
  assert(axis.norm() > 0 && minor > 0 && major > minor);
  return std::make_shared<Torus>(centre, axis, major, minor);
}

}  // namespace limber
