#include "limber/model/motion.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

namespace limber {
namespace {

struct Kinematics {
  Vec3 x, v, a;
};

Kinematics at(const Motion& m, double t, const Vec3& X) {
  Kinematics k;
  m.evaluate(t, X, k.x, k.v, k.a);
  return k;
}

/// v from differences of x and a from differences of v, so that a's error is not that of a second difference.
void expect_rates(const Motion& m, double t, const Vec3& X) {
  const double h = 1e-3;
  const Kinematics k = at(m, t, X), p1 = at(m, t + h, X), m1 = at(m, t - h, X), p2 = at(m, t + 2 * h, X),
                   m2 = at(m, t - 2 * h, X);
  const Vec3 v = (8 * (p1.x - m1.x) - (p2.x - m2.x)) / (12 * h), a = (8 * (p1.v - m1.v) - (p2.v - m2.v)) / (12 * h);
  EXPECT_LT((k.v - v).norm(), 1e-8 * (1 + v.norm())) << "t = " << t;
  EXPECT_LT((k.a - a).norm(), 1e-8 * (1 + a.norm())) << "t = " << t;
}

const Vec3 X{0.3, -1.2, 2.0};

TEST(Motion, PinnedStaysToTheLastBit) {
  Motion pinned;
  pinned.pivot = Vec3(0.1, 0.2, 1e3);
  const auto k = at(pinned, 5, X);
  EXPECT_EQ(k.x, X);
  EXPECT_EQ(k.v, Vec3::Zero());
  EXPECT_EQ(k.a, Vec3::Zero());
  EXPECT_TRUE(pinned.is_constant());
}

TEST(Motion, RotatesAsAngleAxisAboutThePivot) {
  for (const double angle : {0.0, 1e-9, 1e-4, 0.5, 0.99999, 1.00001, 3.0, std::numbers::pi, 7.0, 40.0}) {
    const Vec3 axis = Vec3(1, -2, 0.5).normalized();
    const Mat3 R = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
    EXPECT_LT((Mat3::Identity() + rotation_minus_identity(angle * axis) - R).norm(), 1e-14) << angle;
    Motion m{Vec3(1, 1, 1), TimeFunction<Vec3>::constant({0, 0, 3}), TimeFunction<Vec3>::constant(angle * axis)};
    EXPECT_LT((at(m, 0, X).x - (Vec3(1, 1, 1) + R * (X - Vec3(1, 1, 1)) + Vec3(0, 0, 3))).norm(), 1e-13) << angle;
  }
}

TEST(Motion, SteadySpinHasClosedFormVelocityAndAcceleration) {
  const double w = 3;
  const Motion m{
      Vec3::Zero(),
      {},
      TimeFunction<Vec3>::table({-10, 10}, {Vec3(0, 0, -10 * w), Vec3(0, 0, 10 * w)}, Interpolation::linear, "k")};
  for (const double t : {-2.0, 0.0, 1e-6, 0.3, 5.0}) {
    const auto k = at(m, t, {2, 0, 1});
    const Vec3 radial(2 * std::cos(w * t), 2 * std::sin(w * t), 0);
    EXPECT_LT((k.x - radial - Vec3(0, 0, 1)).norm(), 1e-13) << t;
    EXPECT_LT((k.v - w * Vec3(-radial.y(), radial.x(), 0)).norm(), 1e-12) << t;
    EXPECT_LT((k.a + w * w * radial).norm(), 1e-11) << t;
  }
}

TEST(Motion, VelocityAndAccelerationByDifferences) {
  const Motion sine{Vec3(0, 1, 0), TimeFunction<Vec3>::sine({1, 2, 3}, 0.4, 0.3, {0, 1, 0}),
                    TimeFunction<Vec3>::sine({0.9, -1.4, 2.2}, 0.3, 0, Vec3::Zero())};
  // The rotation vector is zero at t = 0 and has length 2.8 at the peaks.
  for (const double t : {0.0, 1e-7, 1e-3, 0.05, 0.2, 0.9, 2.4}) expect_rates(sine, t, X);
}

TEST(Motion, LargeAnglesAroundMovingAxes) {
  const auto w = TimeFunction<Vec3>::table(
      {0, 1, 2, 3}, {Vec3(0, 0, 0), Vec3(9, 1, -3), Vec3(-4, 12, 1), Vec3(1, 0, 0)}, Interpolation::smooth, "k");
  const auto d =
      TimeFunction<Vec3>::table({0, 1.5, 3}, {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0)}, Interpolation::smooth, "k");
  for (const double t : {0.1, 0.5, 1.3, 2.6}) expect_rates({Vec3(1, 2, 3), d, w}, t, X);
}

TEST(Motion, AngularAccelerationWhereTheRotationVanishesInPassing) {
  // w = a t + b t², w(0) = 0: ω = a and ω̇ = 2b there.
  const auto ramp = [](double s) { return Vec3(s, 0, 0); };
  const Motion m{
      Vec3::Zero(), {}, TimeFunction<Vec3>::table({-1, 0, 1}, {ramp(1), ramp(0), ramp(1)}, Interpolation::smooth, "k")};
  const auto k = at(m, 0, {0, 1, 0});
  // Clamped spline of 1, 0, 1: y″ = 6 at the middle, slope 0.
  EXPECT_LT((k.v).norm(), 1e-14);
  EXPECT_LT((k.a - Vec3(0, 0, 6)).norm(), 1e-13);
}

}  // namespace
}  // namespace limber
