#include "limber/study/unguarded.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "limber/study/flung_bar.hpp"

namespace limber {
namespace {

double most(const Trial& trial) {
  double e = 0;
  for (const auto& s : trial.steps) e = std::max(e, s.energies.kinetic + s.energies.elastic);
  return e;
}

/// Where nothing fails the driver adds nothing but the rounding of its times.
TEST(Unguarded, TakesTheStepsOfTheDriver) {
  const auto scene = under_method(flung_bar(4, 0.01, 0.1), "BDF2");
  const Trial alone = simulate_unguarded(scene), driven = simulate(scene);
  ASSERT_EQ(alone.steps.size(), 11u);
  ASSERT_EQ(driven.steps.size(), 11u);
  EXPECT_EQ(driven.escalated + driven.halved, 0);
  EXPECT_LT((alone.last.q - driven.last.q).lpNorm<Eigen::Infinity>(), 1e-10);
  EXPECT_NEAR(alone.steps.back().energies.total(), driven.steps.back().energies.total(), 1e-7);
  EXPECT_DOUBLE_EQ(alone.last.t, 0.1);
  EXPECT_GT(alone.steps.back().newton_iterations, 1);
}

TEST(Unguarded, LetsSiDivergeWhereTheDriverSteps) {
  const auto scene = under_method(flung_bar(10, 0.01, 0.6), "SI");
  const Trial alone = simulate_unguarded(scene), driven = simulate(scene);
  Trial first;
  first.steps = {alone.steps.front()};
  const double start = most(first);
  EXPECT_GT(most(alone), 100 * start);
  EXPECT_LT(most(driven), 2 * start);
  EXPECT_GT(driven.escalated, 0);
}

TEST(Unguarded, SaysWhyItStopped) {
  const auto scene = under_method(flung_bar(10, 0.01, 2), "SI");
  const Trial trial = simulate_unguarded(scene);
  ASSERT_TRUE(trial.stopped);
  EXPECT_FALSE(trial.stopped->empty());
  EXPECT_LT(trial.steps.size(), 201u);
}

TEST(Unguarded, ReportsItsProgress) {
  double last = 0;
  long calls = 0;
  simulate_unguarded(under_method(flung_bar(4, 0.01, 0.05), "SI"), [&](double part) {
    EXPECT_GT(part, last);
    last = part;
    ++calls;
  });
  EXPECT_EQ(calls, 5);
  EXPECT_DOUBLE_EQ(last, 1);
}

}  // namespace
}  // namespace limber
