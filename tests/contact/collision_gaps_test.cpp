#include "limber/contact/forces/collision_gaps.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "surfaces.hpp"

namespace limber::test {
namespace {

/// Two cubes of eight nodes, a sphere that moves as an implicit function and one that moves as a thick point.
ContactScene cubes() {
  ContactScene c;
  const auto cube = test::cube_surface(1);
  std::vector<double> rest;
  for (int body = 0; body < 2; ++body) {
    const int first = 8 * body;
    std::set<std::array<int, 2>> edges;
    for (int i = 0; i < 8; ++i) {
      const Vec3 x = cube.nodes[static_cast<std::size_t>(i)] + Vec3(2.3 * body, .3 * body, .2 * body);
      rest.insert(rest.end(), {x[0], x[1], x[2]});
      c.surface.points.push_back(first + i);
      c.surface.object.push_back(body);
      c.surface.radius.push_back(.01 * body);
    }
    for (const auto& t : cube.triangles) {
      c.surface.triangles.push_back({first + t[0], first + t[1], first + t[2]});
      for (std::size_t k = 0; k < 3; ++k)
        edges.insert({first + std::min(t[k], t[(k + 1) % 3]), first + std::max(t[k], t[(k + 1) % 3])});
    }
    c.surface.edges.insert(c.surface.edges.end(), edges.begin(), edges.end());
  }
  c.body_nodes = 16;
  const auto moves = [](const Vec3& by) {
    Motion m;
    m.translation = TimeFunction<Vec3>::table({0, 10}, {Vec3::Zero(), 10 * by}, Interpolation::linear, "test");
    return m;
  };
  c.implicit.push_back({MovingShape(sphere(Vec3(0, -3, 0), 1), moves({0, .5, .1})), 2});
  c.surface.points.push_back(16);
  c.surface.object.push_back(3);
  c.surface.radius.push_back(.4);
  c.surfaces.push_back({{16}, {Vec3(.2, 2.1, .1)}, moves({.1, -.3, 0})});
  rest.insert(rest.end(), {.2, 2.1, .1});
  c.rest = Eigen::Map<Vector>(rest.data(), static_cast<Index>(rest.size()));
  c.may_collide.assign(4, std::vector<char>(4, 1));
  for (std::size_t o = 0; o < 4; ++o) c.may_collide[o][o] = 0;
  c.may_collide[2][3] = c.may_collide[3][2] = 0;
  c.delta = .01;
  c.objects = {"a", "b", "ball", "point"};
  return c;
}

class Gaps : public ::testing::Test {
 protected:
  Gaps() : collisions(std::make_shared<Collisions>(cubes())), gaps(collisions, GapRule::nonpenetration) {
    u = {collisions->scene().rest.head(48), Vector::Zero(48), .5};
    for (Index i = 0; i < 48; ++i) u.q[i] += .08 * std::sin(3.7 * static_cast<double>(i) + 1);
  }
  std::shared_ptr<Collisions> collisions;
  CollisionGaps gaps;
  State u;
};

/// With a reach beyond everything, the list holds the same pairs for configurations that are nearly the same.
TEST_F(Gaps, GradientAndRateByDifferences) {
  const double far = 20, d = 1e-6;
  const auto at = gaps.near(u, u.t, far);
  ASSERT_GT(at.size(), 8u * 12u * 2u);
  Vector way(48);
  for (Index i = 0; i < 48; ++i) way[i] = std::cos(1.3 * static_cast<double>(i));
  State back = u, forth = u;
  back.q -= d * way, forth.q += d * way;
  State early = u, late = u;
  early.t -= d, late.t += d;
  const auto g0 = gaps.near(back, u.t, far), g1 = gaps.near(forth, u.t, far);
  const auto t0 = gaps.near(early, u.t, far), t1 = gaps.near(late, u.t, far);
  ASSERT_EQ(g0.size(), at.size());
  ASSERT_EQ(g1.size(), at.size());
  ASSERT_EQ(t0.size(), at.size());
  ASSERT_EQ(t1.size(), at.size());
  int moved = 0;
  for (std::size_t k = 0; k < at.size(); ++k) {
    double slope = 0;
    for (std::size_t a = 0; a < 4; ++a)
      if (at[k].nodes[a] >= 0) slope += at[k].gradient[a].dot(way.segment<3>(3 * static_cast<Index>(at[k].nodes[a])));
    EXPECT_NEAR((g1[k].value - g0[k].value) / (2 * d), slope, 1e-7) << k;
    EXPECT_NEAR((t1[k].value - t0[k].value) / (2 * d), at[k].rate, 1e-7) << k;
    moved += at[k].rate != 0;
  }
  EXPECT_GT(moved, 16);
}

/// Signed inside an implicit obstacle, and in a thick point's ball up to its centre.
TEST_F(Gaps, SignedWhereThereIsAnInside) {
  u.q.segment<3>(0) = Vec3(.1, -2.5 + .25, .05);  // the ball's top is at −2 + .25 at t = ½
  double least = 1;
  for (const Gap& g : gaps.near(u, u.t, 0))
    if (g.nodes[0] == 0 && g.nodes[1] < 0) least = std::min(least, g.value);
  EXPECT_NEAR(least, Vec3(.1, .5, 0).norm() - 1, 1e-12);
}

/// Obstacles that come from afar until the end of the step are found.
TEST_F(Gaps, ReachFollowsWhatMoves) {
  u.t = 0;
  const auto touched = [&](double until) {
    int count = 0;
    for (const Gap& g : gaps.near(u, until, 0)) count += g.nodes[1] < 0;  // single points: the implicit ball
    return count;
  };
  EXPECT_EQ(touched(0), 0);
  EXPECT_GT(touched(4), 0);
}

TEST_F(Gaps, NearlyParallelEdgesAreLeftOut) {
  u.q = collisions->scene().rest.head(48);  // all edges are parallel to others
  for (const Gap& g : gaps.near(u, u.t, 20)) {
    if (g.nodes[3] < 0) continue;
    for (std::size_t a = 0; a < 4; ++a) EXPECT_TRUE(g.gradient[a].allFinite());
  }
  const auto all = collisions->near(u.q, u.t, 20).size(), some = gaps.near(u, u.t, 20).size();
  EXPECT_LT(some, all);
}

}  // namespace
}  // namespace limber::test
