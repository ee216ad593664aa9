#include "limber/mesh/surface_checks.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "limber/mesh/surface_crossings.hpp"
#include "limber/mesh/winding.hpp"
#include "mesh/surface_samples.hpp"

namespace limber::test {
namespace {

void turn(std::array<int, 3>& t) { std::swap(t[0], t[1]); }

TEST(SurfaceDefects, CleanOnes) {
  EXPECT_TRUE(surface_defects(icosphere(2)).clean());
  EXPECT_TRUE(surface_defects(unit_cube(CubeVertices::shared)).clean());
  EXPECT_TRUE(surface_defects(joined(icosphere(2), icosphere(2, 0.5))).clean());
  EXPECT_TRUE(surface_defects(joined(icosphere(2), icosphere(2, 1, {2.001, 0, 0}))).clean());
}

TEST(SurfaceDefects, AreCounted) {
  TriMesh hole = icosphere(1);
  hole.triangles.pop_back();
  EXPECT_EQ(surface_defects(hole).open_edges, 3u);
  TriMesh twisted = icosphere(1);
  turn(twisted.triangles[5]);
  EXPECT_EQ(surface_defects(twisted).twisted_edges, 3u);
  EXPECT_EQ(surface_defects(twisted).open_edges, 0u);
  TriMesh fin = icosphere(1);
  fin.nodes.emplace_back(5, 5, 5);
  fin.triangles.push_back({fin.triangles[0][0], fin.triangles[0][1], static_cast<int>(fin.nodes.size()) - 1});
  EXPECT_EQ(surface_defects(fin).nonmanifold_edges, 1u);
  EXPECT_EQ(surface_defects(fin).open_edges, 2u);
  EXPECT_EQ(surface_defects(unit_cube(CubeVertices::separate)).open_edges, 24u);
  TriMesh pair = joined(unit_cube(CubeVertices::shared), unit_cube(CubeVertices::shared));
  for (int i = 8; i < 16; ++i) pair.nodes[i] += Vec3(1, 1, 1);
  EXPECT_EQ(weld_equal_nodes(pair), 1u);
  EXPECT_EQ(surface_defects(pair).pinched_nodes, 1u);
}

TEST(SurfaceDefects, CrossingsOfEveryKind) {
  EXPECT_TRUE(surface_defects(joined(icosphere(2), icosphere(2, 1, {1, 0.1, 0.2}))).crossings);
  EXPECT_TRUE(surface_defects(joined(icosphere(1), icosphere(1))).crossings);
  // Two cubes that touch in a square.
  TriMesh other = unit_cube(CubeVertices::shared);
  for (Vec3& x : other.nodes) x = 0.5 * x + Vec3(1, 0.2, 0.2);
  EXPECT_TRUE(surface_defects(joined(unit_cube(CubeVertices::shared), other)).crossings);
  for (Vec3& x : other.nodes) x[0] += 1e-6;
  EXPECT_FALSE(surface_defects(joined(unit_cube(CubeVertices::shared), other)).crossings);
  // One common corner: flat next to each other, and one through the other.
  const TriMesh flat{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {-1, 0, 0}, {-1, 1, 0}}, {{0, 1, 2}, {0, 4, 3}}};
  EXPECT_FALSE(has_crossings(flat, 1e-9));
  TriMesh through = flat;
  through.nodes[3] = {0.8, 0.2, -1};
  through.nodes[4] = {0.8, 0.2, 1};
  EXPECT_TRUE(has_crossings(through, 1e-9));
  // A common edge: folded back, and not quite.
  TriMesh fold{{{0, 0, 0}, {1, 0, 0}, {0.5, 1, 0}, {0.4, 0.8, 0}}, {{0, 1, 2}, {1, 0, 3}}};
  EXPECT_TRUE(has_crossings(fold, 1e-9));
  fold.nodes[3][2] = 0.01;
  EXPECT_FALSE(has_crossings(fold, 1e-9));
}

TEST(OrientParts, TurnsWhatFacesTheWrongWay) {
  TriMesh mesh = joined(icosphere(2), icosphere(2, 1, {5, 0, 0}));
  for (std::size_t t = 0; t < 40; ++t) turn(mesh.triangles[t]);
  for (std::size_t t = 320; t < 640; ++t) turn(mesh.triangles[t]);
  EXPECT_EQ(orient_parts(mesh), 360u);
  EXPECT_TRUE(surface_defects(mesh).clean());
  const TriMesh one = icosphere(2);
  EXPECT_NEAR(enclosed_volume(mesh), 2 * enclosed_volume(one), 1e-12);
  EXPECT_EQ(orient_parts(mesh), 0u);
}

TEST(OrientParts, HollowsStayAndOpenOnesAreTurned) {
  TriMesh inner = icosphere(2, 0.5);
  for (auto& t : inner.triangles) turn(t);
  TriMesh hollow = joined(icosphere(2), inner);
  EXPECT_EQ(orient_parts(hollow), 0u);
  TriMesh open = inner;
  open.triangles.resize(300);
  EXPECT_EQ(orient_parts(open), 300u);
}

/// 1 inside, 0 outside, 2 in the overlap; a disk is seen under 2π(1 − cos).
TEST(Winding, KnownValues) {
  const WindingTree two(joined(icosphere(4), icosphere(4, 1, {1, 0, 0})));
  EXPECT_NEAR(two.winding({0.5, 0, 0}), 2, 0.02);
  EXPECT_NEAR(two.winding({-0.5, 0.1, 0}), 1, 0.02);
  EXPECT_NEAR(two.winding({3, 1, 0}), 0, 0.02);
  EXPECT_NEAR(two.distance({0.5, 0, 3}), std::sqrt(9.25) - 1, 2e-3);
  const WindingTree cube(unit_cube(CubeVertices::shared));
  EXPECT_NEAR(cube.winding({0.01, 0.99, 0.5}), 1, 1e-12);
  EXPECT_NEAR(cube.winding({-0.01, 0.99, 0.5}), 0, 1e-12);
  EXPECT_NEAR(cube.distance({0.5, 0.4, 0.75}), 0.25, 1e-15);
  EXPECT_NEAR(cube.distance({2, 2, 2}), std::numbers::sqrt3, 1e-15);
  TriMesh face = unit_cube(CubeVertices::shared);
  face.triangles.resize(2);
  EXPECT_NEAR(WindingTree(face).winding({0.5, 0.5, 0.5}), 1. / 6, 1e-15);
}

}  // namespace
}  // namespace limber::test
