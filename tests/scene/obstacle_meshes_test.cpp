#include "limber/scene/construction/obstacle_meshes.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "limber/contact/geometry/implicit_shape.hpp"

namespace limber {
namespace {

using Shape = ObstacleChoice::Shape;
using std::numbers::pi;

/// Closed, outwards, nodes on the implicit surface, and of its volume [m³] but for 1 %.
void expect_surface(const ObstacleChoice& o, const ShapePtr& shape, double volume) {
  const TriMesh mesh = drawn_obstacle(o);
  EXPECT_TRUE(is_closed(mesh));
  for (const Vec3& x : mesh.nodes) EXPECT_NEAR(shape->value(x), 0, 1e-12);
  EXPECT_NEAR(enclosed_volume(mesh), volume, 0.01 * volume);
}

TEST(DrawnObstacle, RoundShapes) {
  ObstacleChoice o;
  o.center = {1, 2, 3};
  o.radius = 0.5;
  o.a = {0, 0, 0};
  o.b = {1, 1, 0.5};
  o.axis = {1, 2, 0};
  o.major = 0.6;
  o.minor = 0.2;
  const double ball = 4 * pi / 3 * 0.125, rod = pi * 0.25 * 1.5;
  o.shape = Shape::sphere;
  expect_surface(o, sphere(o.center, 0.5), ball);
  o.shape = Shape::capsule;
  expect_surface(o, capsule(o.a, o.b, 0.5), ball + rod);
  o.shape = Shape::cylinder;
  expect_surface(o, cylinder(o.a, o.b, 0.5), rod);
  o.shape = Shape::torus;
  expect_surface(o, torus(o.center, o.axis, 0.6, 0.2), 2 * pi * 0.6 * pi * 0.04);
  o.shape = Shape::box;
  o.size = {1, 2, 3};
  expect_surface(o, box(o.center, o.size / 2), 6);
}

TEST(DrawnObstacle, ACapsuleOfNoLengthIsABall) {
  ObstacleChoice o;
  o.shape = Shape::capsule;
  o.a = o.b = {1, 0, 0};
  o.radius = 2;
  expect_surface(o, sphere(o.a, 2), 4 * pi / 3 * 8);
}

TEST(DrawnObstacle, PlanesHaveNoEnd) { EXPECT_TRUE(drawn_obstacle(ObstacleChoice{}).triangles.empty()); }

}  // namespace
}  // namespace limber
