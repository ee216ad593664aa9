#include "limber/mesh/quality.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace limber {
namespace {

constexpr double degrees = 180 / std::numbers::pi;

TetMesh one(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  TetMesh m;
  m.nodes = {a, b, c, d};
  m.tets = {{0, 1, 2, 3}};
  return m;
}

TEST(TetShape, Regular) {
  const TetShape s = tet_shape(Vec3(1, 1, 1), Vec3(-1, 1, -1), Vec3(1, -1, -1), Vec3(-1, -1, 1));
  for (const double angle : s.dihedral) EXPECT_NEAR(angle, std::acos(1. / 3) * degrees, 1e-12);
  EXPECT_NEAR(s.min_dihedral, 70.5288, 1e-4);
  EXPECT_NEAR(s.radius_ratio, 1, 1e-14);
  EXPECT_NEAR(s.volume, 8. / 3, 1e-14);
  EXPECT_NEAR(s.shortest_edge, std::sqrt(8), 1e-14);
  EXPECT_NEAR(s.longest_edge, std::sqrt(8), 1e-14);
}

TEST(TetShape, Corner) {
  const TetShape s = tet_shape(Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1));
  for (int e = 0; e < 3; ++e) EXPECT_NEAR(s.dihedral[e], 90, 1e-12);
  for (int e = 3; e < 6; ++e) EXPECT_NEAR(s.dihedral[e], std::acos(1 / std::sqrt(3)) * degrees, 1e-12);
  // r_in = 1/(3 + √3), r_circ = √3/2.
  EXPECT_NEAR(s.radius_ratio, 3 / (3 + std::sqrt(3)) / (std::sqrt(3) / 2), 1e-14);
  EXPECT_NEAR(s.volume, 1. / 6, 1e-15);
}

/// Four points near a square, alternately up and down by z.
TEST(TetShape, Sliver) {
  const double z = 1e-3;
  const TetShape s = tet_shape(Vec3(1, 0, z), Vec3(-1, 0, z), Vec3(0, 1, -z), Vec3(0, -1, -z));
  EXPECT_NEAR(s.max_dihedral, 2 * std::atan(1 / (2 * z)) * degrees, 1e-9);
  // The faces' normals are (±2z, 0, −1) and (0, ±2z, 1).
  EXPECT_NEAR(s.min_dihedral, std::acos(1 / (1 + 4 * z * z)) * degrees, 1e-6);
  EXPECT_LT(s.radius_ratio, 0.01);
  EXPECT_GT(s.radius_ratio, 0);
}

TEST(TetShape, FlatAndCollapsedOnesHaveNoNaN) {
  const TetShape flat = tet_shape(Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(1, 1, 0));
  EXPECT_EQ(flat.volume, 0);
  EXPECT_EQ(flat.radius_ratio, 0);
  EXPECT_EQ(flat.min_dihedral, 0);
  EXPECT_EQ(flat.max_dihedral, 180);
  const TetShape point = tet_shape(Vec3::Ones(), Vec3::Ones(), Vec3::Ones(), Vec3::Ones());
  EXPECT_EQ(point.radius_ratio, 0);
  EXPECT_EQ(point.min_dihedral, 0);
}

TEST(MeshReport, Box) {
  const MeshReport r = mesh_report(box_mesh({0, 0, 0}, {3, 2, 1}, {3, 2, 1}, Split::six));
  EXPECT_EQ(r.nodes, 24u);
  EXPECT_EQ(r.tets, 36u);
  EXPECT_EQ(r.surface_triangles, 44u);
  EXPECT_EQ(r.components, 1u);
  EXPECT_NEAR(r.volume, 6, 1e-14);
  EXPECT_NEAR(r.min_volume, 1. / 6, 1e-15);
  EXPECT_NEAR(r.max_volume, 1. / 6, 1e-15);
  EXPECT_NEAR(r.min_edge, 1, 1e-15);
  EXPECT_NEAR(r.max_edge, std::sqrt(3), 1e-15);
  EXPECT_NEAR(r.min_dihedral, 45, 1e-12);
  EXPECT_NEAR(r.max_dihedral, 90, 1e-12);
  EXPECT_EQ(std::accumulate(r.dihedral_histogram.begin(), r.dihedral_histogram.end(), std::size_t{0}), 6 * r.tets);
  EXPECT_EQ(std::accumulate(r.radius_ratio_histogram.begin(), r.radius_ratio_histogram.end(), std::size_t{0}), r.tets);
  EXPECT_EQ(r.euler, 2);
  EXPECT_EQ(r.nonmanifold_edges + r.pinched_nodes + r.inverted + r.flat + r.unreferenced_nodes, 0u);
}

TEST(MeshReport, HistogramsOfTheRegularTetrahedron) {
  const MeshReport r = mesh_report(one({1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}));
  EXPECT_EQ(r.dihedral_histogram[7], 6u);
  EXPECT_EQ(r.radius_ratio_histogram[9], 1u);
}

TEST(MeshReport, FindsTheWorst) {
  TetMesh m = box_mesh({0, 0, 0}, {4, 1, 1}, {4, 1, 1}, Split::six);
  // A thin one upon the last face of the box.
  const int n = static_cast<int>(m.nodes.size());
  m.nodes.insert(m.nodes.end(), {{10, 0, 0}, {11, 0, 0}, {10, 1, 0}, {10.3, 0.3, 0.01}});
  m.tets.push_back({n, n + 1, n + 2, n + 3});
  const MeshReport r = mesh_report(m);
  EXPECT_EQ(r.worst_tet, 24u);
  EXPECT_LT((r.worst_at - Vec3(10.325, 0.325, 0.0025)).norm(), 1e-12);
  EXPECT_LT(r.min_dihedral, 3);
  EXPECT_EQ(r.components, 2u);
  EXPECT_EQ(r.euler, 4);
}

TEST(MeshReport, CountsWhatIsWrong) {
  TetMesh m = box_mesh({0, 0, 0}, {1, 1, 1}, {1, 1, 1}, Split::six);
  m.nodes.push_back({5, 5, 5});
  std::swap(m.tets[2][0], m.tets[2][1]);
  MeshReport r = mesh_report(m);
  EXPECT_EQ(r.unreferenced_nodes, 1u);
  EXPECT_EQ(r.inverted, 1u);
  m = one({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0});
  r = mesh_report(m);
  EXPECT_EQ(r.flat, 1u);
  EXPECT_EQ(r.inverted, 0u);
  EXPECT_EQ(mesh_report({}).tets, 0u);
}

TEST(MeshReport, PartsThatTouch) {
  // Two tetrahedra that share a node, then an edge.
  TetMesh m = one({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1});
  m.nodes.insert(m.nodes.end(), {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}});
  m.tets.push_back({0, 5, 4, 6});
  MeshReport r = mesh_report(m);
  EXPECT_EQ(r.components, 2u);
  EXPECT_EQ(r.pinched_nodes, 1u);
  EXPECT_EQ(r.nonmanifold_edges, 0u);
  m.tets[1] = {0, 1, 5, 6};
  r = mesh_report(m);
  EXPECT_EQ(r.components, 2u);
  EXPECT_EQ(r.pinched_nodes, 2u);
  EXPECT_EQ(r.nonmanifold_edges, 1u);
}

TEST(MeshReport, ManyTetrahedraAddUp) {
  const MeshReport r = mesh_report(box_mesh({0, 0, 0}, {1, 1, 1}, {12, 12, 12}, Split::five));
  EXPECT_EQ(r.tets, 5u * 12 * 12 * 12);
  EXPECT_NEAR(r.volume, 1, 1e-12);
  // Of five, one is regular and four are corners.
  EXPECT_EQ(r.radius_ratio_histogram[9], 12u * 12 * 12);
  EXPECT_NEAR(r.mean_radius_ratio, (1 + 4 * 3 / (3 + std::sqrt(3)) / (std::sqrt(3) / 2)) / 5, 1e-12);
}

}  // namespace
}  // namespace limber
