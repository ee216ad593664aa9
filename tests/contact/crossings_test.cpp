#include "limber/contact/geometry/crossings.hpp"

#include <gtest/gtest.h>

#include "contact_scenes.hpp"
#include "limber/contact/geometry/distance_grid.hpp"

namespace limber::test {
namespace {

std::vector<Crossing> crossings_of(SceneBuilder& s, double t = 0) {
  const Collisions collisions(s.build());
  const ContactScene& scene = collisions.scene();
  return find_crossings(collisions, scene.rest.head(3 * scene.body_nodes), t);
}
int add_solid_box(SceneBuilder& s, const Vec3& min, const Vec3& max) {
  return s.body(box_corners(min, max), box_triangles());
}
std::set<int> pair_of(const Crossing& c) { return {c.objects[0], c.objects[1]}; }

TEST(Crossings, ACornerInsideABox) {
  SceneBuilder s(.01);
  add_solid_box(s, {10, 0, 0}, {11, 1, 1});
  add_solid_box(s, {0, 0, 0}, {1, 1, 1});
  add_solid_box(s, {.9, .85, .7}, {2, 2.1, 2.2});
  const auto found = crossings_of(s);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(pair_of(found[0]), (std::set{1, 2}));
  EXPECT_NEAR(found[0].depth, .1, 1e-12);
  EXPECT_EQ(found[0].objects[0], 2) << "the first is the one whose node is inside";
  EXPECT_EQ(found[0].node, 16);
  EXPECT_LE((found[0].where - Vec3(.9, .85, .7)).norm(), 1e-12);
}

TEST(Crossings, OneInsideTheOther) {
  SceneBuilder s(.01);
  add_solid_box(s, {0, 0, 0}, {1, 1, 1});
  add_solid_box(s, {.3, .4, .2}, {.5, .6, .7});
  const auto found = crossings_of(s);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].objects, (std::array{1, 0}));
  EXPECT_NEAR(found[0].depth, .3, 1e-12);
}

/// A bar through a box: no node of one is inside the other.
TEST(Crossings, OnlyEdgesCross) {
  SceneBuilder s(.01);
  add_solid_box(s, {0, 0, 0}, {1, 1, 1});
  add_solid_box(s, {-1, .4, .4}, {2, .6, .55});
  const auto found = crossings_of(s);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(pair_of(found[0]), (std::set{0, 1}));
  EXPECT_EQ(found[0].depth, 0);
}

TEST(Crossings, ARodThroughATriangleOfASheet) {
  SceneBuilder s(.01);
  s.body({{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, {{0, 1, 2}});
  s.rod({{.2, -.5, .2}, {.25, .5, .3}}, .01);
  EXPECT_EQ(crossings_of(s).size(), 1u);
  SceneBuilder past(.01);
  past.body({{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, {{0, 1, 2}});
  past.rod({{.8, -.5, .8}, {.85, .5, .7}}, .01);
  EXPECT_TRUE(crossings_of(past).empty());
}

/// Their gap is zero, which is refused elsewhere; nothing is inside anything.
TEST(Crossings, FacesThatTouchDoNotCross) {
  SceneBuilder s(.01);
  add_solid_box(s, {0, 0, 0}, {1, 1, 1});
  add_solid_box(s, {.25, 1, .25}, {.75, 2, .75});
  for (const Crossing& c : crossings_of(s)) ADD_FAILURE() << "depth " << c.depth << " at " << c.where.transpose();
  SceneBuilder same(.01);
  add_solid_box(same, {0, 0, 0}, {1, 1, 1});
  add_solid_box(same, {1, 0, 0}, {2, 1, 1});
  for (const Crossing& c : crossings_of(same)) ADD_FAILURE() << "depth " << c.depth << " at " << c.where.transpose();
}

TEST(Crossings, BoxesApartDoNotCross) {
  SceneBuilder s(.01);
  add_solid_box(s, {0, 0, 0}, {1, 1, 1});
  add_solid_box(s, {.25, 1 + 1e-9, .25}, {.75, 2, .75});
  add_solid_box(s, {-3, -3, -3}, {-2, 4, 4});
  EXPECT_TRUE(crossings_of(s).empty());
}

TEST(Crossings, ImplicitObstacles) {
  SceneBuilder s(.01);
  add_solid_box(s, {0, -.2, 0}, {1, 1, 1});
  s.implicit(half_space({0, 0, 0}, {0, 1, 0}));
  s.implicit(sphere({5, 0, 0}, 1));
  const auto found = crossings_of(s);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].objects, (std::array{0, 1}));
  EXPECT_NEAR(found[0].depth, .2, 1e-12);
  EXPECT_LE((found[0].out - Vec3(0, 1, 0)).norm(), 1e-12);
}

TEST(Crossings, AnImplicitObstacleThatMovesInto) {
  SceneBuilder s(.01);
  add_solid_box(s, {0, .5, 0}, {1, 1, 1});
  s.implicit(half_space({0, 0, 0}, {0, 1, 0}), steady({0, 1, 0}));
  EXPECT_TRUE(crossings_of(s, .4).empty());
  const auto found = crossings_of(s, .75);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].depth, .25, 1e-12);
}

/// Obstacles that are points, segments or triangles with a radius: inside the body, with nothing crossing.
TEST(Crossings, ObstaclesInsideABody) {
  const auto inside = [](auto add) {
    SceneBuilder s(.01);
    add_solid_box(s, {0, 0, 0}, {1, 1, 1});
    add(s);
    const auto found = crossings_of(s);
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? Crossing{} : found[0];
  };
  const Crossing ball = inside([](SceneBuilder& s) { s.surface({{.5, .4, .5}}, {}, {}, .1); });
  EXPECT_EQ(ball.objects, (std::array{1, 0}));
  EXPECT_GE(ball.depth, .4 - 1e-12);
  const Crossing capsule = inside([](SceneBuilder& s) { s.surface({{.5, .4, .5}, {.6, .3, .4}}, {}, {{0, 1}}, .05); });
  EXPECT_GE(capsule.depth, .4 - 1e-12);
  const Crossing box = inside([](SceneBuilder& s) {
    s.surface(box_corners({.4, .4, .4}, {.6, .5, .7}), box_triangles(), {}, 0);
  });
  EXPECT_NEAR(box.depth, .4, 1e-12);
}

/// The centre of the sphere lies outside of the box, its surface reaches in.
TEST(Crossings, AThickPointThatReachesIn) {
  SceneBuilder s(.01);
  add_solid_box(s, {0, 0, 0}, {1, 1, 1});
  s.surface({{.5, 1.2, .5}}, {}, {}, .5);
  const Collisions collisions(s.build());
  const auto near = collisions.nearest(collisions.scene().rest.head(24), 0);
  ASSERT_TRUE(near.has_value());
  EXPECT_NEAR(near->gap, -.3, 1e-12);
}

TEST(Crossings, ABodyWithItself) {
  SceneBuilder s(.01);
  const std::vector<Vec3> x = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {.1, -.5, .2}, {.2, .5, .2}, {2, 0, 2}};
  const int sheet = s.body(x, {{0, 1, 2}, {3, 4, 5}});
  EXPECT_TRUE(crossings_of(s).empty()) << "self-contact is off";
  SceneBuilder on(.01);
  on.self_contact(on.body(x, {{0, 1, 2}, {3, 4, 5}}));
  const auto found = crossings_of(on);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].objects, (std::array{sheet, sheet}));
}

/// The body's corners are far from them.
TEST(Crossings, ImplicitObstaclesInsideABody) {
  const TriMesh brick{box_corners({.4, .45, .4}, {.6, .55, .6}), box_triangles()};
  const std::vector<std::pair<ShapePtr, double>> shapes = {
      {torus({.5, .5, .5}, {0, 1, 1}, .25, .05), .15},  // the largest depth is at least this
      {cylinder({.5, .3, .5}, {.5, .7, .5}, .2), .25},
      {std::make_shared<DistanceGrid>(brick, 16, 0), .4}};
  for (const auto& [shape, deep] : shapes) {
    SceneBuilder s(.01);
    add_solid_box(s, {0, 0, 0}, {1, 1, 1});
    s.implicit(shape);
    const auto found = crossings_of(s);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].objects, (std::array{1, 0}));
    EXPECT_EQ(found[0].node, -1);
    EXPECT_GE(found[0].depth, deep);
    EXPECT_LE(found[0].depth, .5);
    EXPECT_LE(std::abs(shape->value(found[0].where)), .01);
    SceneBuilder beside(.01);
    add_solid_box(beside, {0, 0, 0}, {1, 1, 1});
    beside.implicit(shape, [] {
      Motion m;
      m.translation = TimeFunction<Vec3>::constant({0, 0, 1});
      return m;
    }());
    EXPECT_TRUE(crossings_of(beside).empty());
  }
}

/// A post through the middle of a face, between the corners.
TEST(Crossings, AnImplicitObstacleThatReachesThroughAFace) {
  SceneBuilder s(.01);
  add_solid_box(s, {0, 0, 0}, {1, 1, 1});
  s.implicit(cylinder({.5, -1, .5}, {.5, .4, .5}, .2));
  const auto found = crossings_of(s);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].objects, (std::array{1, 0}));
}

TEST(Crossings, ABodyInsideALargeBall) {
  for (const Vec3& centre : {Vec3(.5, .5, .5), Vec3(1.5, .5, .5)}) {  // in the body, and not
    SceneBuilder s(.01);
    add_solid_box(s, {0, 0, 0}, {1, 1, 1});
    s.surface({centre}, {}, {}, 5);
    const auto found = crossings_of(s);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].objects, (std::array{0, 1})) << "the body is the one inside";
    EXPECT_NEAR(found[0].depth, 5 - std::sqrt(.75), 1e-12);
  }
}

TEST(Crossings, ANodeOnAPlaneOnlyTouches) {
  SceneBuilder s(.01);
  add_solid_box(s, {0, 0, 0}, {1, 1, 1});
  s.implicit(half_space({0, 0, 0}, {0, 1, 0}));
  EXPECT_TRUE(crossings_of(s).empty());
  const Collisions collisions(s.build());
  const auto near = collisions.nearest(collisions.scene().rest.head(24), 0);
  ASSERT_TRUE(near.has_value());
  EXPECT_EQ(near->gap, 0);
}

}  // namespace
}  // namespace limber::test
