#include "limber/force/loads.hpp"

#include <gtest/gtest.h>

#include "force/differences.hpp"

namespace limber {
namespace {

using namespace test;

TEST(NodalLoads, FollowTheFunctionOfTime) {
  NodalLoads loads({1, 2},
                   TimeFunction<Vec3>::table({0, 2}, {Vec3(0, 0, 0), Vec3(2, -4, 6)}, Interpolation::linear, "k"));
  const State u{random_vector(9, 1, 1), random_vector(9, 1, 2), 1};
  EXPECT_NEAR((force_at(loads, u) - Vector{{0, 0, 0, 1, -2, 3, 1, -2, 3}}).norm(), 0, 1e-14);
  for (const double t : {-1.0, 0.4, 5.0}) {
    const State at{u.q, u.v, t};
    expect_force_from_potentials(loads, at);
    expect_stiffness(loads, at);
    expect_damping(loads, at);
  }
  EXPECT_TRUE(loads.traits().symmetric);
  EXPECT_FALSE(loads.traits().velocity_dependent);
}

}  // namespace
}  // namespace limber
