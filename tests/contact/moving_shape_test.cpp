#include "limber/contact/geometry/moving_shape.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace limber {
namespace {

using Path = TimeFunction<Vec3>;

Motion tumbling() {
  return {Vec3(0.1, 0.2, 0.3), Path::sine({0.3, -0.2, 0.1}, 0.7, 0.2, {0, 0.5, 0}),
          Path::sine({1.1, -0.7, 0.4}, 0.5, 0, {0.2, 0, 0})};
}

std::vector<ShapePtr> all_shapes() {
  return {half_space({0, 0, 0}, {0.1, 1, 0}),         sphere({0, 0, 0}, 0.5),
          capsule({-0.5, 0, 0}, {0.5, 0.1, 0}, 0.2),  box({0, 0, 0}, {0.5, 0.3, 0.4}),
          cylinder({0, -0.3, 0}, {0, 0.3, 0.1}, 0.4), torus({0, 0, 0}, {0, 1, 0}, 0.5, 0.2)};
}

/// The smallest φ − (minimum + keep gap) along f, by dense samples.
template <class F>
double least(const F& f, double end) {
  double low = 1e9;
  for (int k = 0; k <= 4000; ++k) low = std::min(low, f(end * k / 4000));
  return low;
}

TEST(MovingShape, MovesWithItsMaterialPoints) {
  const MovingShape moving(box({0, 0, 0}, {0.5, 0.3, 0.4}), tumbling());
  const Vec3 X(0.7, 0.6, 0.1);  // near an edge
  const ImplicitValue f = box({0, 0, 0}, {0.5, 0.3, 0.4})->at(X);
  for (const double t : {0.0, 0.3, 1.1}) {
    Vec3 x, v, a;
    tumbling().evaluate(t, X, x, v, a);
    const ImplicitValue g = moving.at(x, t);
    EXPECT_NEAR(g.value, f.value, 1e-14);
    EXPECT_LT((moving.velocity(x, t) - v).norm(), 1e-13);
    EXPECT_LT((moving.pose(t).material(x) - X).norm(), 1e-14);
    const double h = 1e-6;
    const double rate = (moving.at(x, t + h).value - moving.at(x, t - h).value) / (2 * h);
    EXPECT_NEAR(rate, -g.gradient.dot(v), 1e-8);
    for (int i = 0; i < 3; ++i) {
      const Vec3 e = h * Vec3::Unit(i);
      const ImplicitValue p = moving.at(x + e, t), m = moving.at(x - e, t);
      EXPECT_NEAR((p.value - m.value) / (2 * h), g.gradient[i], 1e-8);
      EXPECT_LT(((p.gradient - m.gradient) / (2 * h) - g.hessian.col(i)).norm(), 1e-7);
    }
  }
}

TEST(MovingShape, AtRestKeepsEveryBit) {
  const ShapePtr shape = sphere({0.1, 0.2, 0.3}, 0.7);
  const MovingShape rest(shape);
  const Vec3 x(1.1, -0.3, 0.77);
  EXPECT_TRUE(rest.is_static());
  EXPECT_EQ(rest.at(x, 3).value, shape->value(x));
  EXPECT_EQ(rest.at(x, 3).hessian, shape->at(x).hessian);
  EXPECT_EQ(rest.velocity(x, 3), Vec3::Zero());
}

TEST(MovingShape, BoundsContainTheMovedShape) {
  const ShapePtr shape = capsule({-0.5, 0, 0}, {0.5, 0.1, 0}, 0.2);
  const PosedShape posed = MovingShape(shape, tumbling()).pose(0.4);
  const Box3 box = posed.bounds().value();
  std::mt19937 random(3);
  std::uniform_real_distribution<double> u(-2, 2);
  for (int k = 0; k < 20000; ++k) {
    const Vec3 x{u(random), u(random), u(random)};
    if (posed.value(x) > 0) continue;
    EXPECT_TRUE((x.array() >= box.min.array()).all() && (x.array() <= box.max.array()).all());
  }
  EXPECT_FALSE(MovingShape(half_space({0, 0, 0}, {0, 1, 0})).pose(0).bounds());
}

TEST(ShapeStep, OfAPlaneIsExact) {
  const MovingShape floor(half_space({0, 0, 0}, {0, 1, 0}));
  EXPECT_DOUBLE_EQ(floor.safe_step({0, 1, 0}, {5, -4, 0}, 0, 0.2, 0), 0.2);    // from 1 to 0.2
  EXPECT_DOUBLE_EQ(floor.safe_step({0, 1, 0}, {5, -4, 0}, 0, 0.5, 0.2), 0.1);  // from 0.8 to 0.4 above 0.2
  EXPECT_EQ(floor.safe_step({0, 1, 0}, {5, -0.7, 0}, 0, 0.2, 0), 1);
  EXPECT_EQ(floor.safe_step({0, 1e-9, 0}, {1000, 0, 0}, 0, 0.2, 0), 1);
  EXPECT_EQ(floor.safe_step({0, 1, 0}, {0, 7, 0}, 0, 0.2, 0), 1);
  EXPECT_EQ(floor.safe_step({0, 1, 0}, {0, 0, 0}, 0, 0.2, 0), 1);
  EXPECT_EQ(floor.safe_step({0, 0, 0}, {0, 1, 0}, 0, 0.2, 0), 0);
  EXPECT_EQ(floor.safe_step({0, 0.1, 0}, {0, 1, 0}, 0, 0.2, 0.1), 0);
  EXPECT_EQ(floor.safe_step({0, -1, 0}, {0, 1, 0}, 0, 0.2, 0), 0);
}

TEST(ShapeStep, KeepsTheDistanceAndStopsCloseToWhereItIsLost) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> u(-1, 1);
  const double keep = 0.2, minimum = 0.01;
  int cut = 0, shorter = 0;
  for (const ShapePtr& shape : all_shapes()) {
    const PosedShape posed = MovingShape(shape, tumbling()).pose(0.3);
    for (int k = 0; k < 150; ++k) {
      const Vec3 x{1.5 * u(random), 1.5 * u(random), 1.5 * u(random)}, dx{3 * u(random), 3 * u(random), 3 * u(random)};
      const double gap = posed.value(x) - minimum;
      if (gap <= 0) {
        EXPECT_EQ(posed.safe_step(x, dx, keep, minimum), 0);
        continue;
      }
      const double s = posed.safe_step(x, dx, keep, minimum);
      const auto margin = [&](double r) { return posed.value(x + r * dx) - minimum - keep * gap; };
      EXPECT_GE(least(margin, s), -1e-14);
      if (s == 1) continue;
      ++cut;
      // either the distance is nearly used up, or progress had to stop on a grazing path
      if (margin(s) > 2e-3 * gap) ++shorter;
    }
  }
  EXPECT_GT(cut, 50);
  EXPECT_EQ(shorter, 0);
}

TEST(ShapeStep, SlidingPastIsNotCut) {
  // a gap of 1e-6 and a path of 0.1 along the surface, which curves away
  for (const double gap : {1e-3, 1e-6, 1e-9}) {
    EXPECT_EQ(MovingShape(sphere({0, 0, 0}, 1)).safe_step({0, 1 + gap, 0}, {0.1, 0, 0}, 0, 0.1, 0), 1);
    EXPECT_EQ(MovingShape(box({0, 0, 0}, {1, 1, 1})).safe_step({0, 1 + gap, 0}, {0.1, 0, 0}, 0, 0.1, 0), 1);
    EXPECT_EQ(MovingShape(cylinder({0, 0, 0}, {0, 0, 1}, 1)).safe_step({0, 1 + gap, 0}, {0.1, 0, 0.1}, 0, 0.1, 0), 1);
    EXPECT_EQ(MovingShape(torus({0, 0, 0}, {0, 0, 1}, 1, 0.2)).safe_step({0, 1.2 + gap, 0}, {0.1, 0, 0}, 0, 0.1, 0), 1);
  }
}

TEST(ShapeStep, HitsABallFromAfar) {
  // 1 mm ball, 100 m of path: no tunnelling, and the answer is the true one
  const MovingShape ball(sphere({50, 0, 0}, 1e-3));
  const double s = ball.safe_step({0, 0, 0}, {100, 0, 0}, 0, 0.0, 0);
  EXPECT_LT(s, 0.49999);
  EXPECT_GT(s, 0.49999 - 1e-3 * 0.5);
  EXPECT_EQ(ball.safe_step({0, 2e-3, 0}, {100, 0, 0}, 0, 0.0, 0), 1);
}

/// As they come from a state of a damaged file: the search ends, and lets nothing through.
TEST(ShapeStep, OfAWayWithoutAnEndIsNone) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const ShapePtr& shape : all_shapes()) {
    const PosedShape posed = MovingShape(shape, tumbling()).pose(0.3);
    const Vec3 x{30, 40, 50};
    ASSERT_GT(posed.value(x), 0);
    for (const double far : {1e200, infinity, std::numeric_limits<double>::quiet_NaN()})
      EXPECT_EQ(posed.safe_step(x, {0, -far, 0}, 0.2, 0), 0) << far;
    EXPECT_LE(posed.safe_step(x, {0, -1e150, 0}, 0.2, 0), 1);
  }
}

}  // namespace
}  // namespace limber
