#include "limber/render/smooth_normals.hpp"

#include <gtest/gtest.h>

#include "render/pictures.hpp"

namespace limber {
namespace {

TEST(SmoothNormals, CubesStaySharp) {
  const RenderMesh cube = test::cube(Vec3::Zero(), 2, 0);
  const auto normals = SmoothNormals(cube.positions, cube.triangles).at(cube.positions);
  ASSERT_EQ(normals.size(), 36u);
  for (std::size_t f = 0; f < 12; ++f) {
    Vec3 middle = Vec3::Zero();  // of the triangle: beyond all other faces in the direction of its own
    for (const int i : cube.triangles[f]) middle += cube.positions[static_cast<std::size_t>(i)] / 3;
    Index axis;
    middle.cwiseAbs().maxCoeff(&axis);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_LT((normals[3 * f + k] - Vec3::Unit(axis) * (middle[axis] > 0 ? 1 : -1)).norm(), 1e-12);
  }
}

TEST(SmoothNormals, BallsAreRound) {
  const RenderMesh ball = test::ball({1, 2, 3}, 0.5, 0);
  const auto normals = SmoothNormals(ball.positions, ball.triangles).at(ball.positions);
  for (std::size_t f = 0; f < ball.triangles.size(); ++f)
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 radial = (ball.positions[static_cast<std::size_t>(ball.triangles[f][k])] - Vec3(1, 2, 3)) / 0.5;
      EXPECT_GT(normals[3 * f + k].dot(radial), 0.98);
    }
}

TEST(SmoothNormals, CreasesAreThoseOfTheFirstShape) {
  // Two triangles that are flat first and then folded by 90°: the common edge stays smooth.
  const std::vector<Vec3> flat = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
  std::vector<Vec3> folded = flat;
  folded[3] = {0, -1, 0};
  const std::vector<std::array<int, 3>> triangles = {{0, 2, 1}, {0, 1, 3}};
  const auto normals = SmoothNormals(flat, triangles).at(folded);
  EXPECT_LT((normals[0] - Vec3(0, 1, -1).normalized()).norm(), 1e-12);
  EXPECT_LT((normals[1] - Vec3(0, 1, 0)).norm(), 1e-12);
  const auto sharp = SmoothNormals(folded, triangles).at(folded);
  EXPECT_LT((sharp[0] - Vec3(0, 1, 0)).norm(), 1e-12);
}

}  // namespace
}  // namespace limber
