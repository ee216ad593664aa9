/// Steps that nothing may touch on: random motions against distances along the way, looked at densely.

#include <gtest/gtest.h>

#include "contact_scenes.hpp"

namespace limber::test {
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

/// On the way from q to q + s dq no gap closes. (Those of pairs whose boxes meet on the way keep a tenth of
/// themselves.)
void expect_safe(const Collisions& collisions, const Vector& q, const Vector& dq, Fuzz& fuzz) {
  const double s = collisions.max_step(q, dq, 0, 0);
  ASSERT_GE(s, 0);
  ASSERT_LE(s, 1);
  const auto before = all_gaps(collisions, q, 0);
  constexpr int looks = 60;
  bool tight = false;
  for (int k = 1; k <= looks; ++k) {
    const auto now = all_gaps(collisions, q + s * k / looks * dq, 0);
    for (std::size_t i = 0; i < now.size(); ++i) {
      ASSERT_GT(now[i], 0) << "pair " << i << " at " << k << "/" << looks << " of " << s;
      tight = tight || now[i] < .2 * before[i];
    }
  }
  fuzz.through += s == 1;
  fuzz.stopped += s < 1;
  fuzz.tight += s < 1 && tight;
}

/// Where the whole way is called free while obstacles move without turning, no gap closes.
void expect_free_if_said(const Collisions& collisions, const Vector& q, const Vector& dq, double t1, Fuzz& fuzz) {
  const double s = collisions.max_step(q, dq, 0, t1);
  ASSERT_GE(s, 0);
  ASSERT_LE(s, 1);
  fuzz.through += s == 1;
  fuzz.stopped += s < 1;
  const auto before = all_gaps(collisions, q, 0);
  constexpr int looks = 60;
  bool closes = false, tight = false;
  for (int k = 1; k <= looks; ++k) {
    const double part = static_cast<double>(k) / looks;
    const auto now = all_gaps(collisions, q + part * dq, part * t1);
    for (std::size_t i = 0; i < now.size(); ++i) {
      closes = closes || now[i] <= 0;
      tight = tight || now[i] < .2 * before[i];
    }
  }
  ASSERT_FALSE(closes && s == 1);
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
    expect_safe(collisions, q, way * random_vector(33, 1, 1000 + seed), fuzz);
  }
  EXPECT_GT(fuzz.stopped, 50);
  EXPECT_GT(fuzz.through, 20);
  EXPECT_GT(fuzz.tight, .9 * fuzz.stopped) << "steps are cut short for nothing";
}

/// Flat motions, parallel edges, points over corners: where distances change their region.
TEST(MaxStep, NeverLetsBodiesTouchInDegeneratePositions) {
  Fuzz fuzz;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const auto grid = [&](unsigned k) {
      return (random_vector(12, 2.49, 17 * seed + k).array().round() / 2).matrix().eval();
    };
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
    expect_safe(collisions, q, 2 * dq, fuzz);
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
    expect_safe(collisions, q, std::array{.05, .5, 3.0}[seed % 3] * random_vector(12, 1, 500 + seed), fuzz);
  }
  EXPECT_GT(fuzz.stopped, 50);
  EXPECT_GT(fuzz.tight, .9 * fuzz.stopped) << "steps are cut short for nothing";
}

TEST(MaxStep, NeverLetsMovingObstaclesTouchABody) {
  Fuzz resting, moving;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const auto way = [&](unsigned k) { return steady(random_vector(3, 1, 31 * seed + k)); };
    SceneBuilder s(.05);
    s.tet({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    s.implicit(half_space({0, -1, 0}, {.1, 1, 0}), way(0));
    s.implicit(torus({0, 0, 0}, {0, 0, 1}, 1.5, .2), way(1));
    s.implicit(sphere({0, 2, 0}, .7), steady({0, -.6, .1}));
    s.surface({{1, 1, 0}}, {}, {}, .3, way(2));
    s.surface(box_corners({.7, -.5, -1}, {.9, .5, 1}), box_triangles(), {}, 0, way(3));
    const Collisions collisions(s.build());
    const Vector q = random_tet_at({0, 0, 0}, .4, seed);
    const auto gaps = all_gaps(collisions, q, 0);
    if (*std::min_element(gaps.begin(), gaps.end()) <= 1e-3) continue;
    const double t1 = std::array{.02, .2, 1.0}[seed % 3];
    expect_free_if_said(collisions, q, Vector::Zero(12), t1, resting);
    expect_free_if_said(collisions, q, t1 * random_vector(12, 1, 500 + seed), t1, moving);
  }
  for (const Fuzz& fuzz : {resting, moving}) {
    EXPECT_GT(fuzz.stopped, 20) << "obstacles should get in the way";
    EXPECT_GT(fuzz.through, 20);
    EXPECT_GT(fuzz.tight, .8 * fuzz.stopped) << "ways are called blocked for nothing";
  }
}

/// Obstacles that turn: where the way is called free, its end is.
TEST(MaxStep, EndsFreeOfObstaclesThatTurn) {
  int through = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const auto way = [&](unsigned k) {
      const Vector r = random_vector(6, 1, 31 * seed + k);
      return steady(r.head<3>(), r.tail<3>());
    };
    SceneBuilder s(.05);
    s.tet({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    s.implicit(half_space({0, -1, 0}, {.1, 1, 0}), way(0));
    s.implicit(torus({0, 0, 0}, {0, 0, 1}, 1.5, .2), way(1));
    s.surface(box_corners({.7, -.5, -1}, {.9, .5, 1}), box_triangles(), {}, 0, way(3));
    const Collisions collisions(s.build());
    const Vector q = random_tet_at({0, 0, 0}, .4, seed), dq = .3 * random_vector(12, 1, 500 + seed);
    const auto gaps = all_gaps(collisions, q, 0), later = all_gaps(collisions, q + dq, .5);
    if (*std::min_element(gaps.begin(), gaps.end()) <= 1e-3) continue;
    if (collisions.max_step(q, dq, 0, .5) < 1) continue;
    ++through;
    EXPECT_GT(*std::min_element(later.begin(), later.end()), 0);
  }
  EXPECT_GT(through, 20);
}

/// Candidates kept from the far side of a long way are not those of the way.
TEST(MaxStep, DoesNotDependOnEarlierCalls) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SceneBuilder s(.01);
    s.tet({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    s.tet({{0, 2, 0}, {1, 2, 0}, {0, 3, 0}, {0, 2, 1}});
    const ContactScene scene = s.build();
    Vector q(24), dq = Vector::Zero(24);
    q << random_tet_at({0, 0, 0}, .4, 2 * seed), random_tet_at({0, 1.5, 0}, .4, 2 * seed + 1);
    const double way = std::array{.05, 1.0, 4.0}[seed % 3];
    for (Index i = 13; i < 24; i += 3) dq[i] = -way;
    const double expected = Collisions(scene).max_step(q, dq, 0, 0);
    const Collisions used(scene);
    for (const double elsewhere : {1.0, .5, .01, -1.0, 0.0}) {
      used.at(q + elsewhere * dq, 0);
      EXPECT_EQ(used.max_step(q, dq, 0, 0), expected) << "after a look at " << elsewhere << " of the way " << way;
    }
    used.max_step(q + dq, -.3 * dq, 0, 0);
    EXPECT_EQ(used.max_step(q, dq, 0, 0), expected);
  }
}

TEST(MaxStep, IsExactForAPointThatFallsOnAPlane) {
  SceneBuilder s(.1);
  s.body({{0, 1, 0}}, {}, {}, .25);
  s.implicit(half_space({0, 0, 0}, {0, 1, 0}));
  const Collisions collisions(s.build());
  const Vector q = Vec3(0, 1, 0);
  const double s1 = collisions.max_step(q, Vec3(5, -1, 3), 0, 0);
  EXPECT_LE(s1, .9 * .75);
  EXPECT_NEAR(s1, .9 * .75, 1e-5);
  EXPECT_EQ(collisions.max_step(q, Vec3(5, -.6, 3), 0, 0), 1);
  EXPECT_EQ(collisions.max_step(q, Vec3(5, 100, 3), 0, 0), 1);
  EXPECT_EQ(collisions.max_step(Vec3(0, .25, 0), Vec3(0, -1, 0), 0, 0), 0);  // touches already
}

}  // namespace
}  // namespace limber::test
