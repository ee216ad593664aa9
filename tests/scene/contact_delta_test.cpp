/// The distance at which contact begins where a scene gives none.

#include <gtest/gtest.h>

#include <cmath>

#include "limber/scene/construction/build.hpp"
#include "scene/samples.hpp"

namespace limber::test {
namespace {

/// Boxes of .2 m in `cells` cells each way, so far apart.
Model boxes(double apart, int cells) {
  nlohmann::json scene = {{"time", {{"step", .01}, {"duration", 1}}}, {"contact", nlohmann::json::object()}};
  for (const double x : {0., apart})
    scene["bodies"].push_back(
        {{"mesh", {{"shape", "box"}, {"size", {.2, .2, .2}}, {"cells", {cells, cells, cells}}, {"split", "six"}}},
         {"position", {x, 0, 0}},
         {"material", {{"young", 1e5}, {"poisson", .3}}}});
  return build_model(read_scene(scene, vocabulary(), ""));
}

double diagonal(double apart) { return std::sqrt(std::pow(apart + .2, 2) + 2 * .2 * .2); }

TEST(ContactDelta, IsAThousandthOfTheBoxAroundAllBodies) {
  for (const double apart : {.3, 4.}) {
    const Model model = boxes(apart, 4);
    EXPECT_NEAR(model.contact->collisions->delta(), 1e-3 * diagonal(apart), 1e-12);
  }
}

/// A face of a cell has four sides, each shared with another face, and a diagonal.
TEST(ContactDelta, IsAtMostAQuarterOfTheMeanEdgeOfABody) {
  const int n = 8;
  const double mean = .2 / n * (2 + std::sqrt(2)) / 3;
  const Model model = boxes(50, n);
  ASSERT_LT(.25 * mean, 1e-3 * diagonal(50));
  EXPECT_NEAR(model.contact->collisions->delta(), .25 * mean, 1e-12);
}

TEST(ContactDelta, LetsNoSmallBodyTouchItself) {
  const Model model = boxes(50, 10);
  const State full = model.system->full(model.start);
  EXPECT_TRUE(model.contact->collisions->at(full.q, full.t).empty());
  for (const std::string& note : model.notes) EXPECT_EQ(note.find("pushes itself apart"), std::string::npos) << note;
}

}  // namespace
}  // namespace limber::test
