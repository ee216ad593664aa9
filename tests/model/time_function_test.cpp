#include "limber/model/time_function.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

using Scalar = TimeFunction<double>;

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

void expect_derivatives(const Scalar& y, double t, double h = 1e-4) {
  const auto jet = y.at(t);
  const double first = (-y(t + 2 * h) + 8 * y(t + h) - 8 * y(t - h) + y(t - 2 * h)) / (12 * h);
  const double second = (y(t + h) - 2 * y(t) + y(t - h)) / (h * h);
  EXPECT_NEAR(jet.rate, first, 1e-8 * (1 + std::abs(first))) << "t = " << t;
  EXPECT_NEAR(jet.acceleration, second, 1e-5 * (1 + std::abs(second))) << "t = " << t;
}

TEST(TimeFunction, DefaultIsZeroAndConstantIsConstant) {
  EXPECT_EQ(TimeFunction<Vec3>()(3.0), Vec3::Zero());
  const auto c = TimeFunction<Vec3>::constant({1, 2, 3});
  EXPECT_EQ(c(-7.0), Vec3(1, 2, 3));
  EXPECT_EQ(c.at(1).rate, Vec3::Zero());
  EXPECT_EQ(c.at(1).acceleration, Vec3::Zero());
  EXPECT_TRUE(c.is_constant());
  EXPECT_FALSE(Scalar::sine(1, 1, 0, 0).is_constant());
}

TEST(TimeFunction, SineHasGivenFrequencyPhaseAndOffset) {
  const auto y = Scalar::sine(2, 0.5, std::numbers::pi / 2, 10);
  EXPECT_NEAR(y(0), 12, 1e-14);
  EXPECT_NEAR(y(1), 8, 1e-14);
  EXPECT_NEAR(y(2), 12, 1e-13);
  for (const double t : {-1.3, 0.0, 0.7, 2.9}) expect_derivatives(y, t);
}

TEST(TimeFunction, LinearTableInterpolatesAndClamps) {
  const auto y = Scalar::table({1, 2, 4}, {0, 10, -10}, Interpolation::linear, "k");
  EXPECT_EQ(y(0), 0);
  EXPECT_DOUBLE_EQ(y(1.25), 2.5);
  EXPECT_DOUBLE_EQ(y(3), 0);
  EXPECT_EQ(y(9), -10);
  EXPECT_EQ(y.at(0.5).rate, 0);
  EXPECT_EQ(y.at(9).rate, 0);
}

TEST(TimeFunction, DerivativesAtKinksAreFromTheRight) {
  const auto y = Scalar::table({1, 2, 4}, {0, 10, -10}, Interpolation::linear, "k");
  EXPECT_DOUBLE_EQ(y.at(1).rate, 10);
  EXPECT_DOUBLE_EQ(y.at(2).rate, -10);
  EXPECT_EQ(y.at(4).rate, 0);
  EXPECT_EQ(y.at(2).acceleration, 0);
}

TEST(TimeFunction, ClampedSplineOfKnownValues) {
  // Keys 0, 1, 2 with values 0, 1, 0: 2m₀ + m₁ = 6, m₀ + 4m₁ + m₂ = −12, m₁ + 2m₂ = 6, so y″ = 6, −6, 6, y(½) = ½.
  const auto y = Scalar::table({0, 1, 2}, {0, 1, 0}, Interpolation::smooth, "k");
  EXPECT_NEAR(y.at(1).acceleration, -6, 1e-14);
  EXPECT_NEAR(y(0.5), 0.5, 1e-14);
  EXPECT_NEAR(y.at(0).acceleration, 6, 1e-14);
  EXPECT_NEAR(y.at(1).rate, 0, 1e-14);
  EXPECT_NEAR(y.at(0).rate, 0, 1e-14);
  EXPECT_NEAR(y.at(2 - 1e-12).rate, 0, 1e-10);
}

TEST(TimeFunction, SplineIsTwiceContinuouslyDifferentiableInside) {
  const std::vector<double> times{0, 0.3, 1, 1.1, 2.5, 4}, values{1, -2, 0.5, 3, 3, -1};
  const auto y = Scalar::table(times, values, Interpolation::smooth, "k");
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(y(times[i]), values[i], 1e-13);
  for (std::size_t i = 1; i + 1 < times.size(); ++i) {
    const double e = 1e-9;
    const auto left = y.at(times[i] - e), right = y.at(times[i]);
    EXPECT_NEAR(left.value, right.value, 1e-6);
    EXPECT_NEAR(left.rate, right.rate, 1e-5);
    EXPECT_NEAR(left.acceleration, right.acceleration, 1e-4);
  }
  EXPECT_NEAR(y.at(4 - 1e-9).rate, 0, 1e-6);
  EXPECT_NEAR(y.at(0).rate, 0, 1e-12);
  for (const double t : {0.1, 0.2, 0.65, 1.05, 1.7, 3.2}) expect_derivatives(y, t);
  EXPECT_EQ(y(-1), 1);
  EXPECT_EQ(y(5), -1);
  EXPECT_EQ(y.at(5).rate, 0);
}

TEST(TimeFunction, SplineReproducesTheCubicThatIsFlatAtItsEnds) {
  const auto cubic = [](double t) { return 1 + t * t * (3 - t); };  // y′ = 0 at 0 and 2
  const auto y =
      Scalar::table({0, 0.1, 1.5, 2}, {cubic(0), cubic(0.1), cubic(1.5), cubic(2)}, Interpolation::smooth, "k");
  for (const double t : {0.0, 0.05, 0.9, 1.7}) EXPECT_NEAR(y(t), cubic(t), 1e-13);
}

TEST(TimeFunction, TwoKeysOrOne) {
  const auto two = TimeFunction<Vec3>::table({0, 2}, {Vec3(0, 0, 0), Vec3(2, 4, 6)}, Interpolation::smooth, "k");
  EXPECT_NEAR((two(1) - Vec3(1, 2, 3)).norm(), 0, 1e-15);
  EXPECT_NEAR((two(0.5) - 0.15625 * Vec3(2, 4, 6)).norm(), 0, 1e-15);  // 3s² − 2s³ at s = ¼
  const auto one = Scalar::table({1}, {5}, Interpolation::smooth, "k");
  EXPECT_EQ(one(0), 5);
  EXPECT_EQ(one(1), 5);
  EXPECT_EQ(one.at(2).rate, 0);
}

TEST(TimeFunction, VectorTableEqualsScalarTablesByComponent) {
  const std::vector<double> t{0, 1, 3, 4};
  const auto v = TimeFunction<Vec3>::table(t, {Vec3(1, 0, 2), Vec3(0, 5, 1), Vec3(2, 2, 2), Vec3(-1, 3, 0)},
                                           Interpolation::smooth, "k");
  const auto y = Scalar::table(t, {0, 5, 2, 3}, Interpolation::smooth, "k");
  EXPECT_NEAR(v(2.2).y(), y(2.2), 1e-14);
  EXPECT_NEAR(v.at(2.2).rate.y(), y.at(2.2).rate, 1e-14);
}

TEST(TimeFunction, BadTablesAreNamed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto build = [](std::vector<double> t, std::vector<double> y) {
    return message_of([&] { Scalar::table(std::move(t), std::move(y), Interpolation::linear, "wind.keys"); });
  };
  EXPECT_NE(build({}, {}).find("wind.keys: a table needs at least one key"), std::string::npos);
  EXPECT_NE(build({0, 1}, {0}).find("2 times but 1 values"), std::string::npos);
  EXPECT_NE(build({0, 1, 1}, {0, 1, 2}).find("key 2"), std::string::npos);
  EXPECT_NE(build({0, nan}, {0, 1}).find("not finite"), std::string::npos);
  EXPECT_NE(build({0, 1}, {0, nan}).find("key 1"), std::string::npos);
  EXPECT_NE(message_of([] { interpolation_named("cubic", "script[0].interpolation"); }).find("linear, smooth"),
            std::string::npos);
  EXPECT_EQ(interpolation_named("smooth", ""), Interpolation::smooth);
}

}  // namespace
}  // namespace limber
