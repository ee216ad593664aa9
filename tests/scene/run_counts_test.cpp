#include "limber/scene/run/run_counts.hpp"

#include <gtest/gtest.h>

#include "scene/samples.hpp"

namespace limber::test {
namespace {

TEST(RunCounts, ReasonsOfHalvedStepsHideNoOtherMessage) {
  const nlohmann::json json = {{"time", {{"step", .01}, {"duration", 1}}},
                               {"bodies",
                                {{{"mesh", {{"shape", "box"}, {"size", {1, 1, 1}}, {"cells", {1, 1, 1}}}},
                                  {"material", {{"young", 1e5}, {"poisson", .3}}}}}}};
  const Scene scene = read_scene(json, vocabulary(), "");
  const Model model = build_model(scene);
  const Simulation simulation = build_simulation(scene, model);
  RunCounts counts(simulation, model);
  StepRecord step;
  for (int i = 0; i < 50; ++i) step.notes.push_back("reason " + std::to_string(i));
  counts.add(step);
  EXPECT_EQ(counts.notes().size(), 20u);
  step.remarks = {"energy has appeared"};
  counts.add(step);
  ASSERT_EQ(counts.notes().size(), 21u);
  EXPECT_EQ(counts.notes().back(), "energy has appeared");
  counts.add(step);
  EXPECT_EQ(counts.notes().size(), 21u);  // what is said again stands there once
}

}  // namespace
}  // namespace limber::test
