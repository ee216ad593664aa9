/// What a kept search finds, against all pairs one by one, while bodies turn, bend, stretch, fly and fold.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "contact_scenes.hpp"
#include "support/several_threads.hpp"
#include "surfaces.hpp"

namespace limber::test {
namespace {

using Nodes = std::array<int, 4>;

/// All pairs of primitives with a gap below `within`, point and triangle or edge and edge, ascending.
std::vector<Nodes> all_pairs(const ContactScene& scene, const Vector& x, double within) {
  const ContactSurface& s = scene.surface;
  const auto at = [&](int i) { return node_of(x, i); };
  const auto object = [&](int i) { return static_cast<std::size_t>(s.object[static_cast<std::size_t>(i)]); };
  const auto radius = [&](int i) { return s.radius[static_cast<std::size_t>(i)]; };
  const auto may = [&](int a, int b) { return scene.may_collide[object(a)][object(b)] != 0; };
  std::vector<Nodes> pairs;
  for (const int p : s.points)
    for (const auto& f : s.triangles)
      if (may(p, f[0]) && p != f[0] && p != f[1] && p != f[2] &&
          point_triangle(at(p), at(f[0]), at(f[1]), at(f[2])).d - radius(p) - radius(f[0]) < within)
        pairs.push_back({p, f[0], f[1], f[2]});
  for (std::size_t i = 0; i < s.edges.size(); ++i)
    for (std::size_t j = i + 1; j < s.edges.size(); ++j) {
      const auto &e = s.edges[i], &f = s.edges[j];
      if (e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1] || !may(e[0], f[0])) continue;
      if (edge_edge(at(e[0]), at(e[1]), at(f[0]), at(f[1])).d - radius(e[0]) - radius(f[0]) < within)
        pairs.push_back({e[0], e[1], f[0], f[1]});
    }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::vector<Nodes> found_pairs(const Collisions& collisions, const Vector& q, double within) {
  std::vector<Nodes> pairs;
  for (const Collision& c : collisions.near(q, 0, within)) pairs.push_back(c.nodes);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// A bar that meets itself, and a ball.
ContactScene bar_and_ball(double delta) {
  SceneBuilder s(delta);
  TriMesh bar = cube_surface(4), ball = sphere_surface(2);
  for (Vec3& x : bar.nodes) x = Vec3(2.5 * x.x(), .6 * x.y(), .5 * x.z());
  for (Vec3& x : ball.nodes) x = .5 * x + Vec3(0, 3.5, 0);
  s.self_contact(s.body(bar.nodes, bar.triangles, {}, .002));
  s.body(ball.nodes, ball.triangles);
  return s.build();
}

/// Swings back and forth between its rest and shapes of its own: turns, bends, twists, stretches; the ball flies.
class Motion {
 public:
  Motion(const ContactScene& scene, unsigned seed) : scene_(scene), random_(seed) {
    std::uniform_real_distribution<double> some(-1, 1);
    for (double& x : most_) x = some(random_);
    for (double& x : speed_) x = 1.5 + some(random_);
  }

  Vector at(double t) const {
    const auto swing = [&](std::size_t k) { return most_[k] * std::sin(speed_[k] * t); };
    const double bend = .5 * swing(0), twist = .4 * swing(1), stretch = .35 * swing(2), turn = 2 * swing(3);
    Vector x = scene_.rest;
    for (int i = 0; i < scene_.body_nodes; ++i) {
      Vec3 at = node_of(x, i);
      if (scene_.surface.object[static_cast<std::size_t>(i)] == 1) {
        at += Vec3(2 * swing(4), 3 * swing(5) - .5, swing(6));
      } else {
        const double angle = twist * at.x();
        at = Vec3((1 + stretch) * at.x(), std::cos(angle) * at.y() - std::sin(angle) * at.z(),
                  (std::sin(angle) * at.y() + std::cos(angle) * at.z()) * (1 - stretch * std::cos(at.x())));
        at.y() += bend * at.x() * at.x();
        at = Vec3(std::cos(turn) * at.x() - std::sin(turn) * at.y(), std::sin(turn) * at.x() + std::cos(turn) * at.y(),
                  at.z());
      }
      x.segment<3>(3 * static_cast<Index>(i)) = at;
    }
    return x;
  }

 private:
  const ContactScene& scene_;
  std::mt19937 random_;
  std::array<double, 7> most_{}, speed_{};
};

TEST(KeptSearches, MissNoPairOfWhatMovesAtRandom) {
  std::size_t found = 0, empty = 0;
  for (const double delta : {.02, .15}) {
    const ContactScene scene = bar_and_ball(delta);
    for (unsigned seed = 0; seed < 6; ++seed) {
      const Collisions kept(scene);
      const Motion motion(scene, seed);
      const double step = std::array{.02, .1, .5}[seed % 3];
      for (int k = 0; k < 30; ++k) {
        const Vector q = motion.at(k * step);
        const auto expected = all_pairs(scene, q, 2 * delta);
        ASSERT_EQ(found_pairs(kept, q, 2 * delta), expected) << "seed " << seed << ", step " << k;
        found += expected.size();
        empty += expected.empty();
      }
    }
  }
  EXPECT_GT(found, 1000u);
  EXPECT_GT(empty, 30u);
}

TEST(KeptSearches, GiveTheBitsOfNewOnes) {
  const ContactScene scene = bar_and_ball(.1);
  std::size_t found = 0, shortened = 0;
  for (unsigned seed = 0; seed < 6; ++seed) {
    const Collisions kept(scene);
    const Motion motion(scene, 10 + seed);
    for (int k = 0; k < 60; ++k) {
      const Vector q = motion.at(.07 * k), next = motion.at(.07 * (k + 1));
      const Collisions anew(scene);
      const double step = kept.max_step(q, next - q, 0, 0);
      ASSERT_EQ(step, anew.max_step(q, next - q, 0, 0)) << "seed " << seed << ", step " << k;
      shortened += step < 1;
      const auto &a = kept.at(next, 0), &b = anew.at(next, 0);
      ASSERT_EQ(a.size(), b.size()) << "seed " << seed << ", step " << k;
      for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(a[i].nodes, b[i].nodes);
        ASSERT_EQ(a[i].gap, b[i].gap);
        ASSERT_EQ(a[i].pairs, b[i].pairs);
      }
      found += a.size();
    }
  }
  EXPECT_GT(found, 100u);
  EXPECT_GT(shortened, 10u);
}

/// Each goes its own way, near and far, among the searches that the others make.
TEST(KeptSearches, ServeSeveralThreads) {
  const ContactScene scene = bar_and_ball(.1);
  constexpr int moments = 12;
  struct Moment {
    Vector q, next;
    double step;
    std::vector<Nodes> near;
    std::vector<double> gaps;
  };
  const auto gaps = [](const Collisions& collisions, const Vector& q) {
    std::vector<double> all;
    for (const Collision& c : collisions.at(q, 0)) all.push_back(c.gap);
    return all;
  };
  std::vector<std::vector<Moment>> ways(several);
  std::size_t found = 0, shortened = 0;
  for (unsigned thread = 0; thread < several; ++thread) {
    const Motion motion(scene, 10 + thread);
    for (int k = 0; k < moments; ++k) {
      const Vector q = motion.at(.14 * k), next = motion.at(.14 * (k + 1));
      const Collisions anew(scene);
      const double step = anew.max_step(q, next - q, 0, 0);
      ways[thread].push_back({q, next, step, found_pairs(anew, q, .2), gaps(anew, q)});
      found += ways[thread].back().gaps.size();
      shortened += step < 1;
    }
  }
  EXPECT_GT(found, 30u);
  EXPECT_GT(shortened, 3u);
  const Collisions shared(scene);
  on_several_threads([&](int thread) {
    for (int round = 0; round < 2; ++round)
      for (const Moment& m : ways[static_cast<std::size_t>(thread + round) % several]) {
        EXPECT_EQ(shared.max_step(m.q, m.next - m.q, 0, 0), m.step);
        EXPECT_EQ(gaps(shared, m.q), m.gaps);
        EXPECT_EQ(found_pairs(shared, m.q, .2), m.near);
      }
  });
}

}  // namespace
}  // namespace limber::test
