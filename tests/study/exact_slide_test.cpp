#include "limber/study/exact_slide.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace limber {
namespace {

constexpr double R = 0.1, g = standard_gravity;

TEST(ExactSlide, NearTheTopItGrowsLikeSinh) {
  const double v = 1e-4, rate = std::sqrt(g / R), t = 0.2;
  const SlidePoint p = exact_slide(R, v, t);
  EXPECT_TRUE(p.touches);
  EXPECT_NEAR(p.angle, v / R / rate * std::sinh(rate * t), 1e-8);
  EXPECT_NEAR(std::hypot(p.x, p.y), R, 1e-15);
}

/// ½v² + g y is kept, and v = R θ̇ by differences.
TEST(ExactSlide, KeepsItsEnergyOnTheCircle) {
  const double v = 0.3, d = 1e-4;
  for (const double t : {0.05, 0.1, 0.15}) {
    const SlidePoint a = exact_slide(R, v, t - d), b = exact_slide(R, v, t), c = exact_slide(R, v, t + d);
    const double speed = R * (c.angle - a.angle) / (2 * d);
    EXPECT_NEAR(0.5 * speed * speed + g * b.y, 0.5 * v * v + g * R, 1e-6) << t;
  }
}

TEST(ExactSlide, LeavesWhereTheSurfaceNoLongerPushes) {
  const double v = 0.3, leaves = std::acos(2.0 / 3 + v * v / (3 * g * R));
  double last = 0, first = 10;
  for (double t = 0.15; t < 0.3; t += 1e-3) {
    const SlidePoint p = exact_slide(R, v, t);
    if (p.touches)
      last = std::max(last, p.angle);
    else
      first = std::min(first, p.angle);
    EXPECT_GE(std::hypot(p.x, p.y), R - 1e-12) << t;
  }
  EXPECT_LT(last, leaves + 1e-9);
  EXPECT_GT(last, leaves - 0.02);  // it turns by less in a millisecond
  EXPECT_NEAR(first, leaves, 1e-3);
}

TEST(ExactSlide, FliesAtOnceIfFastEnough) {
  const double v = 1.1 * std::sqrt(g * R), t = 0.07;
  const SlidePoint p = exact_slide(R, v, t);
  EXPECT_FALSE(p.touches);
  EXPECT_NEAR(p.x, v * t, 1e-15);
  EXPECT_NEAR(p.y, R - g * t * t / 2, 1e-15);
}

}  // namespace
}  // namespace limber
