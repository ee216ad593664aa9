#include "limber/contact/geometry/implicit_shape.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace limber {
namespace {

struct Named {
  std::string name;
  ShapePtr shape;
  /// The distance by brute force from dense samples of the surface, with the sign of an inside test.
  std::function<bool(const Vec3&)> inside;
  std::function<Vec3(double, double)> surface;  // of [0, 1]², with `pieces` copies below
};

void PrintTo(const Named& n, std::ostream* out) { *out << n.name; }

const Vec3 c0(0.2, -0.1, 0.3), ca(-0.4, 0.1, 0.2), cb(0.5, 0.6, -0.3);
const double pi = std::numbers::pi;

Mat3 some_axes() { return Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()).toRotationMatrix(); }

/// A frame whose third column is along `axis`.
Mat3 frame(const Vec3& axis) {
  Mat3 B;
  B.col(2) = axis.normalized();
  B.col(0) = B.col(2).unitOrthogonal();
  B.col(1) = B.col(2).cross(B.col(0));
  return B;
}

/// A profile curve (ρ, z)(s) turned around the axis through `centre`.
std::function<Vec3(double, double)> turned(const Vec3& centre, const Vec3& axis,
                                           std::function<Eigen::Vector2d(double)> curve) {
  return [centre, B = frame(axis), curve](double s, double u) {
    const Eigen::Vector2d p = curve(s);
    return Vec3(centre + B * Vec3(p[0] * std::cos(2 * pi * u), p[0] * std::sin(2 * pi * u), p[1]));
  };
}

/// Points of an open polyline-like profile: the parameter runs over the pieces in turn.
Eigen::Vector2d capsule_curve(double s, double r, double half) {
  if (s < 1.0 / 3) return {r * std::sin(1.5 * pi * s), -half - r * std::cos(1.5 * pi * s)};
  if (s > 2.0 / 3) return {r * std::sin(1.5 * pi * (1 - s)), half + r * std::cos(1.5 * pi * (1 - s))};
  return {r, half * (6 * s - 3)};
}
Eigen::Vector2d cylinder_curve(double s, double r, double half) {
  if (s < 1.0 / 3) return {3 * s * r, -half};
  if (s > 2.0 / 3) return {3 * (1 - s) * r, half};
  return {r, half * (6 * s - 3)};
}

std::vector<Named> shapes() {
  const Vec3 axis = cb - ca, mid = (ca + cb) / 2, half(0.3, 0.5, 0.2);
  const double H = axis.norm() / 2;
  const auto local = [=](const Vec3& x) -> Vec3 { return frame(axis).transpose() * (x - mid); };
  return {
      {"sphere", sphere(c0, 0.6), [](const Vec3& x) { return (x - c0).norm() < 0.6; },
       turned(c0, Vec3::UnitZ(), [](double s) { return capsule_curve(s, 0.6, 0); })},
      {"capsule", capsule(ca, cb, 0.25),
       [=](const Vec3& x) {
         const Vec3 y = local(x);
         return (y - Vec3(0, 0, std::clamp(y.z(), -H, H))).norm() < 0.25;
       },
       turned(mid, axis, [=](double s) { return capsule_curve(s, 0.25, H); })},
      {"cylinder", cylinder(ca, cb, 0.3),
       [=](const Vec3& x) {
         const Vec3 y = local(x);
         return y.head<2>().norm() < 0.3 && std::abs(y.z()) < H;
       },
       turned(mid, axis, [=](double s) { return cylinder_curve(s, 0.3, H); })},
      {"torus", torus(c0, {1, 2, 0.5}, 0.5, 0.2),
       [=](const Vec3& x) {
         const Vec3 y = frame(Vec3(1, 2, 0.5)).transpose() * (x - c0);
         return std::hypot(y.head<2>().norm() - 0.5, y.z()) < 0.2;
       },
       turned(c0, {1, 2, 0.5},
              [](double s) { return Eigen::Vector2d(0.5 + 0.2 * std::cos(2 * pi * s), 0.2 * std::sin(2 * pi * s)); })},
      {"box", box(c0, half, some_axes()),
       [=](const Vec3& x) { return ((some_axes().transpose() * (x - c0)).cwiseAbs().array() < half.array()).all(); },
       [=](double s, double u) {  // six faces in turn along s
         const int face = std::min(5, static_cast<int>(6 * s)), k = face / 2;
         Vec3 y;
         y[k] = face % 2 ? 1 : -1;
         y[(k + 1) % 3] = 2 * (6 * s - face) - 1;
         y[(k + 2) % 3] = 2 * u - 1;
         return Vec3(c0 + some_axes() * y.cwiseProduct(half));
       }}};
}

class Shapes : public testing::TestWithParam<Named> {};

std::vector<Vec3> some_points(int n, double size) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> u(-size, size);
  std::vector<Vec3> points;
  for (int i = 0; i < n; ++i) points.push_back(Vec3{u(random), u(random), u(random)});
  return points;
}

TEST_P(Shapes, ValueIsTheSignedDistanceToTheSurface) {
  const int n = 600;
  std::vector<Vec3> samples;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n / 3; ++j) samples.push_back(GetParam().surface(static_cast<double>(i) / n, 3.0 * j / n));
  for (const Vec3& x : some_points(40, 1.2)) {
    double d2 = 1e9;
    for (const Vec3& y : samples) d2 = std::min(d2, (x - y).squaredNorm());
    const double value = GetParam().shape->value(x), d = std::sqrt(d2);
    EXPECT_EQ(value < 0, GetParam().inside(x));
    EXPECT_LT(std::abs(value), d + 1e-12);
    EXPECT_NEAR(std::abs(value), d, 2e-4 / std::max(d, 0.02));  // spacing² / d
    EXPECT_NEAR(GetParam().shape->at(x).value, value, 1e-15);
  }
}

TEST_P(Shapes, DerivativesByDifferences) {
  const ImplicitShape& shape = *GetParam().shape;
  const double h = 1e-5;
  int smooth = 0;
  for (const Vec3& x : some_points(300, 1.0)) {
    const ImplicitValue f = shape.at(x);
    EXPECT_NEAR(f.gradient.norm(), 1, 1e-13);
    EXPECT_LT((f.hessian - f.hessian.transpose()).norm(), 1e-13 * (1 + f.hessian.norm()));
    EXPECT_LT((f.hessian * f.gradient).norm(), 1e-12 * (1 + f.hessian.norm()));  // |∇φ| = 1
    Vec3 g;
    Mat3 H;
    double kink = 0;  // where the Hessian differs on both sides, there is nothing to compare
    for (int i = 0; i < 3; ++i) {
      const Vec3 e = h * Vec3::Unit(i);
      const ImplicitValue p = shape.at(x + e), m = shape.at(x - e);
      g[i] = (p.value - m.value) / (2 * h);
      H.col(i) = (p.gradient - m.gradient) / (2 * h);
      kink = std::max({kink, (p.hessian - f.hessian).norm(), (m.hessian - f.hessian).norm()});
    }
    if (kink > 0.01 * (1 + f.hessian.norm())) continue;
    ++smooth;
    EXPECT_LT((g - f.gradient).norm(), 1e-7) << x.transpose();
    EXPECT_LT((H - f.hessian).norm(), 1e-6 * (1 + f.hessian.norm())) << x.transpose();
  }
  EXPECT_GT(smooth, 290);
}

TEST_P(Shapes, BoundsContainTheShapeAndTouchIt) {
  const Box3 box = GetParam().shape->bounds().value();
  Vec3 low = Vec3::Constant(1e9), high = -low;
  const int n = 400;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) {
      const Vec3 y = GetParam().surface(static_cast<double>(i) / n, static_cast<double>(j) / n);
      low = low.cwiseMin(y);
      high = high.cwiseMax(y);
    }
  EXPECT_TRUE((box.min.array() <= low.array() + 1e-12).all() && (box.max.array() >= high.array() - 1e-12).all());
  EXPECT_LT((box.min - low).norm() + (box.max - high).norm(), 0.02);
}

TEST_P(Shapes, ConcavityBoundsTheFunctionFromBelow) {
  const ImplicitShape& shape = *GetParam().shape;
  const auto points = some_points(200, 1.0), steps = some_points(31, 1.0);
  for (const Vec3& x : points)
    for (const Vec3& d : steps) {
      const Vec3 step = 0.3 * d;
      const double C = shape.concavity(x, step.norm());
      if (std::isinf(C)) continue;
      const ImplicitValue f = shape.at(x);
      EXPECT_GE(shape.value(x + step), f.value + f.gradient.dot(step) - C * step.squaredNorm() / 2 - 1e-13);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Shapes, testing::ValuesIn(shapes()), [](const auto& info) { return info.param.name; });

TEST(HalfSpace, IsTheLinearFunction) {
  const ShapePtr plane = half_space({0, 1, 0}, {0, 4, 3});
  EXPECT_DOUBLE_EQ(plane->value({7, 2, 0}), 0.8);
  EXPECT_DOUBLE_EQ(plane->value({7, 0, 0}), -0.8);
  EXPECT_LT((plane->at({1, 2, 3}).gradient - Vec3(0, 0.8, 0.6)).norm(), 1e-15);
  EXPECT_EQ(plane->at({1, 2, 3}).hessian, Mat3::Zero());
  EXPECT_FALSE(plane->bounds());
}

TEST(ImplicitShape, IsFiniteWhereItIsNotSmooth) {
  const std::vector<std::pair<ShapePtr, Vec3>> points = {{sphere(c0, 1), c0},
                                                         {capsule(ca, cb, 0.1), ca},
                                                         {capsule(ca, cb, 0.1), (ca + cb) / 2},
                                                         {capsule(ca, ca, 0.1), ca},
                                                         {box(c0, {1, 1, 1}), c0},
                                                         {box(c0, {1, 1, 1}), c0 + Vec3(1, 1, 1)},
                                                         {box(c0, {1, 1, 1}), c0 + Vec3(1, 0, 0)},
                                                         {cylinder(ca, cb, 0.2), (ca + cb) / 2},
                                                         {cylinder(ca, cb, 0.2), ca},
                                                         {cylinder(ca, cb, 0.2), 2 * ca - cb},
                                                         {torus(c0, {0, 0, 1}, 1, 0.2), c0},
                                                         {torus(c0, {0, 0, 1}, 1, 0.2), c0 + Vec3(0, 0, 3)},
                                                         {torus(c0, {0, 0, 1}, 1, 0.2), c0 + Vec3(1, 0, 0)}};
  for (const auto& [shape, x] : points) {
    const ImplicitValue f = shape->at(x);
    EXPECT_TRUE(std::isfinite(f.value) && f.gradient.allFinite() && f.hessian.allFinite()) << x.transpose();
    EXPECT_NEAR(f.gradient.norm(), 1, 1e-14) << x.transpose();
    EXPECT_EQ(f.value, shape->value(x));
  }
}

TEST(Capsule, HasTheCurvatureOfItsParts) {
  const ShapePtr c = capsule({0, 0, 0}, {0, 0, 2}, 0.5);
  EXPECT_LT((c->at({0, 1, 1}).hessian - Mat3(Vec3(1, 0, 0).asDiagonal())).norm(), 1e-14);
  EXPECT_LT((c->at({0, 0, 4}).hessian - Mat3(Vec3(0.5, 0.5, 0).asDiagonal())).norm(), 1e-14);
}

}  // namespace
}  // namespace limber
