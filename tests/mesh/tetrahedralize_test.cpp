#include "limber/mesh/fill/tetrahedralize.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/mesh/embed.hpp"
#include "limber/mesh/fill/tetgen_fill.hpp"
#include "limber/mesh/quality.hpp"
#include "limber/mesh/surface_checks.hpp"
#include "mesh/surface_samples.hpp"

namespace limber::test {
namespace {

using std::numbers::pi;

MeshReport expect_valid(const Tetrahedralized& result, double min_dihedral) {
  const MeshReport r = mesh_report(result.mesh);
  EXPECT_GT(r.tets, 0u);
  EXPECT_EQ(r.inverted + r.flat + r.unreferenced_nodes + r.nonmanifold_edges + r.pinched_nodes, 0u);
  EXPECT_GE(r.min_dihedral, min_dihedral);
  EXPECT_TRUE(is_closed({result.mesh.nodes, boundary_triangles(result.mesh)}));
  return r;
}

bool mentions(const Tetrahedralized& result, const std::string& words) {
  for (const std::string& n : result.notes)
    if (n.find(words) != n.npos) return true;
  return false;
}

std::string filling_error(const TriMesh& surface, const TetrahedralizeOptions& options) {
  try {
    tetrahedralize(surface, options);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Tetrahedralize, SphereByTetgenKeepsItsVolume) {
  if (!has_tetgen()) GTEST_SKIP() << "built without TetGen";
  const TriMesh sphere = icosphere(3);
  const Tetrahedralized result = tetrahedralize(sphere, {.resolution = 0.15});
  EXPECT_EQ(result.filling, Filling::tetgen);
  EXPECT_TRUE(result.notes.empty());
  const MeshReport r = expect_valid(result, 10);
  EXPECT_NEAR(r.volume, enclosed_volume(sphere), 1e-9);
  EXPECT_NEAR(r.mean_edge, 0.15, 0.03);
  EXPECT_EQ(r.euler, 2);
}

TEST(Tetrahedralize, SphereByTheLattice) {
  const Tetrahedralized result = tetrahedralize(icosphere(3), {.resolution = 0.15, .filling = Filling::lattice});
  EXPECT_EQ(result.filling, Filling::lattice);
  const MeshReport r = expect_valid(result, 10.7);
  EXPECT_NEAR(r.volume, 4 * pi / 3, 0.03 * 4 * pi / 3);
  EXPECT_NEAR(r.mean_edge, 0.15, 0.03);
  EXPECT_EQ(r.components, 1u);
  EXPECT_EQ(r.euler, 2);
}

TEST(Tetrahedralize, FineSurfacesGoToTheLattice) {
  const Tetrahedralized result = tetrahedralize(icosphere(4), {.resolution = 0.4});
  EXPECT_EQ(result.filling, Filling::lattice);
  EXPECT_TRUE(mentions(result, "shorter than 0.5 of the resolution"));
  expect_valid(result, 10.7);
}

/// Two unit spheres 1.2 apart, with a hole and flipped triangles. Union: 2 · 4π/3 − lens, lens = π(4 + d)(2 − d)²/12.
TEST(Tetrahedralize, OverlappingSpheresWithAHoleAndFlippedTriangles) {
  const double d = 1.2, lens = pi * (4 + d) * (2 - d) * (2 - d) / 12, both = 8 * pi / 3 - lens;
  TriMesh dirty = joined(icosphere(3), icosphere(3, 1, {d, 0, 0}));
  for (std::size_t t = 100; t < 140; ++t) std::swap(dirty.triangles[t][0], dirty.triangles[t][1]);
  for (std::size_t t = 1280; t < 2560; t += 7) std::swap(dirty.triangles[t][0], dirty.triangles[t][1]);
  std::erase_if(dirty.triangles, [&](const auto& t) {
    return (dirty.nodes[t[0]] - Vec3(0, 1, 0)).norm() < 0.3 && (dirty.nodes[t[1]] - Vec3(0, 1, 0)).norm() < 0.3;
  });
  const Tetrahedralized result = tetrahedralize(dirty, {.resolution = 0.12});
  EXPECT_EQ(result.filling, Filling::lattice);
  EXPECT_TRUE(mentions(result, "faced the wrong way"));
  EXPECT_TRUE(mentions(result, "open edges"));
  const MeshReport r = expect_valid(result, 10.7);
  EXPECT_NEAR(r.volume, both, 0.04 * both);
  EXPECT_EQ(r.components, 1u);
  EXPECT_EQ(r.euler, 2);
  EXPECT_LT(embed(dirty.nodes, result.mesh).farthest, 0.12);
}

/// A sphere of radius 1 with debris: one of radius 0.1, a thousandth of the volume, turned inside out, and one
/// triangle.
TEST(Tetrahedralize, SmallPiecesAreLeftOutWhereAsked) {
  TriMesh debris = joined(icosphere(3), icosphere(2, 0.1, {2, 0, 0}));
  for (std::size_t t = 1280; t < debris.triangles.size(); ++t)
    std::swap(debris.triangles[t][0], debris.triangles[t][1]);
  const auto first = static_cast<int>(debris.nodes.size());
  for (const Vec3& x : {Vec3(3, 0, 0), Vec3(3, 1, 0), Vec3(3, 0, 1)}) debris.nodes.push_back(x);
  debris.triangles.push_back({first, first + 1, first + 2});
  const std::vector<double> volumes = piece_volumes(debris);
  ASSERT_EQ(volumes.size(), 3u);
  EXPECT_NEAR(volumes[0], enclosed_volume(icosphere(3)), 1e-12);
  EXPECT_NEAR(volumes[1], enclosed_volume(icosphere(2, 0.1)), 1e-12);
  EXPECT_NEAR(volumes[2], 0, 1e-12);

  TetrahedralizeOptions options{.resolution = 0.15, .filling = Filling::lattice, .drop_pieces = 0.01};
  const Tetrahedralized clean = tetrahedralize(debris, options);
  EXPECT_TRUE(mentions(clean, "2 pieces of the surface with less than 0.01 of its volume each were left out"));
  EXPECT_EQ(expect_valid(clean, 10.7).components, 1u);
  EXPECT_LT(bounding_box(clean.mesh.nodes).max[0], 1.01);
  options.drop_pieces = 5e-4;
  EXPECT_TRUE(mentions(tetrahedralize(debris, options), "1 piece of the surface"));
  options.drop_pieces = 0;
  const Tetrahedralized all = tetrahedralize(debris, options);
  EXPECT_GT(bounding_box(all.mesh.nodes).max[0], 2);
  EXPECT_TRUE(
      mentions(all, "the surface is open, with 3 open edges: its holes were closed, and the body is solid inside"));
}

TEST(Tetrahedralize, OfEqualPiecesNoneIsSmall) {
  const TriMesh two = joined(icosphere(2), icosphere(2, 1, {3, 0, 0}));
  EXPECT_EQ(filling_error(two, {.resolution = 0.3, .drop_pieces = 0.6}),
            "drop_pieces: 0.6 leaves nothing: the largest of 2 pieces has 0.5 of the volume");
  const Tetrahedralized both =
      tetrahedralize(two, {.resolution = 0.3, .filling = Filling::lattice, .drop_pieces = 0.4});
  EXPECT_EQ(expect_valid(both, 10.7).components, 2u);
}

TEST(Tetrahedralize, CubeWithRepeatedVerticesAndRubbish) {
  TriMesh cube = unit_cube(CubeVertices::separate);
  cube.nodes.emplace_back(100, 100, 100);
  cube.triangles.push_back({0, 0, 1});
  for (const Filling filling : {Filling::automatic, Filling::lattice}) {
    const Tetrahedralized result = tetrahedralize(cube, {.resolution = 0.2, .filling = filling});
    EXPECT_TRUE(mentions(result, "1 triangle of no area was left out"));
    const MeshReport r = expect_valid(result, 8);
    EXPECT_EQ(r.euler, 2);
    EXPECT_NEAR(r.volume, 1, result.filling == Filling::lattice ? 0.05 : 1e-9);
    if (filling == Filling::automatic) {
      EXPECT_EQ(result.filling, has_tetgen() ? Filling::tetgen : Filling::lattice);
    }
  }
}

TEST(Tetrahedralize, HollowsAreLeftEmptyByBoth) {
  TriMesh inner = icosphere(3, 0.5);
  for (auto& t : inner.triangles) std::swap(t[0], t[1]);
  const TriMesh shell = joined(icosphere(3), inner);
  for (const Filling filling : {Filling::automatic, Filling::lattice}) {
    const MeshReport r = expect_valid(tetrahedralize(shell, {.resolution = 0.15, .filling = filling}), 8);
    EXPECT_NEAR(r.volume, 4 * pi / 3 * (1 - 0.125), 0.03 * 4);
    EXPECT_EQ(r.euler, 4);
  }
}

/// A square of paper in several positions becomes one plate.
TEST(Tetrahedralize, SheetsBecomePlates) {
  TriMesh paper;
  constexpr int n = 10;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) paper.nodes.emplace_back(i * 0.1, j * 0.1, 0);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int a = j * (n + 1) + i;
      paper.triangles.push_back({a, a + 1, a + n + 2});
      paper.triangles.push_back({a, a + n + 2, a + n + 1});
    }
  for (const double angle : {0., 0.3, 0.8}) {
    TriMesh turned = paper;
    const Eigen::AngleAxisd rotation(angle, Vec3(1, 2, 0.5).normalized());
    for (Vec3& x : turned.nodes) x = rotation * x;
    const Tetrahedralized result = tetrahedralize(turned, {.resolution = 0.1});
    const MeshReport r = expect_valid(result, 10.7);
    EXPECT_EQ(r.components, 1u) << angle;
    EXPECT_EQ(r.euler, 2) << angle;
    EXPECT_TRUE(mentions(result, "thinner than the resolution"));
    EXPECT_LT(embed(turned.nodes, result.mesh).farthest, 0.05);
    EXPECT_LT(r.volume, 0.3);
  }
}

TEST(Tetrahedralize, ThinBoxesAreNotLost) {
  TriMesh plate = unit_cube(CubeVertices::shared);
  for (Vec3& x : plate.nodes) x[2] *= 0.01;
  const Tetrahedralized result = tetrahedralize(plate, {.resolution = 0.1, .filling = Filling::lattice});
  const MeshReport r = expect_valid(result, 10.7);
  EXPECT_EQ(r.components, 1u);
  EXPECT_EQ(r.euler, 2);
  EXPECT_TRUE(mentions(result, "thickened"));
}

TEST(Tetrahedralize, ScalesFromMicrometresToKilometres) {
  for (const double scale : {1e-6, 1e3}) {
    const Tetrahedralized result = tetrahedralize(icosphere(2, scale), {.resolution = 0.3 * scale});
    EXPECT_EQ(result.filling, has_tetgen() ? Filling::tetgen : Filling::lattice);
    const MeshReport r = expect_valid(result, 8);
    EXPECT_NEAR(r.volume / std::pow(scale, 3), 4.05, 0.2);
  }
}

TEST(Tetrahedralize, SameBitsForAnyNumberOfThreads) {
  TriMesh open = icosphere(2);
  open.triangles.resize(300);
  set_threads(1);
  const Tetrahedralized one = tetrahedralize(open, {.resolution = 0.2});
  set_threads(0);
  const Tetrahedralized many = tetrahedralize(open, {.resolution = 0.2});
  EXPECT_EQ(one.mesh.nodes, many.mesh.nodes);
  EXPECT_EQ(one.mesh.tets, many.mesh.tets);
  EXPECT_EQ(one.notes, many.notes);
}

TEST(Tetrahedralize, BadInputIsAnError) {
  const TriMesh sphere = icosphere(1);
  EXPECT_EQ(filling_error({}, {.resolution = 1}), "surface: there are no triangles");
  EXPECT_EQ(filling_error({{{0, 0, 0}, {1, 0, 0}}, {{0, 1, 1}}}, {.resolution = 1}),
            "surface: all 1 triangles have no area");
  TriMesh bad = sphere;
  bad.nodes[3][1] = std::nan("");
  EXPECT_EQ(filling_error(bad, {.resolution = 1}), "surface: vertex 3 is not finite");
  bad = sphere;
  bad.triangles[2][1] = 42;
  EXPECT_EQ(filling_error(bad, {.resolution = 1}), "surface: triangle 2 names vertex 42, but there are 42");
  EXPECT_NE(filling_error(sphere, {.resolution = 0}), "");
  EXPECT_NE(filling_error(sphere, {.resolution = 10}), "");
  for (const Filling filling : {Filling::automatic, Filling::lattice}) {
    const std::string error = filling_error(sphere, {.resolution = 0.001, .filling = filling});
    EXPECT_NE(error.find("resolution: 0.001 would make about"), error.npos) << error;
    EXPECT_NE(error.find("more than 2000000"), error.npos) << error;
  }
  TriMesh open = sphere;
  open.triangles.pop_back();
  EXPECT_EQ(filling_error(open, {.resolution = 0.5, .filling = Filling::tetgen}),
            "surface: TetGen was asked for, but the surface is not clean: 3 open edges");
}

}  // namespace
}  // namespace limber::test
