/// Minima that are known in closed form, between bounds.

#include "limber/gradient/minimize.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "limber/core/errors.hpp"

namespace limber::test {
namespace {

ValueAndGradient rosenbrock(const Vector& x) {
  const double a = 1 - x[0], b = x[1] - x[0] * x[0];
  return {a * a + 100 * b * b, Eigen::Vector2d(-2 * a - 400 * b * x[0], 200 * b)};
}

std::vector<FitVariable> ranges(std::initializer_list<std::pair<double, double>> bounds, bool logarithmic = false) {
  std::vector<FitVariable> all;
  for (const auto& [low, high] : bounds) all.push_back({"x" + std::to_string(all.size()), low, high, logarithmic});
  return all;
}

MinimizeOptions options(int evaluations, int starts = 1) {
  MinimizeOptions o;
  o.max_evaluations = evaluations;
  o.starts = starts;
  return o;
}

TEST(Minimize, RosenbrocksValley) {
  const Minimum found = minimize(rosenbrock, ranges({{-2, 2}, {-2, 2}}), Eigen::Vector2d(-1.2, 1));
  EXPECT_TRUE(found.converged) << found.reason;
  EXPECT_NEAR(found.x[0], 1, 1e-6);
  EXPECT_NEAR(found.x[1], 1, 1e-6);
  EXPECT_LT(found.evaluations, 80);
}

/// At x₀ = .8 the best x₁ is x₀², and the value (1 − .8)².
TEST(Minimize, RosenbrocksValleyAgainstABound) {
  const std::vector<FitVariable> variables = ranges({{-2, .8}, {-2, 2}});
  const SmoothFunction inside = [](const Vector& x) {
    EXPECT_LE(x[0], .8);
    EXPECT_LE(std::abs(x[1]), 2);
    return rosenbrock(x);
  };
  const Minimum found = minimize(inside, variables, Eigen::Vector2d(-1.2, 1));
  EXPECT_TRUE(found.converged) << found.reason;
  EXPECT_EQ(found.x[0], .8);
  EXPECT_NEAR(found.x[1], .64, 1e-7);
  EXPECT_NEAR(found.at.value, .04, 1e-12);
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_NE(found.notes[0].find("x0 ended at its upper bound, 0.8"), std::string::npos) << found.notes[0];
}

/// The units of J do not matter, and ranges over decades are searched by logarithm: Σ wᵢ (ln xᵢ − cᵢ)².
TEST(Minimize, LogarithmsAndUnits) {
  for (const double unit : {1e-12, 1.0, 1e12}) {
    const SmoothFunction f = [&](const Vector& x) {
      ValueAndGradient at{0, Vector(3)};
      for (Index i = 0; i < 3; ++i) {
        const double w = std::pow(100., static_cast<double>(i)), d = std::log(x[i]) - static_cast<double>(i);
        at.value += unit * w * d * d;
        at.gradient[i] = unit * 2 * w * d / x[i];
      }
      return at;
    };
    const Minimum found = minimize(f, ranges({{1e-6, 1e6}, {1e-6, 1e6}, {1e-6, 1e6}}, true), Vector::Constant(3, 1e-4));
    EXPECT_TRUE(found.converged) << found.reason;
    for (Index i = 0; i < 3; ++i) EXPECT_NEAR(found.x[i] / std::exp(static_cast<double>(i)), 1, 1e-5) << unit;
  }
}

/// Many variables, half of them held by their bounds: min Σ i (xᵢ − cᵢ)² has xᵢ = cᵢ cut to the bounds.
TEST(Minimize, ManyVariables) {
  constexpr Index n = 300;
  const auto target = [](Index i) { return 2 * std::sin(static_cast<double>(7 * i)); };
  const SmoothFunction f = [&](const Vector& x) {
    ValueAndGradient at{0, Vector(n)};
    for (Index i = 0; i < n; ++i) {
      const double w = 1 + static_cast<double>(i), d = x[i] - target(i);
      at.value += w * d * d;
      at.gradient[i] = 2 * w * d;
    }
    return at;
  };
  std::vector<FitVariable> variables;
  for (Index i = 0; i < n; ++i) variables.push_back({"x", -1, 1, false});
  MinimizeOptions accurate = options(200);
  accurate.tolerance = 1e-13;
  const Minimum found = minimize(f, variables, Vector::Zero(n), accurate);
  EXPECT_TRUE(found.converged) << found.reason;
  for (Index i = 0; i < n; ++i) EXPECT_NEAR(found.x[i], std::clamp(target(i), -1., 1.), 1e-4) << i;
  EXPECT_LT(found.evaluations, 70);
}

/// ln cosh is flat far from its minimum at 0, so that steps grow; where x > .05 nothing can be evaluated.
TEST(Minimize, StepsThatFailAreShortened) {
  int failures = 0;
  const SmoothFunction f = [&](const Vector& x) -> ValueAndGradient {
    if (x[0] > .05) {
      ++failures;
      throw StepFailure("the motion blew up");
    }
    return {std::log(std::cosh(5 * x[0])) + x[1] * x[1], Eigen::Vector2d(5 * std::tanh(5 * x[0]), 2 * x[1])};
  };
  const Minimum found = minimize(f, ranges({{-2, 2}, {-2, 2}}), Eigen::Vector2d(-1.9, 1));
  EXPECT_GT(failures, 0);
  EXPECT_TRUE(found.converged) << found.reason;
  EXPECT_NEAR(found.x[0], 0, 1e-5);
  EXPECT_NEAR(found.x[1], 0, 1e-5);
  EXPECT_LT(found.evaluations, 40);
  ASSERT_FALSE(found.notes.empty());
  EXPECT_NE(found.notes[0].find("the motion blew up"), std::string::npos);
}

/// The least value lies where nothing can be evaluated: the search comes close, and says so.
TEST(Minimize, TheMinimumIsBehindAFailure) {
  const SmoothFunction f = [](const Vector& x) -> ValueAndGradient {
    if (x[0] > .5) throw StepFailure("not there");
    return {(x[0] - 1) * (x[0] - 1) + x[1] * x[1], 2 * Eigen::Vector2d(x[0] - 1, x[1])};
  };
  const Minimum found = minimize(f, ranges({{-2, 2}, {-2, 2}}), Eigen::Vector2d(-1, 1.5), options(500));
  EXPECT_FALSE(found.converged);
  EXPECT_NEAR(found.x[0], .5, 1e-3);
  EXPECT_LE(found.x[0], .5);
  EXPECT_NE(found.reason.find("the run fails"), std::string::npos) << found.reason;
}

TEST(Minimize, TheBestOfSeveralStarts) {
  const SmoothFunction f = [](const Vector& x) -> ValueAndGradient {  // least of all near −.5, another near .96
    return {std::pow(x[0] * x[0] - 1, 2) / 4 + .2 * x[0], Vector::Constant(1, x[0] * (x[0] * x[0] - 1) + .2)};
  };
  const auto from = [&](int starts) {
    return minimize(f, ranges({{-3, 3}}), Vector::Constant(1, .9), options(100, starts)).x[0];
  };
  EXPECT_GT(from(1), 0);
  const double least = from(8);
  EXPECT_LT(least, -1);
  EXPECT_NEAR(least * (least * least - 1), -.2, 1e-7);
}

TEST(Minimize, WhatEndsIt) {
  const auto both = ranges({{-2, 2}, {-2, 2}});
  const Eigen::Vector2d start(-1.2, 1);
  const Minimum few = minimize(rosenbrock, both, start, options(7));
  EXPECT_EQ(few.evaluations, 7);
  EXPECT_FALSE(few.converged);
  EXPECT_NE(few.reason.find("7 evaluations"), std::string::npos);
  double least = 1e9;
  const Minimum stopped = minimize(rosenbrock, both, start, {.go_on = [&](const MinimizeProgress& p) {
                                     least = std::min(least, p.value);
                                     return p.evaluation < 5;
                                   }});
  EXPECT_EQ(stopped.evaluations, 5);
  EXPECT_EQ(stopped.at.value, least);
  EXPECT_EQ(stopped.reason, "it was stopped");
  int count = 0;
  const SmoothFunction throws = [&](const Vector& x) {
    if (++count == 4) throw std::logic_error("of the caller");
    return rosenbrock(x);
  };
  EXPECT_THROW(minimize(throws, both, start), std::logic_error);
  EXPECT_EQ(count, 4);
}

TEST(Minimize, ItStartsAtTheMinimum) {
  const Minimum found = minimize(rosenbrock, ranges({{-2, 2}, {-2, 2}}), Eigen::Vector2d(1, 1));
  EXPECT_TRUE(found.converged) << found.reason;
  EXPECT_EQ(found.evaluations, 1);
  const Minimum corner = minimize(rosenbrock, ranges({{-2, 1}, {-2, 1}}), Eigen::Vector2d(1, 1));
  EXPECT_TRUE(corner.converged);
}

TEST(Minimize, WrongRequests) {
  const Eigen::Vector2d start(0, 0);
  EXPECT_THROW(minimize(rosenbrock, ranges({{2, -2}, {-2, 2}}), start), InputError);
  EXPECT_THROW(minimize(rosenbrock, ranges({{1, 2}, {-2, 2}}), start), InputError);
  EXPECT_THROW(minimize(rosenbrock, ranges({{-2, 2}}), start), InputError);
  EXPECT_THROW(minimize(rosenbrock, ranges({{-2, 2}, {-2, 2}}, true), start), InputError);
  const SmoothFunction never = [](const Vector&) -> ValueAndGradient { throw StepFailure("never"); };
  try {
    minimize(never, ranges({{-2, 2}, {-2, 2}}), start);
    FAIL();
  } catch (const StepFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("x0 = 0"), std::string::npos) << failure.what();
  }
  const SmoothFunction infinite = [](const Vector&) -> ValueAndGradient { return {NAN, Vector::Zero(2)}; };
  EXPECT_THROW(minimize(infinite, ranges({{-2, 2}, {-2, 2}}), start), StepFailure);
}

}  // namespace
}  // namespace limber::test
