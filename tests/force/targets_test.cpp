#include "limber/force/targets.hpp"

#include <gtest/gtest.h>

#include "force/differences.hpp"

namespace limber {
namespace {

using namespace test;

std::vector<Vector> shapes() { return {random_vector(6, 1, 1), random_vector(6, 1, 2), random_vector(6, 1, 3)}; }

TargetSprings targets(double damping, Interpolation interpolation) {
  return TargetSprings({0, 2}, {KeyTimes({0, 1, 3}, interpolation, "k"), shapes()}, 40, damping, "targets");
}

TEST(TargetSprings, PullTowardTheKeyedShape) {
  const auto force = targets(0, Interpolation::linear);
  const State u{random_vector(9, 1, 7), random_vector(9, 1, 8), 2};
  const Vector target = (shapes()[1] + shapes()[2]) / 2;
  Vector expected = Vector::Zero(9);
  expected.segment<3>(0) = -40 * (u.q.segment<3>(0) - target.segment<3>(0));
  expected.segment<3>(6) = -40 * (u.q.segment<3>(6) - target.segment<3>(3));
  EXPECT_NEAR((force_at(force, u) - expected).norm(), 0, 1e-12);
}

TEST(TargetSprings, AreConsistent) {
  for (const auto interpolation : {Interpolation::linear, Interpolation::smooth})
    for (const double damping : {0.0, 3.0})
      for (const double t : {-1.0, 0.4, 1.0, 2.2, 9.0}) {
        auto force = targets(damping, interpolation);
        const State u{random_vector(9, 1, 7), random_vector(9, 1, 8), t};
        EXPECT_EQ(force.traits().velocity_dependent, damping > 0);
        EXPECT_TRUE(force.traits().has_potential);
        expect_force_from_potentials(force, u);
        expect_stiffness(force, u);
        expect_damping(force, u);
        expect_psd(tangent_at(force, u, Definiteness::projected).K);
        expect_restricts(force, u, {0, 1, -1});
      }
}

TEST(TargetSprings, DampingVanishesOnTheTargetsMotion) {
  const auto damped = targets(5, Interpolation::smooth), undamped = targets(0, Interpolation::smooth);
  const double t = 0.6, h = 1e-5;
  State u{random_vector(9, 1, 7), Vector::Zero(9), t};
  // The target's velocity from differences of the undamped force, f = −k (x − X).
  u.v = (force_at(undamped, {u.q, u.v, t + h}) - force_at(undamped, {u.q, u.v, t - h})) / (2 * h * 40);
  EXPECT_LE((force_at(damped, u) - force_at(undamped, u)).norm(), 1e-7);
  EXPECT_NEAR(damped.damping_power(u), 0, 1e-7);
  // Of others: what the dashpots take up, by the force on them and their speed.
  for (const double times : {2., .5, 0., -1.}) {
    const State other{u.q, times * u.v, t};
    const Vector f = force_at(damped, other) - force_at(undamped, other);
    EXPECT_NEAR(damped.damping_power(other), f.squaredNorm() / 5, 1e-10);
  }
}

TEST(TargetSprings, BadInputIsNamed) {
  const auto build = [](std::vector<int> nodes, std::vector<Vector> keys, double k) {
    return message_of([&] {
      TargetSprings(nodes, {KeyTimes({0, 1, 3}, Interpolation::linear, "k"), keys}, k, 0, "targets[0]");
    });
  };
  EXPECT_EQ(build({0, 1}, shapes(), 1), "");
  EXPECT_NE(build({0, 1}, shapes(), -1).find("targets[0].stiffness"), std::string::npos);
  EXPECT_NE(build({0}, shapes(), 1).find("targets[0].shapes[0]: 6 coordinates for 1 nodes"), std::string::npos);
  EXPECT_NE(build({0, 1}, {shapes()[0]}, 1).find("1 shapes for 3 times"), std::string::npos);
}

}  // namespace
}  // namespace limber
