#include "limber/mesh/shapes/shapes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "limber/core/errors.hpp"
#include "limber/mesh/quality.hpp"
#include "limber/mesh/shapes/creature.hpp"
#include "limber/mesh/shapes/tree.hpp"
#include "limber/mesh/tri_mesh.hpp"

namespace limber {
namespace {

using std::numbers::pi;

MeshReport checked(const TetMesh& m) {
  const MeshReport r = mesh_report(m);
  EXPECT_EQ(r.components, 1u);
  EXPECT_GT(r.min_dihedral, 10);
  EXPECT_EQ(r.inverted + r.flat + r.unreferenced_nodes + r.nonmanifold_edges + r.pinched_nodes, 0u);
  const TriMesh surface{m.nodes, boundary_triangles(m)};
  EXPECT_TRUE(is_closed(surface));
  EXPECT_NEAR(enclosed_volume(surface), r.volume, 1e-9 * r.volume);
  return r;
}

template <class Make>
std::string error_of(const Make& make) {
  try {
    make();
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

/// The volume of 6n-gons, as the rings inscribe them.
double polygon_share(double radius, double resolution) {
  const double n = 6 * std::round(1.25 * radius / resolution);
  return n / (2 * pi) * std::sin(2 * pi / n);
}

TEST(Cylinder, ManyResolutions) {
  for (const double h : {0.25, 0.11, 0.06, 0.04}) {
    const MeshReport r = checked(cylinder_mesh({.radius = 0.25, .length = 1.1, .resolution = h}));
    EXPECT_NEAR(r.volume, pi * 0.0625 * 1.1 * polygon_share(0.25, h), 1e-12);
    EXPECT_GT(r.min_dihedral, 25);
    EXPECT_EQ(r.euler, 2);
    EXPECT_NEAR(r.mean_edge / h, 1, 0.25);
  }
}

TEST(Cylinder, StandsOnItsEnd) {
  const TetMesh m = cylinder_mesh({.radius = 0.2, .length = 3, .resolution = 0.1});
  const Box3 box = bounding_box(m.nodes);
  EXPECT_EQ(box.min[1], 0);
  EXPECT_EQ(box.max[1], 3);
  EXPECT_NEAR(box.max[2], 0.2, 1e-15);
}

TEST(Sphere, ManyResolutions) {
  double before = 0;
  for (const double h : {0.5, 0.33, 0.2, 0.1, 0.06}) {
    const TetMesh m = sphere_mesh({.radius = 0.5, .resolution = h});
    const MeshReport r = checked(m);
    const double error = 1 - r.volume / (pi / 6);
    EXPECT_EQ(r.euler, 2);
    EXPECT_NEAR(error, 0, 2 * h * h / 0.25);
    if (h <= 0.1) {
      EXPECT_LT(error, before / 2.3);
    }
    before = error;
    EXPECT_NEAR(r.mean_edge / h, 1, 0.25);
    for (const auto& f : boundary_triangles(m)) EXPECT_NEAR(m.nodes[f[0]].norm(), 0.5, 1e-14);
  }
}

TEST(Shell, HasAWallOfTheGivenThickness) {
  for (const double h : {0.25, 0.15, 0.1}) {
    const ShellShape shape{
        .radius = 0.5, .length = 0.8, .thickness = 0.2, .offset = 0.05, .layers = 2, .resolution = h};
    const TetMesh m = shell_mesh(shape);
    const MeshReport r = checked(m);
    EXPECT_EQ(r.euler, 4);  // two surfaces, each a sphere
    const double outer = 4. / 3 * pi * 0.125 + 0.8 * pi * 0.25, inner = 4. / 3 * pi * 0.027 + 0.8 * pi * 0.09;
    EXPECT_NEAR(r.volume / (outer - inner), 1, 0.9 * h * h / 0.25);
    const Box3 box = bounding_box(m.nodes);
    EXPECT_NEAR(box.max[1], 0.9, 1e-12);
    EXPECT_NEAR(box.max[0], 0.5, 1e-12);
    // The nodes at the surface are on one of the two capsules.
    const auto from_axis = [](const Vec3& x) { return (x - Vec3(0, std::clamp(x.y(), -0.4, 0.4), 0)).norm(); };
    for (const auto& f : boundary_triangles(m))
      for (const int i : f) {
        const Vec3& x = m.nodes[static_cast<std::size_t>(i)];
        EXPECT_LT(std::min(std::abs(from_axis(x) - 0.5), std::abs(from_axis(x - Vec3(0.05, 0, 0)) - 0.3)), 1e-12);
      }
  }
  EXPECT_EQ(error_of([] { shell_mesh({.offset = 0.09}); }),
            "offset: 0.09 is outside [-0.075, 0.075]: a quarter of the wall must stay");
  EXPECT_EQ(error_of([] { shell_mesh({.thickness = 0.5}); }),
            "thickness: 0.5 is outside [0, 0.45]: the wall takes 0.9 of the radius at most");
}

TEST(Torus, ManyResolutions) {
  for (const double r : {0.1, 0.2, 0.35})
    for (const double share : {1., 0.5, 0.3}) {
      const double h = share * r;
      const MeshReport q = checked(torus_mesh({.major_radius = 0.5, .minor_radius = r, .resolution = h}));
      // Pappus for the inscribed polygons, with the sections' prisms: sin for the angle.
      const double n = std::max(3., std::round(1.25 * pi / h));
      EXPECT_NEAR(q.volume, 2 * pi * pi * 0.5 * r * r * polygon_share(r, h) * n / (2 * pi) * std::sin(2 * pi / n),
                  0.03 * q.volume);
      EXPECT_EQ(q.euler, 0);
    }
}

TEST(Rope, Straight) {
  const TetMesh m = rope_mesh({.radius = 0.03, .length = 1.5, .resolution = 0.015});
  EXPECT_NEAR(checked(m).volume, pi * 9e-4 * 1.5 * polygon_share(0.03, 0.015), 1e-12);
  EXPECT_EQ(bounding_box(m.nodes).min[0], 0);
  EXPECT_EQ(bounding_box(m.nodes).max[0], 1.5);
}

TEST(Rope, AlongACoil) {
  RopeShape rope{.radius = 0.04, .resolution = 0.02};
  for (int i = 0; i <= 40; ++i)
    rope.path.push_back({0.15 * std::cos(0.4 * i), 0.03 * 0.4 * i, 0.15 * std::sin(0.4 * i)});
  const MeshReport r = checked(rope_mesh(rope));
  const double length = 16 * std::hypot(0.15, 0.03);
  EXPECT_NEAR(r.volume, pi * 0.0016 * length * polygon_share(0.04, 0.02), 0.01 * r.volume);
  EXPECT_EQ(r.euler, 2);
}

TEST(Bridge, ManyResolutions) {
  std::size_t coarser = 0;
  for (const double h : {0.3, 0.125, 0.09}) {
    BridgeShape bridge;
    bridge.resolution = h;
    const TetMesh m = bridge_mesh(bridge);
    const MeshReport r = checked(m);
    // Seven posts: six windows, each a handle.
    EXPECT_EQ(r.euler, 2 - 2 * 6);
    const Box3 box = bounding_box(m.nodes);
    EXPECT_EQ(box.min, Vec3(0, 0, -0.5));
    EXPECT_EQ(box.max, Vec3(8, 2, 0.5));
    // Deck and arch are exact, the posts' slanted feet nearly.
    double posts = 0;
    const double rise = 2 - 0.25 - 0.2 - 0.3;
    for (int p = 1; p <= 7; ++p) posts += 0.25 * (1.75 - 0.3 - rise * (1 - std::pow(p / 4. - 1, 2)));
    EXPECT_NEAR(r.volume, 8 * 0.55 + posts, 0.01);
    EXPECT_GT(r.tets, coarser);
    coarser = r.tets;
  }
}

TEST(Bridge, OtherMeasures) {
  EXPECT_EQ(checked(bridge_mesh({.length = 12, .height = 4, .posts = 10, .resolution = 0.2})).euler, 2 - 2 * 9);
  EXPECT_EQ(checked(bridge_mesh({.height = 0.75, .posts = 2})).euler, 2 - 2 * 1);
}

TEST(Shapes, BadParameters) {
  EXPECT_EQ(error_of([] { cylinder_mesh({.radius = -1}); }), "radius: -1 must be finite and > 0");
  EXPECT_NE(error_of([] { cylinder_mesh({.length = NAN}); }).find("length: nan"), std::string::npos);
  EXPECT_EQ(error_of([] { cylinder_mesh({.radius = 0.1, .resolution = 0.2}); }),
            "resolution: 0.2 is outside [0, 0.1]: it must not exceed the radius");
  EXPECT_NE(error_of([] { sphere_mesh({.resolution = 0}); }).find("resolution: 0 "), std::string::npos);
  EXPECT_NE(error_of([] { sphere_mesh({.resolution = 1e-4}); }).find("tetrahedra, more than 5000000"),
            std::string::npos);
  EXPECT_NE(error_of([] { cylinder_mesh({.resolution = 1e-5}); }).find("more than 5000000"), std::string::npos);
  EXPECT_NE(error_of([] { torus_mesh({.major_radius = 1, .minor_radius = 0.8}); }).find("minor_radius: 0.8"),
            std::string::npos);
  EXPECT_NE(error_of([] { rope_mesh({.path = {Vec3::Zero()}}); }).find("path: 1 point"), std::string::npos);
  EXPECT_NE(error_of([] { rope_mesh({.path = {Vec3::Zero(), Vec3::Zero()}}); }).find("path[1]"), std::string::npos);
  EXPECT_NE(error_of([] {
              rope_mesh({.path = {{0, 0, 0}, {1, 0, 0}, {1, 0.05, 0}, {0, 0.05, 0}}});
            }).find("bends"),
            std::string::npos);
  EXPECT_NE(error_of([] { bridge_mesh({.height = 0.5}); }).find("height: 0.5"), std::string::npos);
  EXPECT_NE(error_of([] { bridge_mesh({.posts = 0}); }).find("posts: 0 is outside [1, 1000]"), std::string::npos);
  EXPECT_NE(error_of([] { bridge_mesh({.resolution = 0.5}); }).find("resolution: 0.5"), std::string::npos);
  EXPECT_NE(error_of([] { bridge_mesh({.length = 1e9, .resolution = 0.1}); }).find("more than 5000000"),
            std::string::npos);
}

TEST(Shapes, MaxTetsCanBeRaised) {
  EXPECT_NE(error_of([] { sphere_mesh({.resolution = 0.1, .max_tets = 1000}); }), "");
  EXPECT_EQ(error_of([] { sphere_mesh({.resolution = 0.1, .max_tets = 10000}); }), "");
}

TEST(MeshOfCount, FindsTheResolution) {
  const auto sphere = [](double h) { return sphere_mesh({.resolution = h}); };
  for (const std::size_t target : {300u, 5000u, 20000u}) {
    const TetMesh m = mesh_of_count(sphere, 0.5, Count::tets, target);
    EXPECT_NEAR(static_cast<double>(m.tets.size()) / static_cast<double>(target), 1, target > 1000 ? 0.05 : 0.5);
  }
  const TetMesh m = mesh_of_count(sphere, 0.5, Count::nodes, 4000);
  EXPECT_NEAR(static_cast<double>(m.nodes.size()) / 4000, 1, 0.05);
  EXPECT_NE(error_of([&] { mesh_of_count(sphere, 0.5, Count::tets, 10); }).find("tets: 10 are too few"),
            std::string::npos);
}

TEST(Creature, ManyResolutions) {
  for (const double h : {0.045, 0.037, 0.03, 0.025}) {
    const TetMesh m = creature_mesh({.resolution = h});
    const MeshReport r = checked(m);
    EXPECT_EQ(r.euler, 2);
    EXPECT_NEAR(r.volume, 0.066, 0.0015);
    const Box3 box = bounding_box(m.nodes);
    EXPECT_EQ(box.min[1], 0);
    EXPECT_NEAR(box.max[1], 1, 0.01);
    EXPECT_NEAR(box.max[0], -box.min[0], 0.01);
  }
}

TEST(Creature, ScalesWithItsHeight) {
  const TetMesh small = creature_mesh({.height = 1, .resolution = 0.04});
  const TetMesh large = creature_mesh({.height = 4, .resolution = 0.16});
  EXPECT_EQ(small.tets, large.tets);
  for (std::size_t i = 0; i < small.nodes.size(); ++i) EXPECT_LT((large.nodes[i] - 4 * small.nodes[i]).norm(), 1e-12);
}

TEST(Creature, FiftyThousandTetrahedra) {
  const auto make = [](double h) { return creature_mesh({.resolution = h}); };
  const TetMesh m = mesh_of_count(make, coarsest_resolution(CreatureShape{}), Count::tets, 51000);
  EXPECT_NEAR(static_cast<double>(m.tets.size()), 51000, 1000);
  checked(m);
}

TEST(Creature, BadParameters) {
  EXPECT_EQ(error_of([] { creature_mesh({.resolution = 0.1}); }),
            "resolution: 0.1 is outside [0, 0.05]: the ears need 0.05 of the height");
  EXPECT_NE(error_of([] { creature_mesh({.height = 0}); }).find("height: 0"), std::string::npos);
  EXPECT_NE(error_of([] { creature_mesh({.resolution = 1e-3}); }).find("more than 5000000"), std::string::npos);
}

TEST(Tree, TheUsualOne) {
  const TetMesh m = tree_mesh({});
  const MeshReport r = checked(m);
  EXPECT_GE(r.nodes, 30000u);
  EXPECT_LE(r.nodes, 60000u);
  EXPECT_EQ(bounding_box(m.nodes).min[1], 0);
  EXPECT_NEAR(r.mean_edge / 0.02, 1, 0.1);
}

TEST(Tree, OthersHoldTogetherAtTheirCoarsest) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    TreeShape tree{.levels = 2,
                   .branches = static_cast<int>(1 + seed),
                   .gravity_bend = 0.4 * static_cast<double>(seed) - 0.8,
                   .variation = 0.3 * static_cast<double>(seed) - 0.3,
                   .seed = seed};
    tree.resolution = coarsest_resolution(tree);
    checked(tree_mesh(tree));
  }
}

TEST(Tree, ATrunkAlone) {
  TreeShape tree{.levels = 0, .variation = 0, .resolution = 0.02};
  const TetMesh m = tree_mesh(tree);
  EXPECT_EQ(checked(m).euler, 2);
  const Box3 box = bounding_box(m.nodes);
  // A ball at its tip, of 0.9 of its radius.
  EXPECT_NEAR(box.max[1], 1 + 0.9 * 0.08, 0.005);
}

TEST(Tree, SeedsDifferAndRepeat) {
  const TreeShape tree{.levels = 2, .resolution = 0.03};
  TreeShape other = tree;
  other.seed = 2;
  EXPECT_EQ(tree_mesh(tree).nodes, tree_mesh(tree).nodes);
  EXPECT_NE(tree_mesh(tree).nodes, tree_mesh(other).nodes);
}

TEST(Tree, BadParameters) {
  EXPECT_NE(error_of([] { tree_mesh({.trunk_radius = 0}); }).find("trunk_radius: 0"), std::string::npos);
  EXPECT_NE(error_of([] { tree_mesh({.levels = -1}); }).find("levels: -1 is outside [0, 12]"), std::string::npos);
  EXPECT_NE(error_of([] { tree_mesh({.levels = 12, .branches = 12}); }).find("12 levels of 12 branches"),
            std::string::npos);
  EXPECT_NE(error_of([] { tree_mesh({.variation = NAN}); }).find("variation: nan"), std::string::npos);
  EXPECT_NE(error_of([] { tree_mesh({.resolution = 0.05}); }).find("the thinnest branch has the radius"),
            std::string::npos);
  EXPECT_NE(error_of([] { tree_mesh({.resolution = 1e-4}); }).find("more than 5000000"), std::string::npos);
}

}  // namespace
}  // namespace limber
