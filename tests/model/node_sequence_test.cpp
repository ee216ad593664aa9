#include "limber/model/node_sequence.hpp"

#include <gtest/gtest.h>

namespace limber {
namespace {

const std::vector<std::vector<Vec3>> shapes = {
    {{0, 0, 0}, {1, 0, 0}}, {{0, 1, 0}, {1, 0, 2}}, {{0, 1, 0}, {3, 0, 2}}, {{-1, 1, 0}, {3, 1, 1}}};
const std::vector<double> times = {.5, 1, 3, 4};

TEST(NodeSequence, IsLinearBetweenTheMeshesAndStandsStillBeyond) {
  const NodeSequence s(times, shapes, Interpolation::linear, "test");
  for (std::size_t k = 0; k < times.size(); ++k) EXPECT_EQ(s.at(times[k]), shapes[k]) << k;
  EXPECT_EQ(s.at(1, .75), Vec3(1, 0, 1));
  EXPECT_EQ(s.rate(1, .75), Vec3(0, 0, 4));
  EXPECT_EQ(s.at(1, 2), Vec3(2, 0, 2));
  EXPECT_EQ(s.rate(0, 2), Vec3(0, 0, 0));
  for (const double t : {-3., .4}) EXPECT_EQ(s.at(t), shapes[0]);
  for (const double t : {4., 9.}) EXPECT_EQ(s.at(t), shapes[3]);
  for (const double t : {-3., 4., 9.}) EXPECT_EQ(s.rate(1, t), Vec3::Zero());
}

TEST(NodeSequence, RatesAreThoseOfThePositions) {
  for (const auto interpolation : {Interpolation::linear, Interpolation::smooth}) {
    const NodeSequence s(times, shapes, interpolation, "test");
    for (int node = 0; node < 2; ++node)
      for (const double t : {.2, .6, .9, 1.3, 2.5, 3.2, 3.9, 5.}) {
        const double h = 1e-5;
        const Vec3 slope = (s.at(node, t + h) - s.at(node, t - h)) / (2 * h);
        EXPECT_LT((s.rate(node, t) - slope).norm(), 1e-8) << t;
        EXPECT_EQ(s.at(t)[static_cast<std::size_t>(node)], s.at(node, t));
      }
  }
}

TEST(NodeSequence, SmoothOnesGoThroughTheMeshesWithoutJumps) {
  const NodeSequence s(times, shapes, Interpolation::smooth, "test");
  for (std::size_t k = 0; k < times.size(); ++k)
    for (int node = 0; node < 2; ++node) {
      EXPECT_LT((s.at(node, times[k]) - shapes[k][static_cast<std::size_t>(node)]).norm(), 1e-14);
      EXPECT_LT((s.rate(node, times[k] + 1e-9) - s.rate(node, times[k] - 1e-9)).norm(), 1e-6);
    }
  EXPECT_LT(s.rate(1, .5).norm(), 1e-14);
}

}  // namespace
}  // namespace limber
