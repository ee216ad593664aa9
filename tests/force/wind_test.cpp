#include "limber/force/wind.hpp"

#include <gtest/gtest.h>

#include "force/differences.hpp"

namespace limber {
namespace {

using namespace test;

const std::vector<std::array<int, 3>> faces{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
const Vector tet_rest{{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}};

Wind wind_on(std::vector<std::array<int, 3>> triangles, const Vec3& velocity) {
  return Wind(std::move(triangles), TimeFunction<Vec3>::constant(velocity), 1.2, 1.5, "wind");
}

TEST(Wind, HeadOnIsTheDragFormula) {
  // Area ½ m² facing z, wind 10 m/s along z, the triangle drifts at 4 m/s: ½ · 1.2 · 1.5 · ½ · 6² = 16.2 N.
  const Wind wind = wind_on({{0, 1, 2}}, {3, 0, 10});
  State u{tet_rest, Vector::Zero(12), 0};
  for (Index i = 2; i < 12; i += 3) u.v[i] = 4;
  Vector expected = Vector::Zero(12);
  expected[2] = expected[5] = expected[8] = 5.4;
  EXPECT_NEAR((force_at(wind, u) - expected).norm(), 0, 1e-13);
  // From behind, and for the triangle seen from its other side, the push is along the wind all the same.
  EXPECT_NEAR((force_at(wind_on({{0, 2, 1}}, {3, 0, 10}), u) - expected).norm(), 0, 1e-13);
  EXPECT_NEAR((force_at(wind_on({{0, 1, 2}}, {3, 0, -2}), u) + expected).norm(), 0, 1e-13);
}

TEST(Wind, DampingIsExactAndPositive) {
  Wind wind = wind_on(faces, {3, -2, 5});
  for (const unsigned seed : {1u, 2u}) {
    const State u{tet_rest + random_vector(12, 0.2, seed), random_vector(12, 1, seed + 5), 0};
    // |s| s has a kink in its second derivative: the steps must stay on one side of it.
    const auto f = [&](const Vector& v) { return force_at(wind, {u.q, v, 0}); };
    expect_near(tangent_at(wind, u).D, minus_jacobian(f, u.v, 1e-4), 1e-8, "D");
    expect_psd(tangent_at(wind, u).D);
    EXPECT_EQ(tangent_at(wind, u).K.norm(), 0);  // left out, as documented
    expect_restricts(wind, u, {0, -1, 1, 2});
  }
  EXPECT_TRUE(wind.traits().symmetric);
  EXPECT_FALSE(wind.traits().has_potential);
  EXPECT_TRUE(wind.traits().velocity_dependent);
  EXPECT_FALSE(wind.potentials({tet_rest, tet_rest, 0}).has_value());
}

TEST(Wind, GeometryIsTheCurrentOne) {
  const Wind wind = wind_on({{0, 1, 2}}, {0, 0, 10});
  const State u{2 * tet_rest, Vector::Zero(12), 0};
  EXPECT_NEAR(force_at(wind, u).sum(), 0.5 * 1.2 * 1.5 * 2 * 100, 1e-11);
}

TEST(Wind, ADegenerateTriangleBearsNothing) {
  Wind wind = wind_on({{0, 1, 2}}, {1, 2, 3});
  const State u{Vector::Zero(9), Vector::Zero(9), 0};
  EXPECT_EQ(force_at(wind, u).norm(), 0);
  EXPECT_EQ(tangent_at(wind, u).D.norm(), 0);
}

TEST(Wind, ChangesWithTime) {
  const Wind wind({{0, 1, 2}}, TimeFunction<Vec3>::sine({0, 0, 10}, 0.25, 0, Vec3::Zero()), 1.2, 1.5, "wind");
  EXPECT_NEAR(force_at(wind, {tet_rest, Vector::Zero(12), 0}).norm(), 0, 1e-14);
  EXPECT_NEAR(force_at(wind, {tet_rest, Vector::Zero(12), 1}).sum(), 45, 1e-11);
  EXPECT_NEAR(force_at(wind, {tet_rest, Vector::Zero(12), 3}).sum(), -45, 1e-11);
}

TEST(Wind, BadInputIsNamed) {
  EXPECT_NE(message_of([] { Wind({}, {}, -1, 1, "wind"); }).find("wind.air_density: -1"), std::string::npos);
  EXPECT_NE(message_of([] { Wind({}, {}, 1, -2, "wind"); }).find("wind.drag: -2"), std::string::npos);
}

}  // namespace
}  // namespace limber
