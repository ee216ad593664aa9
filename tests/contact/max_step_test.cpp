/// Steps that nothing may touch on: random motions against distances along the way, looked at densely.

#include <gtest/gtest.h>

#include "contact_scenes.hpp"

namespace limber::testing {
namespace {

/// All gaps at a configuration by brute force over all primitives of different objects.
std::vector<double> all_gaps(const Collisions& collisions, const Vector& q, double t) {
  const ContactScene& scene = collisions.scene();
  const ContactSurface& s = scene.surface;
  const Vector x = collisions.positions(q, t);
  const auto at = [&](int i) { return node_of(x, i); };
  const auto object = [&](int i) { return s.object[static_cast<std::size_t>(i)]; };
  const auto radius = [&](int i) { return s.radius[static_cast<std::size_t>(i)]; };
  const auto may = [&](int a, int b) {
    return scene.may_collide[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] != 0;
  };
  std::vector<double> gaps;
  for (const int p : s.points)
    for (const auto& f : s.triangles)
      if (may(object(p), object(f[0])) && p != f[0] && p != f[1] && p != f[2])
        gaps.push_back(point_triangle(at(p), at(f[0]), at(f[1]), at(f[2])).d - radius(p) - radius(f[0]));
  for (std::size_t i = 0; i < s.edges.size(); ++i)
    for (std::size_t j = i + 1; j < s.edges.size(); ++j) {
      const auto &e = s.edges[i], &f = s.edges[j];
      if (e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1] || !may(object(e[0]), object(f[0]))) continue;
      gaps.push_back(edge_edge(at(e[0]), at(e[1]), at(f[0]), at(f[1])).d - radius(e[0]) - radius(f[0]));
    }
  for (const ImplicitObstacle& o : scene.implicit) {
    const PosedShape shape = o.shape.pose(t);
    for (const int p : s.points)
      if (p < scene.body_nodes) gaps.push_back(shape.value(at(p)) - radius(p));
  }
  return gaps;
}

struct Fuzz {
  int stopped = 0, tight = 0, through = 0;
};

/// On the way from q to q + s dq, obstacles going from t0 to t0 + s (t1 − t0), every gap keeps a tenth of itself.
void expect_safe(const Collisions& collisions, const Vector& q, const Vector& dq, double t0, double t1, Fuzz& fuzz) {
  const double s = collisions.max_step(q, dq, t0, t1);
  ASSERT_GE(s, 0);
  ASSERT_LE(s, 1);
  const auto before = all_gaps(collisions, q, t0);
  constexpr int looks = 60;
  bool tight = false;
  for (int k = 1; k <= looks; ++k) {
    const double part = s * k / looks;
    const auto now = all_gaps(collisions, q + part * dq, t0 + part * (t1 - t0));
    for (std::size_t i = 0; i < now.size(); ++i) {
      ASSERT_GT(now[i], .1 * before[i] * (1 - 1e-9)) << "pair " << i << " at " << part << " of " << s;
      tight = tight || now[i] < .2 * before[i];
    }
  }
  fuzz.through += s == 1;
  fuzz.stopped += s < 1;
  fuzz.tight += s < 1 && tight;
}

Vector random_tet_at(const Vec3& centre, double size, unsigned seed) {
  Vector x = size * random_vector(12, 1, seed);
  for (Index i = 0; i < 12; i += 3) x.segment<3>(i) += centre;
  return x;
}

TEST(MaxStep, NeverLetsBodiesTouch) {
  Fuzz fuzz;
  for (unsigned seed = 0; seed < 400; ++seed) {
    SceneBuilder s(.05);
    s.tet({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    s.tet({{0, 2, 0}, {1, 2, 0}, {0, 3, 0}, {0, 2, 1}});
    s.rod({{3, 0, 0}, {4, 0, 0}, {4, 1, 0}}, .03);
    const Collisions collisions(s.build());
    Vector q(33);
    q << random_tet_at({0, 0, 0}, .5, 3 * seed), random_tet_at({1, .3, .2}, .4, 3 * seed + 1),
        random_vector(9, 1, 3 * seed + 2);
    const auto gaps = all_gaps(collisions, q, 0);
    if (*std::min_element(gaps.begin(), gaps.end()) <= 1e-3) continue;  // they overlap or nearly touch
    const double way = std::array{.02, .3, 3.0}[seed % 3];
    expect_safe(collisions, q, way * random_vector(33, 1, 1000 + seed), 0, 0, fuzz);
  }
  EXPECT_GT(fuzz.stopped, 50);
  EXPECT_GT(fuzz.through, 20);
  EXPECT_GT(fuzz.tight, .9 * fuzz.stopped) << "steps are cut short for nothing";
}

/// Flat motions, parallel edges, points over corners: where distances change their region.
TEST(MaxStep, NeverLetsBodiesTouchInDegeneratePositions) {
  Fuzz fuzz;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const auto grid = [&](unsigned k) { return (random_vector(12, 2.49, 17 * seed + k).array().round() / 2).matrix().eval(); };
    SceneBuilder s(.05);
    s.tet({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    s.tet({{0, 2, 0}, {1, 2, 0}, {0, 3, 0}, {0, 2, 1}});
    const Collisions collisions(s.build());
    Vector q(24), dq(24);
    q << grid(0), grid(1);
    dq << grid(2), grid(3);
    for (Index i = 13; i < 24; i += 3) q[i] += 2;
    const auto gaps = all_gaps(collisions, q, 0);
    if (*std::min_element(gaps.begin(), gaps.end()) <= 1e-3) continue;
    expect_safe(collisions, q, 2 * dq, 0, 0, fuzz);
  }
  EXPECT_GT(fuzz.stopped, 50);
}

TEST(MaxStep, NeverLetsABodyTouchObstaclesThatStandStill) {
  Fuzz fuzz;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SceneBuilder s(.05);
    s.tet({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    s.implicit(half_space({0, -1, 0}, {.1, 1, 0}));
    s.implicit(torus({0, 0, 0}, {0, 0, 1}, 1.5, .2));
    s.surface({{1, 1, 0}}, {}, {}, .3);
    s.surface({{-1, .5, -1}, {-.8, 1, 1}}, {}, {{0, 1}}, .2);
    s.surface(box_corners({.5, -.5, -1}, {.8, .5, 1}), box_triangles(), {}, 0);
    const Collisions collisions(s.build());
    const Vector q = random_tet_at({0, .1, 0}, .5, seed);
    const auto gaps = all_gaps(collisions, q, 0);
    if (*std::min_element(gaps.begin(), gaps.end()) <= 1e-3) continue;
    expect_safe(collisions, q, std::array{.05, .5, 3.0}[seed % 3] * random_vector(12, 1, 500 + seed), 0, 0, fuzz);
  }
  EXPECT_GT(fuzz.stopped, 50);
  EXPECT_GT(fuzz.tight, .9 * fuzz.stopped) << "steps are cut short for nothing";
}

/// What the driver asks while Newton waits: how far may obstacles go while bodies rest?
TEST(MaxStep, NeverLetsMovingObstaclesTouchABodyThatRests) {
  Fuzz fuzz;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const auto random_motion = [&](unsigned k) {
      const Vector r = random_vector(6, 1, 31 * seed + k);
      return steady(r.head<3>(), r.tail<3>());
    };
    SceneBuilder s(.05);
    s.tet({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    s.implicit(half_space({0, -1, 0}, {.1, 1, 0}), random_motion(0));
    s.implicit(torus({0, 0, 0}, {0, 0, 1}, 1.5, .2), random_motion(1));
    s.surface({{1, 1, 0}}, {}, {}, .3, steady(random_vector(3, 1, seed)));
    s.surface(box_corners({.7, -.5, -1}, {.9, .5, 1}), box_triangles(), {}, 0, steady(random_vector(3, 1, seed + 9)));
    const Collisions collisions(s.build());
    const Vector q = random_tet_at({0, 0, 0}, .4, seed);
    const auto gaps = all_gaps(collisions, q, 0);
    if (*std::min_element(gaps.begin(), gaps.end()) <= 1e-3) continue;
    expect_safe(collisions, q, Vector::Zero(12), 0, std::array{.05, .3, 1.0}[seed % 3], fuzz);
  }
  EXPECT_GT(fuzz.stopped, 30);
}

TEST(MaxStep, NeverLetsMovingObstaclesTouchABodyThatMoves) {
  Fuzz fuzz;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SceneBuilder s(.05);
    s.tet({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    s.implicit(half_space({0, -1, 0}, {.1, 1, 0}), steady({0, .8, 0}));
    s.implicit(sphere({0, 2, 0}, .7), steady({0, -.6, .1}));
    s.surface({{1, 1, 0}}, {}, {}, .3, steady(random_vector(3, 1, seed)));
    const Collisions collisions(s.build());
    const Vector q = random_tet_at({0, 0, 0}, .4, seed);
    const auto gaps = all_gaps(collisions, q, 0);
    if (*std::min_element(gaps.begin(), gaps.end()) <= 1e-3) continue;
    expect_safe(collisions, q, std::array{.05, .5, 2.0}[seed % 3] * random_vector(12, 1, 500 + seed), 0, .5, fuzz);
  }
  EXPECT_GT(fuzz.stopped, 30);
}

TEST(MaxStep, IsExactForAPointThatFallsOnAPlane) {
  SceneBuilder s(.1);
  s.body({{0, 1, 0}}, {}, {}, .25);
  s.implicit(half_space({0, 0, 0}, {0, 1, 0}));
  const Collisions collisions(s.build());
  const Vector q = Vec3(0, 1, 0);
  EXPECT_NEAR(collisions.max_step(q, Vec3(5, -1, 3), 0, 0), .9 * .75, 1e-9);
  EXPECT_EQ(collisions.max_step(q, Vec3(5, -.6, 3), 0, 0), 1);
  EXPECT_EQ(collisions.max_step(q, Vec3(5, 100, 3), 0, 0), 1);
  EXPECT_EQ(collisions.max_step(Vec3(0, .25, 0), Vec3(0, -1, 0), 0, 0), 0);  // touches already
}

}  // namespace
}  // namespace limber::testing
