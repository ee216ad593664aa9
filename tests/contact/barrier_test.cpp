#include "limber/contact/forces/barrier.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "contact/wide_geometry.hpp"

namespace limber::test {
namespace {

double relative(double ours, const Wide& exact) { return static_cast<double>(abs((Wide(ours) - exact) / exact)); }

/// b and, by differences of 1e-25 δ in 80 digits, b' and b''.
void check_barrier(double x, double delta) {
  const auto b = [&](const Wide& y) { return Wide(-(y - delta) * (y - delta) * log(y / delta)); };
  const Wide y = x, h = Wide("1e-25") * x, value = b(y), plus = b(y + h), minus = b(y - h);
  const Jet ours = barrier(x, delta);
  // closed forms, themselves checked by the differences
  const Wide u = y - delta, L = log(y / delta), first = -2 * u * L - u * u / y,
             second = -2 * L - 4 * u / y + u * u / (y * y);
  if (Wide gap = abs(u); gap > 100 * h) {
    ASSERT_LT(abs(((plus - minus) / (2 * h) - first) / first), 1e-15);
    ASSERT_LT(abs(((plus - 2 * value + minus) / (h * h) - second) / second), 1e-15);
  }
  ASSERT_LT(relative(ours.value, value), 1e-14) << x << " " << delta;
  ASSERT_LT(relative(ours.first, first), 1e-14) << x << " " << delta;
  ASSERT_LT(relative(ours.second, second), 1e-14) << x << " " << delta;
}

TEST(Barrier, AgreesWithWideArithmetic) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> exponent(-12, 0), unit(0, 1), sizes(-6, 3);
  for (int i = 0; i < 400; ++i) {
    const double delta = std::pow(10, sizes(generator));
    check_barrier(delta * unit(generator), delta);                              // anywhere
    check_barrier(delta * std::pow(10, exponent(generator)), delta);            // tiny x
    check_barrier(delta * (1 - std::pow(10, exponent(generator) - 3)), delta);  // near δ
  }
  check_barrier(std::nextafter(1e-3, 0), 1e-3);
  check_barrier(0.5e-3, 1e-3);
  check_barrier(1e-100, 1e-3);
}

TEST(Barrier, IsZeroBeyondAndInfiniteAtContact) {
  for (const double x : {1e-3, 2e-3, 1.0, std::numeric_limits<double>::infinity()}) {
    const Jet b = barrier(x, 1e-3);
    EXPECT_EQ(b.value, 0);
    EXPECT_EQ(b.first, 0);
    EXPECT_EQ(b.second, 0);
  }
  for (const double x : {0.0, -1e-9, -1.0}) {
    EXPECT_EQ(barrier(x, 1e-3).value, std::numeric_limits<double>::infinity());
    EXPECT_LT(barrier(x, 1e-3).first, 0);
    EXPECT_GT(barrier(x, 1e-3).second, 0);
  }
  EXPECT_TRUE(std::isnan(barrier(std::nan(""), 1).value));
  EXPECT_NEAR(barrier(std::numeric_limits<double>::denorm_min(), 1e3).value, 1e6 * (1074 * std::log(2) + std::log(1e3)),
              1e-3);
}

TEST(Smoothing, AgreesWithWideArithmetic) {
  std::mt19937 generator(2);
  std::uniform_real_distribution<double> unit(0, 1), exponent(-12, 0), sizes(-6, 3);
  for (int i = 0; i < 300; ++i) {
    const double eps = std::pow(10, sizes(generator));
    for (const double x : {eps * unit(generator), eps * std::pow(10, exponent(generator)),
                           eps * (1 - std::pow(10, exponent(generator) - 3))}) {
      const Wide y = x, e = eps;
      const Jet s = friction_smoothing(x, eps);
      ASSERT_LT(relative(s.value, Wide(2 * y / e - y * y / (e * e))), 1e-15);
      ASSERT_LT(relative(s.first, Wide(2 / e - 2 * y / (e * e))), 1e-15);
      ASSERT_LT(relative(s.second, Wide(-2 / (e * e))), 1e-15);
      ASSERT_LT(relative(friction_potential(x, eps), Wide(y * y / e - y * y * y / (3 * e * e))), 2e-15);
      ASSERT_LT(relative(friction_factor(x, eps), Wide(2 / e - y / (e * e))), 1e-15);
      ASSERT_LT(relative(friction_factor_slope(x, eps), Wide(-1 / (e * e))), 1e-15);
    }
  }
}

TEST(Smoothing, JoinsTheConstant) {
  const double eps = 1e-3;
  EXPECT_EQ(friction_smoothing(0, eps).value, 0);
  EXPECT_EQ(friction_smoothing(0, eps).first, 2 / eps);
  EXPECT_EQ(friction_factor(0, eps), 2 / eps);
  for (const double x : {eps, 2 * eps, 1.0}) {
    EXPECT_EQ(friction_smoothing(x, eps).value, 1);
    EXPECT_EQ(friction_smoothing(x, eps).first, 0);
    EXPECT_EQ(friction_smoothing(x, eps).second, 0);
    EXPECT_DOUBLE_EQ(friction_factor(x, eps), 1 / x);
    EXPECT_DOUBLE_EQ(friction_factor_slope(x, eps), -1 / (x * x));
    EXPECT_DOUBLE_EQ(friction_potential(x, eps), x - eps / 3);
  }
  const double below = std::nextafter(eps, 0);
  EXPECT_NEAR(friction_smoothing(below, eps).value, 1, 1e-15);
  EXPECT_NEAR(friction_potential(below, eps), friction_potential(eps, eps), 1e-18);
  EXPECT_NEAR(friction_factor(below, eps), friction_factor(eps, eps), 1e-12);
}

}  // namespace
}  // namespace limber::test
