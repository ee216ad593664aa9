/// Surface obstacles whose shape changes in time.

#include <gtest/gtest.h>

#include "contact/contact_scenes.hpp"

namespace limber {
namespace {

using test::SceneBuilder;
using test::steady;

TEST(ObstacleSequence, PositionsAndVelocitiesBelongTogether) {
  SceneBuilder builder(.1);
  builder.tet({{0, 1, 0}, {1, 1, 0}, {0, 1, 1}, {0, 2, 0}});
  const std::vector<std::vector<Vec3>> shapes = {{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}},
                                                 {{0, .2, 0}, {1.5, 0, .1}, {0, .1, 1}},
                                                 {{.1, .3, 0}, {1, -.2, 0}, {0, .1, 2}}};
  builder.surface(shapes[0], {{0, 1, 2}}, {}, 0, steady({.3, -.1, 0}, {.4, 1, .2}, {.5, 0, .5}));
  ContactScene scene = builder.build();
  for (const auto interpolation : {Interpolation::linear, Interpolation::smooth}) {
    scene.surfaces[0].sequence =
        std::make_shared<NodeSequence>(std::vector<double>{0, .5, 1}, shapes, interpolation, "test");
    const Collisions collisions(scene);
    EXPECT_TRUE(collisions.moves());
    const Vector q = scene.rest.head(3 * scene.body_nodes), v = Vector::Zero(q.size());
    for (const double t : {.1, .3, .7, .9})
      for (int node = scene.body_nodes; node < scene.body_nodes + 3; ++node) {
        const double h = 1e-6;
        const Vec3 slope =
            (collisions.positions(q, t + h) - collisions.positions(q, t - h)).segment<3>(3 * node) / (2 * h);
        EXPECT_LT((collisions.velocity(node, v, t) - slope).norm(), 1e-8) << t;
      }
  }
}

TEST(ObstacleSequence, AloneItMovesToo) {
  SceneBuilder builder(.1);
  builder.tet({{0, 1, 0}, {1, 1, 0}, {0, 1, 1}, {0, 2, 0}});
  const std::vector<std::vector<Vec3>> shapes = {{{.2, 0, .2}}, {{.2, .95, .2}}};
  builder.surface(shapes[0], {}, {}, 0);
  ContactScene scene = builder.build();
  const Vector q = scene.rest.head(3 * scene.body_nodes);
  EXPECT_FALSE(Collisions(scene).moves());
  scene.surfaces[0].sequence =
      std::make_shared<NodeSequence>(std::vector<double>{0, 1}, shapes, Interpolation::linear, "test");
  const Collisions collisions(scene);
  EXPECT_TRUE(collisions.moves());
  EXPECT_TRUE(collisions.at(q, 0).empty());
  ASSERT_EQ(collisions.at(q, 1).size(), 1u);
  EXPECT_NEAR(collisions.at(q, 1)[0].gap, .05, 1e-14);
  EXPECT_EQ(collisions.at(q, 1)[0].kind, Collision::Kind::point_triangle);
  // On its way through the triangle at height 1 it keeps a tenth of δ, which is less than its gap.
  scene.surfaces[0].sequence = std::make_shared<NodeSequence>(
      std::vector<double>{0, 1}, std::vector<std::vector<Vec3>>{{{.2, 0, .2}}, {{.2, 1.5, .2}}}, Interpolation::linear,
      "test");
  const double way = Collisions(scene).max_step(q, Vector::Zero(q.size()), 0, 1);
  EXPECT_LE(way, (1 - .1 * scene.delta) / 1.5 + 1e-12);
  EXPECT_GT(way, (1 - .2 * scene.delta) / 1.5);
}

}  // namespace
}  // namespace limber
