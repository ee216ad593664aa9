#include <gtest/gtest.h>

#include <cmath>

#include "limber/mesh/quality.hpp"
#include "limber/scene/construction/mesh_facts.hpp"
#include "limber/scene/read_shape.hpp"
#include "limber/scene/schema.hpp"
#include "scene/samples.hpp"

namespace limber {
namespace {

ProceduralShape shape_of(const BodyChoice& body) { return std::get<ProceduralShape>(body.mesh); }

ProceduralShape sphere(double radius, double resolution) {
  SphereShape s;
  s.radius = radius;
  s.resolution = resolution;
  return {s, std::nullopt, 0};
}

}  // namespace

TEST(Shapes, ParametersComeFromTheScene) {
  const auto bodies = read_sample(sample("shapes.json")).bodies;
  const auto cylinder = std::get<CylinderShape>(shape_of(bodies[0]).shape);
  EXPECT_EQ(cylinder.radius, 0.05);
  EXPECT_EQ(cylinder.length, 0.3);
  EXPECT_EQ(cylinder.resolution, 0.02);
  EXPECT_EQ(cylinder.max_tets, 10000u);
  EXPECT_FALSE(shape_of(bodies[0]).aim);
  EXPECT_EQ(std::get<SphereShape>(shape_of(bodies[1]).shape).radius, 0.2);
  EXPECT_EQ(shape_of(bodies[1]).aim, Count::nodes);
  EXPECT_EQ(shape_of(bodies[1]).target, 300u);
  const auto torus = std::get<TorusShape>(shape_of(bodies[2]).shape);
  EXPECT_EQ(torus.major_radius, 0.4);
  EXPECT_EQ(torus.minor_radius, 0.1);
  EXPECT_EQ(shape_of(bodies[2]).aim, Count::tets);
  EXPECT_EQ(shape_of(bodies[2]).target, 2000u);
  EXPECT_EQ(std::get<RopeShape>(shape_of(bodies[3]).shape).path.at(1), Vec3(0.5, 0.1, 0));
  const auto tree = std::get<TreeShape>(shape_of(bodies[4]).shape);
  EXPECT_EQ(tree.trunk_length, 2);
  EXPECT_EQ(tree.trunk_radius, 0.2);
  EXPECT_EQ(tree.levels, 1);
  EXPECT_EQ(tree.branches, 2);
  EXPECT_EQ(tree.length_ratio, 0.6);
  EXPECT_EQ(tree.radius_ratio, 0.7);
  EXPECT_NEAR(tree.spread, 0.785398163397448, 1e-15);
  EXPECT_NEAR(tree.twist, 1.57079632679490, 1e-14);
  EXPECT_EQ(tree.gravity_bend, -0.1);
  EXPECT_EQ(tree.variation, 0);
  EXPECT_EQ(tree.seed, 7u);
  EXPECT_EQ(tree.resolution, TreeShape().resolution);
  EXPECT_EQ(std::get<CreatureShape>(shape_of(bodies[5]).shape).height, 0.5);
  const auto bridge = std::get<BridgeShape>(shape_of(bodies[6]).shape);
  EXPECT_EQ(bridge.length, 6);
  EXPECT_EQ(bridge.width, 1.5);
  EXPECT_EQ(bridge.height, 1.5);
  EXPECT_EQ(bridge.deck_thickness, 0.3);
  EXPECT_EQ(bridge.arch_thickness, 0.4);
  EXPECT_EQ(bridge.clearance, 0.25);
  EXPECT_EQ(bridge.posts, 5);
  EXPECT_EQ(bridge.post_width, 0.2);
  EXPECT_EQ(bridge.resolution, 0.3);
  const auto shell = std::get<ShellShape>(shape_of(bodies[7]).shape);
  EXPECT_EQ(shell.radius, 0.2);
  EXPECT_EQ(shell.length, 0.3);
  EXPECT_EQ(shell.thickness, 0.05);
  EXPECT_EQ(shell.offset, 0.01);
  EXPECT_EQ(shell.layers, 1);
  EXPECT_TRUE(std::get<RopeShape>(shape_of(bodies[8]).shape).path.empty());
}

TEST(Shapes, AreMade) {
  for (const auto& body : read_sample(sample("shapes.json")).bodies) {
    TetMesh mesh = std::get<TetMesh>(source_mesh(body.mesh, body.where + ".mesh"));
    const MeshReport r = mesh_report(mesh);
    EXPECT_GT(r.min_dihedral, 10) << body.where;
    EXPECT_EQ(r.components, 1u) << body.where;
    EXPECT_EQ(r.nonmanifold_edges + r.pinched_nodes + r.inverted + r.flat, 0u) << body.where;
    const ProceduralShape choice = shape_of(body);
    if (choice.aim) {
      const auto count = static_cast<double>(*choice.aim == Count::nodes ? r.nodes : r.tets);
      // The torus has whole rings of elements in its cross-section: its small meshes come in large steps.
      const double most = std::holds_alternative<TorusShape>(choice.shape) ? 0.4 : 0.1;
      EXPECT_NEAR(std::log(count / static_cast<double>(choice.target)), 0, most) << body.where;
    }
  }
}

TEST(Shapes, ErrorsNameTheKey) {
  EXPECT_EQ(error_of([] { shape_mesh(sphere(0.5, 0.6), "bodies[2].mesh"); }),
            "bodies[2].mesh.resolution: 0.6 is outside [0, 0.5]: it must not exceed the radius");
  ProceduralShape few = sphere(0.5, 0.1);
  few.aim = Count::tets;
  few.target = 5;
  EXPECT_EQ(error_of([&] { shape_mesh(few, "bodies[2].mesh"); }).rfind("bodies[2].mesh.tets: 5 are too few: ", 0), 0u);
  few.target = 4'999'999;
  std::get<SphereShape>(few.shape).max_tets = 500;
  const std::string error = error_of([&] { shape_mesh(few, "bodies[2].mesh"); });
  EXPECT_EQ(error.rfind("bodies[2].mesh.tets: 4999999 cannot be had: the resolution ", 0), 0u) << error;
}

TEST(Shapes, DefaultsAreThoseOfTheSchema) {
  const auto defs = load_json(std::string(LIMBER_SOURCE_DIR) + "/docs/scene.schema.json")["$defs"];
  EXPECT_EQ(shape_kinds().size(), std::variant_size_v<decltype(ProceduralShape::shape)>);
  for (const auto& kind : shape_kinds())
    for (const auto& p : kind.parameters)
      EXPECT_EQ(defs["mesh_" + kind.name]["properties"][p.name]["default"], p.standard) << kind.name << "." << p.name;
}

TEST(MeshFacts, ThicknessOfKnownTetrahedra) {
  // Corner of a cube: gradients −(1, 1, 1), e₁, e₂, e₃, so that Σ g gᵀ = I + 11ᵀ, with the largest eigenvalue 4.
  const TetMesh corner{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}, {}, {}};
  EXPECT_NEAR(smallest_thickness(corner), 0.5, 1e-15);
  // Regular, edge √8: altitude 4/√3, and Σ g gᵀ = 4/3 · 3/16 I.
  const TetMesh regular{{{1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}}, {{0, 1, 2, 3}}, {}, {}};
  EXPECT_NEAR(smallest_thickness(regular), 2, 1e-14);
  const TetMesh flat{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {{0, 1, 2, 3}}, {}, {}};
  EXPECT_EQ(smallest_thickness(flat), 0);
}

TEST(MeshFacts, WaveSpeed) {
  // ν = 0: c² = E/ρ. ν = 0.4: c² = 15/7 E/ρ.
  EXPECT_NEAR(pressure_wave_speed(4e5, 0, 1000), 20, 1e-12);
  EXPECT_NEAR(pressure_wave_speed(1e5, 0.4, 1000), std::sqrt(15. / 7 * 100), 1e-12);
}

TEST(MeshFacts, WarnOfMixedUpUnits) {
  const auto warnings = [](double size) { return size_warnings({Vec3::Zero(), Vec3(size, size / 2, size / 4)}); };
  EXPECT_TRUE(warnings(1000).empty());
  EXPECT_TRUE(warnings(1e-6).empty());
  ASSERT_EQ(warnings(1800).size(), 1u);
  EXPECT_EQ(warnings(1800)[0], "1800 x 900 x 450 m, larger than 1 km: are its coordinates in metres?");
  ASSERT_EQ(warnings(1e-7).size(), 1u);
  EXPECT_NE(warnings(1e-7)[0].find("smaller than 1 um"), std::string::npos);
}

TEST(MeshFacts, SayWhatIsWrong) {
  TetMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {5, 5, 5}}, {{0, 1, 3, 2}}, {}, {}};
  const MeshFacts f = gather_mesh_facts(mesh, 10, "x.msh");
  ASSERT_EQ(f.flaws.size(), 2u);
  EXPECT_EQ(f.flaws[0], "1 tetrahedron negatively ordered; a run reorders them");
  EXPECT_EQ(f.flaws[1], "1 node in no tetrahedron");
  EXPECT_FALSE(f.refused.empty());
  EXPECT_NEAR(f.largest_omega(), 40, 1e-12);
  EXPECT_NEAR(f.explicit_step(), 0.05, 1e-15);
  mesh.tets[0][1] = 9;
  EXPECT_EQ(error_of([&] { gather_mesh_facts(mesh, 10, "x.msh"); }),
            "x.msh: tetrahedron 0 names the node 9; there are 5");
}

}  // namespace limber
