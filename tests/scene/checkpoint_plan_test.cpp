#include "limber/scene/run/checkpoint_plan.hpp"

#include <gtest/gtest.h>

#include "limber/scene/run/pace.hpp"

namespace limber::test {
namespace {

OutputChoice every(int steps) {
  OutputChoice output;
  output.checkpoint_every = steps;
  return output;
}

OutputChoice after_work(double seconds) {
  OutputChoice output;
  output.checkpoint_work = seconds;
  return output;
}

StepWork work(long steps, long solves, long factorizations) {
  return {steps, {.analyses = 0, .factorizations = factorizations, .solves = solves, .iterations = solves}};
}

TEST(CheckpointPlan, ComesAfterSoManySteps) {
  const CheckpointPlan small({}, 100), large({}, 100'000), own(every(7), 100);
  EXPECT_FALSE(small.due(499, work(499, 2000, 10)));
  EXPECT_TRUE(small.due(500, work(500, 2000, 10)));
  EXPECT_TRUE(large.due(40, work(20, 0, 0)));
  EXPECT_TRUE(own.due(14, work(7, 0, 0)));
  EXPECT_FALSE(own.due(15, work(1, 0, 0)));
}

TEST(CheckpointPlan, ComesEarlierWhereStepsAreLong) {
  // 300 000 unknowns with thirty solves a step: more than 20 s each.
  const CheckpointPlan plan({}, 300'000);
  EXPECT_GT(counted_seconds(300'000, work(1, 30, 5)), 20);
  EXPECT_TRUE(plan.due(1, work(1, 30, 5)));
  // Not before solvers have done several times what it costs them.
  EXPECT_FALSE(plan.due(1, work(1, 10, 1)));
  EXPECT_TRUE(plan.due(2, work(2, 20, 1)));
  // As much work as is asked for.
  EXPECT_TRUE(CheckpointPlan(after_work(1e-3), 100).due(3, work(3, 16, 1)));
  EXPECT_FALSE(CheckpointPlan(after_work(1), 100).due(3, work(3, 16, 1)));
}

TEST(Pace, FollowsTheLastSteps) {
  Pace pace;
  double now = 0;
  pace.at(0, now);
  for (long step = 1; step <= 100; ++step) pace.at(step, now += .1);
  EXPECT_NEAR(pace.left(200), 10, .1);
  for (long step = 101; step <= 120; ++step) pace.at(step, now += 10);  // contact has begun
  EXPECT_NEAR(pace.left(200), 800, 1);
  for (long step = 121; step <= 30'000; ++step) pace.at(step, now += .001);
  EXPECT_NEAR(pace.left(60'000), 30, .5);
}

TEST(Pace, KnowsNothingBeforeTheFirstStep) {
  Pace pace;
  EXPECT_EQ(pace.left(10), 0);
  pace.at(4, 1);
  EXPECT_EQ(pace.left(10), 0);
  pace.at(5, 3);
  EXPECT_NEAR(pace.left(10), 10, 1e-12);
}

}  // namespace
}  // namespace limber::test
