#include "limber/mesh/curve_boundary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "limber/mesh/fill/tetrahedralize.hpp"
#include "surface_samples.hpp"

namespace limber {
namespace {

TEST(CurveBoundary, FollowsASphere) {
  const TriMesh ball = test::icosphere(5);
  const TetMesh coarse = tetrahedralize(ball, {.resolution = 0.5, .filling = Filling::lattice}).mesh;
  ElementMesh mesh = quadratic_elements(coarse);
  const double sphere = 4 * std::numbers::pi / 3, straight = sphere - volume(coarse);
  const Curved curved = curve_boundary(mesh, ball);
  EXPECT_EQ(curved.far, 0u);
  EXPECT_GT(curved.moved, 20 * curved.held_back);
  // The volume between faces and sphere is of second order in the edges, which are halved.
  const TetMesh parts = subdivide(mesh);
  EXPECT_NEAR(straight / (sphere - volume(parts)), 4, 0.5);
  for (std::size_t t = 0; t < parts.tets.size(); ++t) EXPECT_GT(signed_volume(parts, t), 0);
  std::size_t on_it = 0;
  for (const Vec3& x : mesh.nodes) on_it += std::abs(x.norm() - 1) < 2e-3;  // the facets of the icosphere
  EXPECT_GE(on_it, curved.moved);
}

TEST(CurveBoundary, LeavesWhatIsFar) {
  TetMesh one;
  one.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  one.tets = {{0, 1, 2, 3}};
  ElementMesh mesh = quadratic_elements(one);
  const auto before = mesh.nodes;
  const TriMesh away{{{5, 0, 0}, {6, 0, 0}, {5, 1, 0}}, {{0, 1, 2}}};
  const Curved curved = curve_boundary(mesh, away);
  EXPECT_EQ(curved.far, 6u);
  EXPECT_EQ(curved.moved + curved.held_back, 0u);
  EXPECT_EQ(mesh.nodes, before);
}

/// A flat tetrahedron whose lower edges are pulled up through it: they stop before it is inverted.
TEST(CurveBoundary, KeepsElementsSound) {
  TetMesh one;
  one.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {.3, .3, .1}};
  one.tets = {{0, 1, 2, 3}};
  ElementMesh mesh = quadratic_elements(one);
  const TriMesh above{{{-9, -9, .15}, {9, -9, .15}, {0, 9, .15}}, {{0, 1, 2}}};
  const Curved curved = curve_boundary(mesh, above);
  EXPECT_GT(curved.held_back, 0u);
  const TetMesh parts = subdivide(mesh);
  for (std::size_t t = 0; t < parts.tets.size(); ++t) EXPECT_GT(signed_volume(parts, t), 0);
}

}  // namespace
}  // namespace limber
