#include "limber/mesh/embed.hpp"

#include <gtest/gtest.h>

#include <random>

#include "mesh/surface_samples.hpp"

namespace limber::test {
namespace {

const TetMesh box = box_mesh({0, 0, 0}, {1, 2, 1}, {3, 5, 4}, Split::five);

std::vector<Vec3> random_points(int n, double low, double high) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> draw(low, high);
  std::vector<Vec3> points;
  for (int i = 0; i < n; ++i) points.push_back(Vec3{draw(random), 2 * draw(random), draw(random)});
  return points;
}

TEST(Embed, AffineMotionsAreReproduced) {
  const std::vector<Vec3> points = random_points(500, -0.3, 1.3);
  const Embedding e = embed(points, box);
  Mat3 a;
  a << 1.2, 0.3, -2, 0.1, -0.7, 0.4, 5, 0.2, 0.9;
  const Vec3 b(10, -20, 3);
  std::vector<Vec3> nodes = box.nodes;
  for (Vec3& x : nodes) x = a * x + b;
  const std::vector<Vec3> moved = deform(e, nodes);
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_LT((moved[i] - (a * points[i] + b)).norm(), 1e-12) << points[i].transpose();
}

/// Against a search through all tetrahedra, for points inside.
TEST(Embed, FindsTheTetrahedron) {
  const std::vector<Vec3> points = random_points(300, 0.001, 0.999);
  const Embedding e = embed(points, box);
  EXPECT_EQ(e.farthest, 0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& n = box.tets[e.tet[i]];
    EXPECT_EQ(e.nodes[i], n);
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
      EXPECT_GE(e.weights[i][k], 0);
      sum += e.weights[i][k];
    }
    EXPECT_NEAR(sum, 1, 1e-14);
    TetMesh part{{points[i], box.nodes[n[1]], box.nodes[n[2]], box.nodes[n[3]]}, {{0, 1, 2, 3}}, {}, {}};
    EXPECT_NEAR(e.weights[i][0], signed_volume(part, 0) / signed_volume(box, static_cast<std::size_t>(e.tet[i])),
                1e-12);
  }
}

TEST(Embed, NodesAndOutsidePoints) {
  const Embedding at_nodes = embed(box.nodes, box);
  EXPECT_LT(at_nodes.farthest, 1e-15);
  const std::vector<Vec3> back = deform(at_nodes, box.nodes);
  for (std::size_t i = 0; i < back.size(); ++i) EXPECT_LT((back[i] - box.nodes[i]).norm(), 1e-15);
  const Embedding out = embed({{1.25, 0.1, 0.1}, {0.5, 0.5, -0.5}}, box);
  EXPECT_DOUBLE_EQ(out.farthest, 0.5);
  for (const int node : out.nodes[0]) EXPECT_LT((box.nodes[node] - Vec3(1, 0, 0)).norm(), 1);
}

TEST(Embed, VectorsAndListsOfNodesAgree) {
  const Embedding e = embed({{0.3, 0.4, 0.5}}, box);
  Vector q(3 * static_cast<Index>(box.nodes.size()));
  for (std::size_t i = 0; i < box.nodes.size(); ++i) q.segment<3>(3 * static_cast<Index>(i)) = box.nodes[i];
  EXPECT_LT((deform(e, q)[0] - Vec3(0.3, 0.4, 0.5)).norm(), 1e-15);
  EXPECT_EQ(deform(e, q)[0], deform(e, box.nodes)[0]);
}

}  // namespace
}  // namespace limber::test
