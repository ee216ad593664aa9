#include "limber/mesh/shapes/primitives.hpp"

#include <gtest/gtest.h>

#include "limber/mesh/io/surface_io.hpp"
#include "limber/mesh/surface_checks.hpp"

namespace limber {
namespace {

SurfaceMesh obj(const std::string& text) { return parse_surface_mesh("a.obj", text); }

Primitives of(const std::string& text) {
  const SurfaceMesh mesh = obj(text);
  return primitives(mesh, {mesh.positions});
}

using Edges = std::vector<std::array<int, 2>>;
using Triangles = std::vector<std::array<int, 3>>;

const std::string square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

TEST(Primitives, VerticesAloneArePoints) {
  const Primitives p = of(square + "v 1 1 0\n");
  EXPECT_TRUE(p.triangles.empty() && p.edges.empty());
  EXPECT_EQ(p.points, (std::vector<int>{0, 1, 2, 3})) << "two at one place are one";
  EXPECT_EQ(p.shapes[0][2], Vec3(1, 1, 0));
}

TEST(Primitives, PointsThatAreNamedLeaveTheOthersOut) {
  const Primitives p = of(square + "p 2 -1\n");
  EXPECT_EQ(p.points, (std::vector<int>{0, 1}));
  EXPECT_EQ(p.shapes[0], (std::vector<Vec3>{{1, 0, 0}, {0, 1, 0}}));
}

TEST(Primitives, LinesAreEdgesOnce) {
  const Primitives p = of(square + "v 5 5 5\nl 1 2 3\nl 2 1\np 3\n");
  EXPECT_EQ(p.edges, (Edges{{0, 1}, {1, 2}}));
  EXPECT_TRUE(p.points.empty()) << "vertex 3 is in a line";
  EXPECT_EQ(p.shapes[0].size(), 3u) << "nothing uses the others";
}

TEST(Primitives, Mixtures) {
  const Primitives p = of(square + "v 2 0 0\nv 3 0 0\nv 9 9 9\nv 3 0 0\nf 1 2 3 4\nl 2 5\nl 1 3\nl 6 8\np 7\n");
  EXPECT_EQ(p.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(p.edges, (Edges{{1, 4}})) << "1-3 is a side of triangles, 6-8 has no length";
  EXPECT_EQ(p.points, (std::vector<int>{5, 6}));
  EXPECT_EQ(p.shapes[0][5], Vec3(3, 0, 0));
  EXPECT_EQ(p.shapes[0][6], Vec3(9, 9, 9));
}

TEST(Primitives, ATriangleGoesOnlyIfItNeverHasAnArea) {
  const SurfaceMesh flat = obj("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3\nf 2 3 4\n");
  EXPECT_EQ(primitives(flat, {flat.positions}).degenerate, 2u);
  std::vector<Vec3> later = flat.positions;
  later[0] = {0, 1, 0};
  const Primitives p = primitives(flat, {flat.positions, later});
  EXPECT_EQ(p.triangles, (Triangles{{0, 1, 2}}));
  EXPECT_EQ(p.degenerate, 1u);
  ASSERT_EQ(p.shapes.size(), 2u);
  EXPECT_EQ(p.shapes[1], (std::vector<Vec3>{{0, 1, 0}, {1, 0, 0}, {2, 0, 0}}));
}

TEST(Primitives, VerticesThatPartAreNotOne) {
  const SurfaceMesh mesh = obj("v 0 0 0\nv 0 0 0\nv 1 0 0\nv 1 0 0\n");
  std::vector<Vec3> later = mesh.positions;
  later[1] = {0, 1, 0};
  const Primitives p = primitives(mesh, {mesh.positions, later});
  EXPECT_EQ(p.points, (std::vector<int>{0, 1, 2})) << "the first two are at one place at first only";
  EXPECT_EQ(p.shapes[1][1], Vec3(0, 1, 0));
}

TEST(Primitives, DifferencesAreNamed) {
  const SurfaceMesh base = obj(square + "f 1 2 3\nf 1 3 4\nl 1 2\np 4\n");
  EXPECT_EQ(difference(base, base), "");
  const auto against = [&](const std::string& text) { return difference(obj(text), base); };
  EXPECT_EQ(against(square + "v 0 0 1\nf 1 2 3\nf 1 3 4\nl 1 2\np 4\n"), "it has 5 vertices, not 4");
  EXPECT_EQ(against(square + "f 1 2 3\nl 1 2\np 4\n"), "it has 1 faces, not 2");
  EXPECT_EQ(against(square + "f 1 2 3\nf 2 3 4\nl 1 2\np 4\n"), "its face 2 has the vertices 2 3 4, not 1 3 4");
  EXPECT_EQ(against(square + "f 1 2 3\nf 1 3 4\np 4\n"), "it has 0 pieces of lines, not 1");
  EXPECT_EQ(against(square + "f 1 2 3\nf 1 3 4\nl 1 3\np 4\n"), "its piece 1 of lines has the vertices 1 3, not 1 2");
  EXPECT_EQ(against(square + "f 1 2 3\nf 1 3 4\nl 1 2\np 3\n"), "its point 1 is vertex 3, not 4");
}

TEST(OpenEdges, AreCountedAtPlacesNotAtNumbers) {
  TriMesh tet{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
  EXPECT_EQ(count_open_edges(tet), 0u);
  tet.nodes.push_back(tet.nodes[3]);  // a seam, as texture coordinates make them
  tet.triangles[2][2] = 4;
  EXPECT_EQ(count_open_edges(tet), 0u);
  tet.triangles.pop_back();
  EXPECT_EQ(count_open_edges(tet), 3u);
}

}  // namespace
}  // namespace limber
