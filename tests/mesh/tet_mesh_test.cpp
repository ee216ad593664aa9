#include "limber/mesh/tet_mesh.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

TetMesh one_tet() {
  TetMesh m;
  m.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  m.tets = {{0, 1, 2, 3}};
  return m;
}

/// How many tetrahedra have each face.
std::map<std::array<int, 3>, int> face_counts(const TetMesh& m) {
  std::map<std::array<int, 3>, int> counts;
  for (const auto& t : m.tets)
    for (int skip = 0; skip < 4; ++skip) {
      std::array<int, 3> f{};
      for (int i = 0, k = 0; i < 4; ++i)
        if (i != skip) f[k++] = t[i];
      std::sort(f.begin(), f.end());
      ++counts[f];
    }
  return counts;
}

std::string check_error(TetMesh m) {
  try {
    check_and_orient(m, "bodies[0].mesh");
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

TEST(Box, CountsOfThePapersBeam) {
  const TetMesh m = box_mesh({0, 0, 0}, {8, 1, 1}, {32, 4, 4}, Split::five);
  EXPECT_EQ(m.tets.size(), 2560u);
  EXPECT_EQ(m.nodes.size(), 33u * 5 * 5);
  EXPECT_EQ(box_mesh({0, 0, 0}, {8, 1, 1}, {32, 4, 4}, Split::six).tets.size(), 6u * 512);
}

TEST(Box, NodesXFastestThenYThenZ) {
  const TetMesh m = box_mesh({1, 2, 3}, {2, 6, 12}, {2, 3, 4}, Split::six);
  ASSERT_EQ(m.nodes.size(), 3u * 4 * 5);
  EXPECT_EQ(m.nodes[0], Vec3(1, 2, 3));
  EXPECT_EQ(m.nodes[1], Vec3(2, 2, 3));
  EXPECT_EQ(m.nodes[3], Vec3(1, 4, 3));
  EXPECT_EQ(m.nodes[12], Vec3(1, 2, 6));
  EXPECT_EQ(m.nodes.back(), Vec3(3, 8, 15));
}

TEST(Box, TheFarSideIsExact) {
  const TetMesh m = box_mesh({0.1, 0.2, 0.3}, {0.7, 1. / 3, 1e-3}, {7, 11, 49}, Split::five);
  EXPECT_EQ(bounding_box(m.nodes).max, Vec3(0.1 + 0.7, 0.2 + 1. / 3, 0.3 + 1e-3));
}

class BoxSplit : public testing::TestWithParam<std::tuple<Split, std::array<int, 3>>> {};

TEST_P(BoxSplit, FillsTheBoxConformingly) {
  const auto [split, cells] = GetParam();
  const Vec3 size(1.5, 0.7, 2.1);
  TetMesh m = box_mesh({-1, 0.5, 2}, size, cells, split);
  const std::size_t boxes = static_cast<std::size_t>(cells[0]) * cells[1] * cells[2];
  ASSERT_EQ(m.tets.size(), boxes * (split == Split::five ? 5 : 6));
  EXPECT_EQ(check_and_orient(m, "box").reordered, 0u);
  EXPECT_NEAR(volume(m), size.prod(), 1e-13);

  const double cell = size.prod() / static_cast<double>(boxes);
  for (std::size_t t = 0; t < m.tets.size(); ++t) {
    const bool central = split == Split::five && t % 5 == 0;
    EXPECT_NEAR(signed_volume(m, t), central ? cell / 3 : cell / 6, 1e-13);
  }

  // Two triangles on each outer square, and every other face between exactly two tetrahedra.
  const int squares = cells[0] * cells[1] + cells[1] * cells[2] + cells[2] * cells[0];
  int once = 0;
  for (const auto& [face, count] : face_counts(m)) {
    ASSERT_LE(count, 2);
    once += count == 1;
  }
  EXPECT_EQ(once, 4 * squares);
  EXPECT_EQ(boundary_triangles(m).size(), static_cast<std::size_t>(4 * squares));
}

INSTANTIATE_TEST_SUITE_P(OddAndEven, BoxSplit,
                         testing::Combine(testing::Values(Split::five, Split::six),
                                          testing::Values(std::array{1, 1, 1}, std::array{2, 2, 2}, std::array{3, 3, 3},
                                                          std::array{2, 3, 4}, std::array{5, 2, 1})));

TEST(Box, FiveSplitParity) {
  const std::array<int, 3> n{3, 2, 2};
  const TetMesh m = box_mesh({0, 0, 0}, {3, 2, 2}, n, Split::five);
  std::size_t cell = 0;
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i, ++cell) {
        const std::vector<Vec3> even{{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}};
        const std::vector<Vec3> odd{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
        std::set<int> wanted;
        for (const Vec3& c : (i + j + k) % 2 == 0 ? even : odd) {
          const Vec3 at = c + Vec3(i, j, k);
          wanted.insert(static_cast<int>(at[0] + 4 * at[1] + 12 * at[2]));
        }
        const auto& central = m.tets[5 * cell];
        EXPECT_EQ(std::set<int>(central.begin(), central.end()), wanted) << i << j << k;
      }
}

TEST(Box, SixSplitSharesTheDiagonal) {
  const TetMesh m = box_mesh({0, 0, 0}, {1, 1, 1}, {1, 1, 1}, Split::six);
  for (const auto& t : m.tets) {
    EXPECT_EQ(std::count(t.begin(), t.end(), 0), 1);
    EXPECT_EQ(std::count(t.begin(), t.end(), 7), 1);
  }
}

TEST(TetMesh, VolumeAndBoxOfOneTetrahedron) {
  TetMesh m = one_tet();
  EXPECT_DOUBLE_EQ(signed_volume(m, 0), 1. / 6);
  std::swap(m.tets[0][0], m.tets[0][1]);
  EXPECT_DOUBLE_EQ(signed_volume(m, 0), -1. / 6);
  EXPECT_DOUBLE_EQ(volume(m), 1. / 6);
  EXPECT_DOUBLE_EQ(bounding_box(m.nodes).diagonal(), std::sqrt(3));
}

TEST(TetMesh, BoundaryPointsOutward) {
  const Vec3 size(2, 1, 3);
  const TetMesh m = box_mesh({0, 0, 0}, size, {3, 2, 3}, Split::five);
  // ∮ n dA = 0 and ⅓ ∮ x·n dA = V, and each normal leaves the (convex) box.
  Vec3 area = Vec3::Zero();
  double V = 0;
  for (const auto& f : boundary_triangles(m)) {
    const Vec3 &a = m.nodes[f[0]], &b = m.nodes[f[1]], &c = m.nodes[f[2]];
    const Vec3 n = (b - a).cross(c - a) / 2;
    area += n;
    V += a.dot(n) / 3;
    EXPECT_GT(n.dot(a - size / 2), 0);
  }
  EXPECT_NEAR(area.norm(), 0, 1e-13);
  EXPECT_NEAR(V, size.prod(), 1e-13);
}

TEST(TetMesh, EdgesAreDistinctAndEulerHolds) {
  const TetMesh m = box_mesh({0, 0, 0}, {1, 1, 1}, {3, 2, 4}, Split::six);
  const auto e = edges(m);
  for (const auto& [i, j] : e) EXPECT_LT(i, j);
  EXPECT_EQ(std::set(e.begin(), e.end()).size(), e.size());
  const auto V = static_cast<long>(m.nodes.size()), E = static_cast<long>(e.size()),
             F = static_cast<long>(face_counts(m).size()), T = static_cast<long>(m.tets.size());
  EXPECT_EQ(V - E + F - T, 1);
}

TEST(CheckAndOrient, ReordersNegativeTetrahedra) {
  TetMesh m = box_mesh({0, 0, 0}, {1, 1, 1}, {2, 2, 2}, Split::five);
  for (const std::size_t t : {3u, 8u, 20u}) std::swap(m.tets[t][0], m.tets[t][1]);
  EXPECT_EQ(check_and_orient(m, "").reordered, 3u);
  for (std::size_t t = 0; t < m.tets.size(); ++t) EXPECT_GT(signed_volume(m, t), 0);
  EXPECT_EQ(check_and_orient(m, "").reordered, 0u);
}

TEST(CheckAndOrient, ZeroVolumeSaysHowManyAndWhichFirst) {
  TetMesh m = one_tet();
  m.nodes.push_back({0.5, 0.5, 0});
  m.nodes.push_back({0.3, 0.3, 0});
  m.tets.push_back({0, 1, 2, 4});
  m.tets.push_back({0, 1, 2, 5});
  EXPECT_EQ(check_error(m),
            "bodies[0].mesh: 2 of 3 tetrahedra have zero volume; the first is tetrahedron 1 (nodes 0, 1, 2, 4)");
}

TEST(CheckAndOrient, ThresholdIsRelativeToTheLongestEdge) {
  TetMesh m = one_tet();
  for (Vec3& x : m.nodes) x *= 1e-30;
  EXPECT_EQ(check_error(m), "");
  m = one_tet();
  m.nodes[3][2] = 1e-12;
  EXPECT_EQ(check_error(m), "");
  m.nodes[3][2] = 1e-14;
  EXPECT_NE(check_error(m).find("zero volume"), std::string::npos);
}

TEST(CheckAndOrient, IndexOutOfRange) {
  TetMesh m = one_tet();
  m.tets[0][2] = 4;
  EXPECT_EQ(check_error(m), "bodies[0].mesh: tetrahedron 0 names node 4, but the nodes are 0 to 3");
  m.tets[0][2] = -1;
  EXPECT_NE(check_error(m).find("names node -1"), std::string::npos);
}

TEST(CheckAndOrient, UnusedNodes) {
  TetMesh m = one_tet();
  m.nodes.insert(m.nodes.end(), 2, Vec3(7, 7, 7));
  EXPECT_EQ(check_error(m), "bodies[0].mesh: 2 of 6 nodes belong to no tetrahedron; the first is node 4");
}

TEST(CheckAndOrient, OtherBadMeshes) {
  TetMesh m = one_tet();
  m.tets.clear();
  EXPECT_NE(check_error(m).find("no tetrahedra"), std::string::npos);
  m = one_tet();
  m.nodes[2][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(check_error(m).find("node 2"), std::string::npos);
  m = one_tet();
  m.tets[0] = {0, 1, 1, 3};
  EXPECT_NE(check_error(m).find("names node 1 twice"), std::string::npos);
  m = one_tet();
  m.tets.push_back({3, 1, 0, 2});
  EXPECT_NE(check_error(m).find("tetrahedra 0 and 1 have the same nodes"), std::string::npos);
  m = one_tet();
  m.region = {1, 2};
  EXPECT_NE(check_error(m).find("2 regions for 1 tetrahedra"), std::string::npos);
}

}  // namespace
}  // namespace limber
