#include "limber/force/springs.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "force/differences.hpp"
#include "limber/core/errors.hpp"

namespace limber {
namespace {

using namespace test;

const Vector network_rest{{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}};
const std::vector<std::array<int, 2>> all_edges{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

State moved(unsigned seed, double by = 0.3) {
  return {network_rest + random_vector(12, by, seed), random_vector(12, 2, seed + 9), 0};
}

PointSprings network(double damping) {
  return PointSprings(network_springs(all_edges, network_rest, 50, damping), 4, EnergyKind::elastic, "springs");
}

/// A node tied to the middle of a triangle, and two barycentric points tied to each other.
PointSprings attachments(double rest_length, double damping) {
  const WeightedPoint face{{0, 1, 2}, {0.2, 0.3, 0.5}, 3}, inner{{0, 1, 2, 3}, {0.1, 0.2, 0.3, 0.4}, 4};
  const WeightedPoint far{{4, 5}, {0.25, 0.75}, 2};
  return PointSprings(
      {{WeightedPoint::node(3), face, 30, rest_length, damping}, {far, inner, 20, rest_length, damping}}, 6,
      EnergyKind::other, "attachments");
}

TEST(PointSprings, TwoNodesByHand) {
  PointSprings s({{WeightedPoint::node(0), WeightedPoint::node(1), 10, 1, 3}}, 2, EnergyKind::elastic, "s");
  const State u{Vector{{0, 0, 0, 2.5, 0, 0}}, Vector{{1, 7, 0, -1, 0, 0}}, 0};
  const Vector f = force_at(s, u);
  // Stretch 1.5 pulls node 0 by +15; it approaches node 1 at 2 m/s, which costs 6.
  EXPECT_NEAR((f - Vector{{15 - 6, 0, 0, -15 + 6, 0, 0}}).norm(), 0, 1e-13);
  EXPECT_NEAR(s.potentials(u)->stored, 0.5 * 10 * 2.25, 1e-13);
  EXPECT_NEAR(s.damping_power(u), 3 * 4, 1e-13);
}

TEST(PointSprings, NetworkIsConsistent) {
  auto springs = network(0);
  EXPECT_TRUE(springs.traits().symmetric);
  EXPECT_TRUE(springs.traits().has_potential);
  EXPECT_FALSE(springs.traits().velocity_dependent);
  EXPECT_LE(force_at(springs, {network_rest, Vector::Zero(12), 0}).norm(), 1e-13);
  for (const unsigned seed : {1u, 2u, 3u}) {
    const State u = moved(seed);
    expect_force_from_potentials(springs, u);
    expect_stiffness(springs, u);
    expect_symmetric(tangent_at(springs, u).K);
    expect_balanced(springs, u);
    expect_restricts(springs, u, {0, -1, 1, 2});
    expect_restricts(springs, u, {2, 0, 1, -1});
  }
}

TEST(PointSprings, DampedAlongTheSpring) {
  auto springs = network(4);
  EXPECT_FALSE(springs.traits().symmetric);
  EXPECT_FALSE(springs.traits().has_potential);
  EXPECT_TRUE(springs.traits().dissipates);
  EXPECT_TRUE(springs.traits().velocity_dependent);
  for (const unsigned seed : {1u, 2u}) {
    const State u = moved(seed);
    expect_stiffness(springs, u);
    expect_damping(springs, u);
    expect_psd(tangent_at(springs, u).D);
    expect_balanced(springs, u);
    expect_restricts(springs, u, {0, -1, 1, 2});
    const Matrix K = tangent_at(springs, u).K;
    EXPECT_GT((K - K.transpose()).norm(), 0.1);  // what the traits deny
    const State still{u.q, Vector::Zero(12), 0};
    EXPECT_NEAR(springs.damping_power(u), -(force_at(springs, u) - force_at(springs, still)).dot(u.v), 1e-10);
    EXPECT_GT(springs.damping_power(u), 0);
  }
}

TEST(PointSprings, ARigidTurnIsNotDamped) {
  const auto springs = network(4);
  State u{network_rest, Vector(12), 0};
  for (Index i = 0; i < 12; i += 3)
    u.v.segment<3>(i) = Vec3(1, 2, 3) + Vec3(0.3, -1, 2).cross(Vec3(network_rest.segment<3>(i)));
  EXPECT_LE(force_at(springs, u).norm(), 1e-12);
}

TEST(PointSprings, ProjectedIsPositiveAndExactWhenStretched) {
  auto damped = network(4), undamped = network(0);
  for (const unsigned seed : {1u, 2u, 3u}) {
    State u = moved(seed);
    u.q *= 0.5;
    EXPECT_LT(Eigen::SelfAdjointEigenSolver<Matrix>(tangent_at(undamped, u).K).eigenvalues().minCoeff(), -1);
    expect_psd(tangent_at(undamped, u, Definiteness::projected).K);
    expect_psd(tangent_at(damped, u, Definiteness::projected).K);
  }
  const State stretched{3 * network_rest, Vector::Zero(12), 0};
  expect_near(tangent_at(undamped, stretched, Definiteness::projected).K, tangent_at(undamped, stretched).K, 1e-14,
              "stretched");
}

TEST(PointSprings, AttachmentsOfWeightedPoints) {
  for (const double length : {0.0, 0.4})
    for (const double damping : {0.0, 2.0}) {
      auto springs = attachments(length, damping);
      const State u{random_vector(18, 1, 4), random_vector(18, 1, 5), 0};
      const bool smooth = length == 0 || damping == 0;
      EXPECT_EQ(springs.traits().symmetric, smooth);
      EXPECT_EQ(springs.traits().has_potential, smooth);
      if (smooth) expect_force_from_potentials(springs, u);
      expect_stiffness(springs, u);
      expect_damping(springs, u);
      expect_restricts(springs, u, {0, 1, -1, 2, -1, 3});
      const Vector f = force_at(springs, u);
      Vec3 sum = Vec3::Zero();
      for (Index i = 0; i < 18; i += 3) sum += f.segment<3>(i);
      EXPECT_LE(sum.norm(), 1e-12);
    }
}

TEST(PointSprings, ZeroRestLengthIsSmoothAtZero) {
  PointSprings s({{WeightedPoint::node(0), WeightedPoint::node(1), 10, 0, 3}}, 2, EnergyKind::other, "s");
  const State u{Vector::Ones(6), random_vector(6, 1, 3), 0};
  EXPECT_EQ(s.potentials(u)->stored, 0);
  expect_force_from_potentials(s, u);
  expect_stiffness(s, u);
  expect_damping(s, u);
}

TEST(PointSprings, AShrunkenSpringGivesNumbers) {
  PointSprings s({{WeightedPoint::node(0), WeightedPoint::node(1), 10, 1, 3}}, 2, EnergyKind::other, "s");
  for (const double apart : {0.0, 1e-300, 1e-15, 1e-12}) {
    State u{Vector::Zero(6), random_vector(6, 1, 3), 0};
    u.q[0] = apart;
    EXPECT_TRUE(force_at(s, u).allFinite());
    for (const auto d : {Definiteness::exact, Definiteness::projected}) {
      EXPECT_TRUE(tangent_at(s, u, d).K.allFinite());
      EXPECT_TRUE(tangent_at(s, u, d).D.allFinite());
    }
    expect_psd(tangent_at(s, u, Definiteness::projected).K);
    EXPECT_NEAR(s.potentials(u)->stored, 5, 1e-9);
  }
}

TEST(PointSprings, BadInputIsNamed) {
  const auto build = [](Spring s) { return message_of([&] { PointSprings({s}, 2, EnergyKind::other, "springs"); }); };
  const Spring good{WeightedPoint::node(0), WeightedPoint::node(1), 10, 1, 0};
  EXPECT_EQ(build(good), "");
  Spring bad = good;
  bad.stiffness = -1;
  EXPECT_NE(build(bad).find("springs[0].stiffness: -1"), std::string::npos);
  bad = good;
  bad.rest_length = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(build(bad).find("springs[0].rest_length"), std::string::npos);
  bad = good;
  bad.b = WeightedPoint::node(2);
  EXPECT_NE(build(bad).find("springs[0].b: node 2 is outside 0…1"), std::string::npos);
  bad = good;
  bad.a.weights[0] = 0.5;
  EXPECT_NE(build(bad).find("springs[0].a: weights sum to 0.5"), std::string::npos);
}

}  // namespace
}  // namespace limber
