#include "limber/mesh/hex_mesh.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include "limber/core/errors.hpp"
#include "limber/mesh/hex_quality.hpp"
#include "limber/mesh/io/formats.hpp"
#include "mesh/hex_samples.hpp"

namespace limber::test {
namespace {

constexpr int faces[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

/// How often each triangle, of sorted nodes, is a face of a tetrahedron.
std::map<std::array<int, 3>, int> triangles_of(const std::vector<std::array<int, 4>>& tets) {
  std::map<std::array<int, 3>, int> count;
  for (auto t : tets) {
    std::sort(t.begin(), t.end());
    for (const auto& f : {std::array{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}})
      ++count[{t[static_cast<std::size_t>(f[0])], t[static_cast<std::size_t>(f[1])],
               t[static_cast<std::size_t>(f[2])]}];
  }
  return count;
}

/// Moves the nodes inside the box.
void distort(HexMesh& mesh, double by, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> u(-by, by);
  const Box3 box = bounding_box(mesh.nodes);
  for (Vec3& x : mesh.nodes) {
    const Vec3 step{u(random), u(random), u(random)};
    if (((x - box.min).array() > 1e-9).all() && ((box.max - x).array() > 1e-9).all()) x += step;
  }
}

/// Volume inside a surface of outward triangles.
double enclosed(const TetMesh& mesh) {
  double sum = 0;
  for (const auto& [a, b, c] : boundary_triangles(mesh))
    sum += mesh.nodes[static_cast<std::size_t>(a)].dot(
               mesh.nodes[static_cast<std::size_t>(b)].cross(mesh.nodes[static_cast<std::size_t>(c)])) /
           6;
  return sum;
}

std::string hex_error(HexMesh mesh) {
  try {
    check_and_orient(mesh, "m");
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

HexMesh one_hex() {
  HexMesh m;
  m.nodes = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  m.hexes = {{0, 1, 2, 3, 4, 5, 6, 7}};
  return m;
}

TEST(HexSplit, IsKuhnsInBoxes) {
  const ElementMesh box = box_hexahedra({0, 0, 0}, {1, 2, 3}, {3, 2, 4});
  const TetMesh mesh = subdivide(box);
  ASSERT_EQ(mesh.tets.size(), 6 * box.count());
  const int kuhn[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
  for (std::size_t t = 0; t < mesh.tets.size(); ++t)
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_EQ(mesh.tets[t][k], box.element(t / 6)[static_cast<std::size_t>(kuhn[t % 6][k])]);
}

/// Every order of the numbers of a cube's corners: all places of the smallest with all choices of the far diagonals.
TEST(HexSplit, EveryNumberingOfACube) {
  const HexMesh cube = one_hex();
  std::array<int, 8> number;
  std::iota(number.begin(), number.end(), 0);
  std::set<std::pair<int, int>> configurations;
  do {
    TetMesh mesh;
    mesh.nodes.resize(8);
    for (std::size_t a = 0; a < 8; ++a) mesh.nodes[static_cast<std::size_t>(number[a])] = cube.nodes[a];
    const auto parts = hex8_parts(number);
    mesh.tets.assign(parts.begin(), parts.end());
    for (std::size_t t = 0; t < 6; ++t) ASSERT_NEAR(signed_volume(mesh, t), 1. / 6, 1e-15);
    const auto count = triangles_of(mesh.tets);
    int outside = 0, diagonals = 0;
    for (const auto& [triangle, times] : count) {
      ASSERT_LE(times, 2);
      outside += times == 1;
    }
    ASSERT_EQ(outside, 12);
    for (int f = 0; f < 6; ++f) {
      std::array<int, 4> n;
      for (std::size_t k = 0; k < 4; ++k) n[k] = number[static_cast<std::size_t>(faces[f][k])];
      const auto least = static_cast<std::size_t>(std::min_element(n.begin(), n.end()) - n.begin());
      diagonals |= static_cast<int>(least % 2) << f;
      for (const std::size_t side : {1u, 3u}) {
        std::array<int, 3> triangle{n[least], n[(least + 2) % 4], n[(least + side) % 4]};
        std::sort(triangle.begin(), triangle.end());
        ASSERT_EQ(count.count(triangle), 1u);
      }
    }
    configurations.insert(
        {static_cast<int>(std::min_element(number.begin(), number.end()) - number.begin()), diagonals});
  } while (std::next_permutation(number.begin(), number.end()));
  EXPECT_EQ(configurations.size(), 64u);
}

TEST(HexSplit, IsConformingOnAnyNumbering) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    HexMesh hexes = shuffled_cells({3, 4, 3}, seed);
    distort(hexes, .2, seed);
    ASSERT_EQ(check_and_orient(hexes, "m").reordered, 0u);
    const TetMesh mesh = subdivide(hexahedra(hexes));
    double sum = 0;
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) sum += signed_volume(mesh, t);
    EXPECT_NEAR(sum, 36, 1e-12);
    EXPECT_NEAR(enclosed(mesh), 36, 1e-12);
    std::size_t once = 0;
    for (const auto& [triangle, times] : triangles_of(mesh.tets)) {
      ASSERT_LE(times, 2);
      once += times == 1;
    }
    EXPECT_EQ(once, 2u * 2 * (3 * 4 + 4 * 3 + 3 * 3));
  }
}

TEST(HexFiles, EveryVariantHoldsTheSameMesh) {
  const HexMesh expected = expected_hexes();
  for (const Sample& s : hex_samples()) {
    SCOPED_TRACE(s.label);
    const ScratchDir dir;
    const std::string path = dir.put(s.file, s.files.begin()->second);
    HexMesh m;
    ASSERT_NO_THROW(m = std::get<HexMesh>(read_solid_mesh(path))) << reading_error(path);
    EXPECT_EQ(m.nodes, expected.nodes);
    EXPECT_EQ(m.hexes, expected.hexes);
    EXPECT_EQ(m.region, s.region);
    if (!s.file.ends_with(".mesh")) {
      EXPECT_EQ(m.fields.at("E"), (std::vector<double>{1e5, 2e5}));
    }
    if (s.label.ends_with("2.2 ascii")) {
      EXPECT_EQ(m.region_names, (std::map<std::string, int>{{"hard", 12}}));
    }
    EXPECT_EQ(check_and_orient(m, s.label).reordered, 0u);
    EXPECT_EQ(reading_error(path), path + ": the file holds hexahedra, expected tetrahedra");
  }
}

TEST(HexFiles, RoundTripKeepsEveryBit) {
  HexMesh m = shuffled_cells({3, 2, 2}, 1);
  for (Vec3& x : m.nodes) x = x / 3 + Vec3(1e5, -1e-7, std::exp(1.));
  for (std::size_t h = 0; h < m.hexes.size(); ++h) {
    m.region.push_back(h % 5 == 3 ? -4 : static_cast<int>(h / 4));
    m.fields["E"].push_back(1e5 / (1. + static_cast<double>(h)));
  }
  m.region_names = {{"one", 1}, {"two words", 2}};
  const ScratchDir dir;
  for (const char* name : {"m.msh", "m.vtk", "m.vtu", "m.mesh"}) {
    SCOPED_TRACE(name);
    write_mesh(m, dir.path(name));
    const auto back = std::get<HexMesh>(read_solid_mesh(dir.path(name)));
    EXPECT_EQ(back.nodes, m.nodes);
    EXPECT_EQ(back.hexes, m.hexes);
    EXPECT_EQ(back.region, m.region);
    if (name != std::string("m.mesh")) {
      EXPECT_EQ(back.fields, m.fields);
    }
  }
  EXPECT_EQ(std::get<HexMesh>(read_solid_mesh(dir.path("m.msh"))).region_names, m.region_names);
  for (const char* name : {"m.node", "m.ele"}) {
    EXPECT_THROW(write_mesh(m, dir.path(name)), InputError) << name;
    EXPECT_THROW(read_solid_mesh(dir.path(name)), InputError) << name;
  }
}

struct BadHexFile {
  std::string file, contents, error;
};

TEST(HexFiles, MixedAndCurvedCellsAreRefused) {
  const std::string rule = "; a body has solids of one kind, tetrahedra or hexahedra";
  std::string nodes = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n", points = "POINTS 8 double\n",
              vertices = "MeshVersionFormatted 2\nDimension 3\nVertices 8\n";
  for (int i = 0; i < 8; ++i) {
    const std::string x = std::to_string(i & 1) + " " + std::to_string(i >> 1 & 1) + " " + std::to_string(i >> 2);
    nodes += std::to_string(i + 1) + " " + x + "\n";
    points += x + "\n";
    vertices += x + " 0\n";
  }
  nodes += "$EndNodes\n$Elements\n";
  const std::string hex = " 5 2 0 1 1 2 4 3 5 6 8 7\n", tet = " 4 2 0 1 1 2 3 5\n", prism = " 6 2 0 1 1 2 3 5 6 7\n";
  const std::string vtk = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n" + points;
  const BadHexFile bad[] = {
      {"a.msh", nodes + "4\n1" + hex + "2" + tet + "3" + tet + "4" + prism + "$EndElements\n",
       ": the file holds 2 tetrahedra, 1 hexahedra, 1 prisms" + rule},
      {"a.msh", nodes + "2\n1" + tet + "2" + prism + "$EndElements\n",
       ": the file holds 1 tetrahedra, 1 prisms" + rule},
      {"a.msh", nodes + "1\n1" + prism + "$EndElements\n", ": the file holds 1 prisms" + rule},
      {"a.msh", nodes + "1\n1 17 2 0 1 1 2 3 4 5 6 7 8 1 2 3 4 5 6 7 8 1 2 3 4\n$EndElements\n",
       ":17: element type 17 (20-node hexahedron) is not linear; only linear tetrahedra (4 nodes) and hexahedra (8 "
       "nodes) are read"},
      {"a.vtk", vtk + "CELLS 2 15\n8 0 1 3 2 4 5 7 6\n5 0 1 3 2 4\nCELL_TYPES 2\n12\n14\n",
       ": the file holds 1 hexahedra, 1 pyramids" + rule},
      {"a.vtk", vtk + "CELLS 1 8\n7 0 1 3 2 4 5 7\nCELL_TYPES 1\n12\n",
       ":17: cell 0 of type 12 has 7 nodes, expected 8"},
      {"a.vtk", vtk + "CELLS 1 9\n8 0 1 3 2 4 5 7 8\nCELL_TYPES 1\n12\n",
       ":17: cell 0 names node 8, but the nodes are 0 to 7"},
      {"a.vtk", vtk + "CELLS 1 9\n8 0 1 3 2 4 5 7 6\nCELL_TYPES 1\n72\n",
       ":17: cell 0 of type 72 (VTK_LAGRANGE_HEXAHEDRON, 8 nodes) is not linear; only linear tetrahedra (4 nodes) and "
       "hexahedra (8 nodes) are read"},
      {"a.mesh", vertices + "Tetrahedra 1\n1 2 3 5 0\nHexahedra 1\n1 2 4 3 5 6 8 7 0\nEnd\n",
       ": the file holds 1 tetrahedra, 1 hexahedra" + rule},
      {"a.mesh", vertices + "HexahedraQ2 1\n",
       ":12: the section HexahedraQ2 is not linear; only linear tetrahedra (4 "
       "nodes) and hexahedra (8 nodes) are read"},
      {"a.mesh", vertices + "Hexahedra 1\n1 2 4 3 5 6 8 9 0\nEnd\n", ":13: vertex 9 is out of range: they are 1 to 8"},
  };
  for (const BadHexFile& b : bad) {
    const ScratchDir dir;
    const std::string path = dir.put(b.file, b.contents);
    EXPECT_EQ(reading_error(path), path + b.error) << b.contents;
  }
}

TEST(HexChecks, WrongOrdersAndShapes) {
  HexMesh good = one_hex();
  EXPECT_EQ(hex_error(good), "");
  EXPECT_EQ(check_and_orient(good, "m").reordered, 0u);

  HexMesh turned = one_hex();
  turned.hexes[0] = {4, 5, 6, 7, 0, 1, 2, 3};
  EXPECT_EQ(check_and_orient(turned, "m").reordered, 1u);
  EXPECT_EQ(turned.hexes, one_hex().hexes);

  HexMesh voxel = shuffled_cells({2, 1, 1}, 0);
  std::swap(voxel.hexes[1][2], voxel.hexes[1][3]);
  std::swap(voxel.hexes[1][6], voxel.hexes[1][7]);
  EXPECT_EQ(hex_error(voxel).find("m: 1 of 2 hexahedra are folded or flat; the first is hexahedron 1 (nodes "), 0u)
      << hex_error(voxel);

  HexMesh pushed = one_hex();
  pushed.nodes[6] = {.2, .2, .2};
  EXPECT_NE(hex_error(pushed).find("hexahedron 0 (nodes 0, 1, 2, 3, 4, 5, 6, 7), whose scaled Jacobian is -"),
            std::string::npos)
      << hex_error(pushed);
  EXPECT_NE(hex_error(pushed).find(" at node "), std::string::npos);

  HexMesh flat = one_hex();
  for (Vec3& x : flat.nodes) x[2] = 0;
  EXPECT_NE(hex_error(flat).find("folded or flat"), std::string::npos);

  HexMesh twice = one_hex();
  twice.hexes[0][7] = 4;
  EXPECT_EQ(hex_error(twice), "m: hexahedron 0 (nodes 0, 1, 2, 3, 4, 5, 6, 4) names node 4 twice");
  HexMesh same = one_hex();
  same.hexes.push_back({1, 2, 3, 0, 5, 6, 7, 4});
  EXPECT_EQ(hex_error(same), "m: hexahedra 0 and 1 have the same nodes 0, 1, 2, 3, 4, 5, 6, 7");
  HexMesh unused = one_hex();
  unused.nodes.emplace_back(3, 3, 3);
  EXPECT_EQ(hex_error(unused), "m: 1 of 9 nodes belong to no hexahedron; the first is node 8");
  HexMesh far = one_hex();
  far.hexes[0][7] = 8;
  EXPECT_EQ(hex_error(far), "m: hexahedron 0 names node 8, but the nodes are 0 to 7");
  HexMesh infinite = one_hex();
  infinite.nodes[2][1] = std::numeric_limits<double>::infinity();
  EXPECT_NE(hex_error(infinite).find("must be finite"), std::string::npos);
  EXPECT_EQ(hex_error({}), "m: the mesh has no hexahedra");
  HexMesh regions = one_hex();
  regions.region = {1, 2};
  EXPECT_EQ(hex_error(regions), "m: 2 regions for 1 hexahedra");
}

/// Positive at corners and points of integration, and yet a tetrahedron is inverted: how many of 20000 cubes whose
/// corners are moved at random by up to so much along each axis.
int too_warped(double by) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> u(-by, by);
  int warped = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    HexMesh m = one_hex();
    for (Vec3& x : m.nodes) x += Vec3{u(random), u(random), u(random)};
    if (!hex_shape(m, 0).sound()) continue;
    const TetMesh parts = subdivide(hexahedra(m));
    double least = 1;
    for (std::size_t t = 0; t < 6; ++t) least = std::min(least, signed_volume(parts, t));
    const std::string error = hex_error(m);
    EXPECT_EQ(error.empty(), least > 0) << error;
    if (error.empty()) continue;
    ++warped;
    EXPECT_EQ(error.find("m: the faces of hexahedron 0 (nodes 0, 1, 2, 3, 4, 5, 6, 7) are too warped"), 0u) << error;
  }
  return warped;
}

TEST(HexChecks, TooWarpedForItsTetrahedra) {
  EXPECT_EQ(too_warped(.15), 0);
  EXPECT_LT(too_warped(.25), 100);
  EXPECT_GT(too_warped(.45), 1000);
}

TEST(HexQuality, OfBricksAndShears) {
  HexMesh m = shuffled_cells({3, 2, 2}, 4);
  for (Vec3& x : m.nodes) x = Vec3(2 * x[0], x[1], .5 * x[2]);
  HexQuality q = hex_quality(m);
  EXPECT_EQ(q.hexes, 12u);
  EXPECT_NEAR(q.volume, 12, 1e-12);
  EXPECT_NEAR(q.min_scaled_jacobian, 1, 1e-14);
  EXPECT_EQ(q.scaled_jacobian_histogram[9], 12u);
  EXPECT_NEAR(q.min_edge, .5, 1e-14);
  EXPECT_NEAR(q.max_edge, 2, 1e-14);
  // 3·3·3 edges along x, 4·2·3 along y, 4·3·2 along z.
  EXPECT_NEAR(q.mean_edge, (27 * 2 + 24 * 1 + 24 * .5) / 75, 1e-14);

  for (Vec3& x : m.nodes) x[0] += x[1];  // by 45°
  mirror(m.hexes[5]);
  q = hex_quality(m);
  EXPECT_NEAR(q.volume, 12, 1e-12);
  EXPECT_NEAR(q.min_scaled_jacobian, std::sqrt(.5), 1e-14);
  EXPECT_NEAR(q.mean_scaled_jacobian, std::sqrt(.5), 1e-14);
  EXPECT_EQ(q.mirrored, 1u);
  EXPECT_EQ(q.folded, 0u);
  EXPECT_NEAR(q.min_volume, -1, 1e-14);

  // A frustum: squares of 1 and 4 m² at a distance of 1 m, V = (1 + 2 + 4)/3.
  HexMesh frustum = one_hex();
  for (std::size_t a = 4; a < 8; ++a) frustum.nodes[a] = Vec3(2 * frustum.nodes[a][0], 2 * frustum.nodes[a][1], 1);
  EXPECT_NEAR(hex_quality(frustum).volume, 7. / 3, 1e-14);
  // At corner 4 the edges are 1, 2 and 2 along the axes; at corner 6 the one down is (−1, −1, −1).
  EXPECT_NEAR(hex_quality(frustum).min_scaled_jacobian, 1 / std::sqrt(3.), 1e-14);
}

}  // namespace
}  // namespace limber::test
