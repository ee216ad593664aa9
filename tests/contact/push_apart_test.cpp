#include "limber/contact/geometry/push_apart.hpp"

#include <gtest/gtest.h>

#include "contact_scenes.hpp"
#include "limber/contact/geometry/crossings.hpp"

namespace limber::test {
namespace {

constexpr double pile_delta = .01;

/// Unit cubes with their lowest corners at these places, and whatever `add` adds.
struct Pile {
  template <class Add>
  Pile(const std::vector<Vec3>& corners, Add add) {
    SceneBuilder s(pile_delta);
    for (const Vec3& c : corners) s.body(box_corners(c, c + Vec3::Ones()), box_triangles());
    add(s);
    scene = s.build();
    movable.assign(scene.objects.size(), 0);
    std::fill_n(movable.begin(), corners.size(), 1);
  }
  explicit Pile(const std::vector<Vec3>& corners) : Pile(corners, [](SceneBuilder&) {}) {}

  /// Pushes apart, checks that all is free, and returns by how much each body went.
  std::vector<Vec3> part() {
    const Collisions collisions(scene);
    const Vector before = scene.rest.head(3 * scene.body_nodes);
    Vector q = before;
    const auto moved = push_apart(collisions, movable, q);
    EXPECT_TRUE(find_crossings(collisions, q, 0).empty());
    const auto near = collisions.nearest(q, 0);
    EXPECT_TRUE(!near || near->gap > .9 * pile_delta) << near->gap;
    for (Index i = 0; i < q.size(); i += 3)  // rigidly
      EXPECT_LE((q.segment<3>(i) - before.segment<3>(i) - moved[static_cast<std::size_t>(i / 24)]).norm(), 1e-12);
    return moved;
  }
  ContactScene scene;
  std::vector<char> movable;
};

TEST(PushApart, LeavesAloneWhatIsFree) {
  for (const Vec3& m : Pile({{0, 0, 0}, {2, 0, 0}, {0, 1.2, 0}}).part()) EXPECT_TRUE(m.isZero(0));
}

TEST(PushApart, TwoCubesGoTheShortestWay) {
  const auto moved = Pile({{0, 0, 0}, {.5, .8, .4}}).part();
  EXPECT_TRUE(moved[0].isZero(0));
  EXPECT_LE((moved[1] - Vec3(0, .2 + pile_delta, 0)).norm(), 1e-12);
}

TEST(PushApart, OutOfAPlaneAlongItsNormal) {
  Pile pile({{0, -.3, 0}}, [](SceneBuilder& s) { s.implicit(half_space({0, 0, 0}, {0, 1, 0})); });
  EXPECT_LE((pile.part()[0] - Vec3(0, .3 + pile_delta, 0)).norm(), 1e-12);
  const Vec3 n = Vec3(1, 2, 0).normalized();
  Pile slope({{0, 0, 0}}, [&](SceneBuilder& s) { s.implicit(half_space(Vec3(0, 0, 0) + .4 * n, n)); });
  EXPECT_LE((slope.part()[0] - (.4 + pile_delta) * n).norm(), 1e-12);
}

TEST(PushApart, ManyThatOverlapEachOther) {
  Pile({{0, 0, 0}, {.3, .1, .2}, {.1, .4, .3}}).part();
  Pile({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}).part();
  Pile({{0, 0, 0}, {.3, .1, .2}, {.1, .4, .3}, {.2, .2, .2}, {-.1, .3, -.2}}).part();
  std::vector<Vec3> heap;
  for (int k = 0; k < 12; ++k) heap.emplace_back(.3 * std::sin(k), .3 * std::sin(2 * k), .3 * std::cos(3 * k));
  Pile(heap).part();
}

TEST(PushApart, CubesInAPlaneAndInEachOther) {
  Pile pile({{0, -.2, 0}, {.3, -.4, .2}, {.1, -.1, .3}, {.5, .3, .1}, {-.2, -.9, -.2}}, [](SceneBuilder& s) {
    s.implicit(half_space({0, 0, 0}, {0, 1, 0}));
  });
  for (const Vec3& m : pile.part()) EXPECT_GE(m[1], 0);
}

TEST(PushApart, InACornerOfThreePlanes) {
  Pile({{-.2, -.2, -.2}, {-.1, -.1, -.3}, {.2, .1, .3}}, [](SceneBuilder& s) {
    for (int k = 0; k < 3; ++k) s.implicit(half_space(Vec3::Zero(), Vec3::Unit(k)));
  }).part();
}

TEST(PushApart, FixedBodiesStay) {
  Pile pile({{0, 0, 0}, {.3, .1, .2}, {.1, .4, .3}});
  pile.movable[1] = 0;
  const auto moved = pile.part();
  EXPECT_TRUE(moved[1].isZero(0));
  EXPECT_FALSE(moved[0].isZero(0) || moved[2].isZero(0));
}

TEST(PushApart, WhatCannotMoveStays) {
  Pile pile({{0, 0, 0}, {.3, .1, .2}});
  pile.movable = {0, 0};
  const Collisions collisions(pile.scene);
  Vector q = pile.scene.rest;
  for (const Vec3& m : push_apart(collisions, pile.movable, q)) EXPECT_TRUE(m.isZero(0));
  EXPECT_EQ(q, pile.scene.rest);
}

TEST(PushApart, OutOfObstacles) {
  Pile({{0, 0, 0}, {.2, .1, .3}}, [](SceneBuilder& s) { s.surface({{.5, .5, .5}}, {}, {}, .2); }).part();
  Pile({{0, 0, 0}, {.2, .1, .3}}, [](SceneBuilder& s) { s.surface({{.5, .5, .5}}, {}, {}, 4); }).part();
  Pile({{0, 0, 0}, {.2, .1, .3}}, [](SceneBuilder& s) {
    s.surface({{.5, -2, .5}, {.5, 3, .5}}, {}, {{0, 1}}, .3);
  }).part();
  Pile({{0, 0, 0}}, [](SceneBuilder& s) { s.implicit(torus({.5, .5, .5}, {0, 1, 0}, .3, .1)); }).part();
  Pile({{0, 0, 0}}, [](SceneBuilder& s) { s.implicit(cylinder({.5, -1, .5}, {.5, .5, .5}, .3)); }).part();
  Pile({{0, 0, 0}, {.1, .1, .1}}, [](SceneBuilder& s) {
    s.surface(box_corners({-1, -1, -1}, {3, .5, 3}), box_triangles(), {}, 0);
  }).part();
}

}  // namespace
}  // namespace limber::test
