#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "limber/core/errors.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/construction/mesh_facts.hpp"
#include "scene/samples.hpp"

namespace limber {
namespace {

using nlohmann::json;

const json E_field{{"field", "E"}}, rho_field{{"field", "rho"}};

/// A box whose halves are the regions 1 and 2, with the fields E, rho, c10 and c01 of two values, written to a file.
class MaterialFields : public testing::Test {
 protected:
  MaterialFields() : dir_(std::filesystem::path(testing::TempDir()) / ("limber_fields_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(dir_);
    mesh_ = box_mesh({0, 0, 0}, {4, 1, 1}, {4, 2, 2}, Split::five);
    for (std::size_t t = 0; t < mesh_.tets.size(); ++t) {
      const bool left = centre(mesh_, t).x() < 2;
      mesh_.region.push_back(left ? 1 : 2);
      mesh_.fields["E"].push_back(left ? 1e5 : 3e4);
      mesh_.fields["rho"].push_back(left ? 1000 : 700);
      mesh_.fields["nu"].push_back(left ? 0.3 : 0.45);
      mesh_.fields["c10"].push_back(left ? 4e4 : 1e4);
      mesh_.fields["c01"].push_back(left ? 1e4 : -2e3);
    }
  }
  ~MaterialFields() override { std::filesystem::remove_all(dir_); }

  static Vec3 centre(const TetMesh& mesh, std::size_t t) {
    Vec3 c = Vec3::Zero();
    for (const int i : mesh.tets[t]) c += mesh.nodes[static_cast<std::size_t>(i)] / 4;
    return c;
  }

  Scene scene(const json& body) const {
    write_mesh(mesh_, (dir_ / "mesh.vtu").string());
    json all{{"time", {{"step", 0.01}, {"duration", 1}}}, {"gravity", {0, 0, 0}}, {"bodies", {body}}};
    all["bodies"][0].emplace("mesh", json{{"file", "mesh.vtu"}});
    return read_scene(all, vocabulary(), dir_.string());
  }
  std::string error(const json& material) const {
    return error_of([&] { build_model(scene({{"material", material}})); });
  }

  /// Force, energy and mass agree in every bit.
  void expect_same(const json& a, const json& b) const {
    const Model one = build_model(scene(a)), other = build_model(scene(b));
    State u = one.start;
    for (Index i = 0; i < u.q.size(); ++i) u.q[i] += 1e-2 * std::sin(1.7 * static_cast<double>(i));
    const Vector f = one.system->force(u), g = other.system->force(u);
    ASSERT_GT(f.norm(), 1);
    EXPECT_TRUE(f == g) << (f - g).norm();
    EXPECT_EQ(one.system->potentials(u)->stored, other.system->potentials(u)->stored);
    EXPECT_EQ(one.bodies[0].mass, other.bodies[0].mass);
    EXPECT_EQ(one.bodies[0].wave_speed, other.bodies[0].wave_speed);
    const Vector x = Vector::LinSpaced(u.q.size(), -1, 1);
    EXPECT_TRUE(one.system->apply_mass(x) == other.system->apply_mass(x));
  }

  std::filesystem::path dir_;
  TetMesh mesh_;
};

TEST_F(MaterialFields, TwoValuesAreTwoMaterials) {
  for (const char* element : {"P1", "P2"})
    for (const char* model : {"stable_neo_hookean", "linear", "corotated", "neo_hookean"}) {
      SCOPED_TRACE(std::string(element) + model);
      const json left{{"model", model}, {"young", 1e5}, {"poisson", 0.3}, {"density", 1000}};
      const json right{{"model", model}, {"young", 3e4}, {"poisson", 0.45}, {"density", 700}};
      const json fields{{"model", model}, {"young", E_field}, {"poisson", {{"field", "nu"}}}, {"density", rho_field}};
      expect_same({{"element", element}, {"materials", {{"1", left}, {"2", right}}}},
                  {{"element", element}, {"material", fields}});
      expect_same({{"element", element}, {"materials", {{"1", left}, {"2", right}}}},
                  {{"element", element}, {"materials", {{"1", left}, {"default", fields}}}});
    }
}

TEST_F(MaterialFields, OwnParametersOfAModel) {
  const auto mooney = [](const json& c10, const json& c01) {
    return json{{"model", "mooney_rivlin"}, {"c10", c10}, {"c01", c01}, {"bulk", 1e6}};
  };
  expect_same({{"materials", {{"1", mooney(4e4, 1e4)}, {"2", mooney(1e4, -2e3)}}}},
              {{"material", mooney({{"field", "c10"}}, {{"field", "c01"}})}});
  mesh_.fields["c01"][3] = -5e4;
  EXPECT_EQ(error(mooney({{"field", "c10"}}, {{"field", "c01"}})),
            "bodies[0].material.c10: the shear modulus 2 (c10 + c01) is not positive, at element 3");
}

/// A bar of E = E₀ (1 + k x/L) under a force F at its end: between two sections away from the ends it grows by
/// F/A ∫ dx/E.
TEST_F(MaterialFields, AGradedBarStretchesByTheIntegral) {
  const double L = 8, width = 0.5, E0 = 1e5, k = 9, F = 10;
  mesh_ = box_mesh({0, 0, 0}, {L, width, width}, {64, 4, 4}, Split::six);
  for (std::size_t t = 0; t < mesh_.tets.size(); ++t)
    mesh_.fields["E"].push_back(E0 * (1 + k * centre(mesh_, t).x() / L));
  const Scene bar = scene({{"material", {{"model", "linear"}, {"young", E_field}, {"poisson", 0}}},
                           {"pin", "left"},
                           {"loads", {{{"nodes", "right"}, {"total_force", {F, 0, 0}}}}}});
  const Model model = build_model(bar);
  StaticsReport report;
  const Vector q = statics(bar, model, report);
  const auto moved = [&](double x) {
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < mesh_.nodes.size(); ++i)
      if (std::abs(mesh_.nodes[i].x() - x) < 1e-9) sum += q[3 * static_cast<Index>(i)] - x, ++count;
    return sum / count;
  };
  const double expected = F / (width * width) * L / (k * E0) * std::log((1 + k * 6 / L) / (1 + k * 2 / L));
  EXPECT_NEAR(moved(6) - moved(2), expected, 0.01 * expected);
}

TEST_F(MaterialFields, WrongFieldsAndValues) {
  const auto material = [](const json& young) { return json{{"young", young}, {"poisson", 0.3}}; };
  EXPECT_EQ(error(material({{"field", "e"}})),
            "bodies[0].material.young: the mesh has no field \"e\"; its fields are E, c01, c10, nu, rho");
  mesh_.fields["E"][7] = -2;
  EXPECT_EQ(error(material(E_field)),
            "bodies[0].material.young: the field \"E\" has the value -2 at element 7, which is not positive");
  mesh_.fields["nu"][2] = 0.5;
  EXPECT_EQ(error({{"young", 1}, {"poisson", {{"field", "nu"}}}}),
            "bodies[0].material.poisson: the field \"nu\" has the value 0.5 at element 2, which is outside (-1, 0.5)");
  mesh_.fields["rho"][5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error({{"young", 1}, {"poisson", 0.3}, {"density", rho_field}}),
            "bodies[0].material.density: the field \"rho\" has the value nan at element 5, which is not finite");
  EXPECT_EQ(error({{"young", 1}, {"poisson", 0.3}, {"c10", {{"field", "c10"}}}}),
            "bodies[0].material.c10: the material stable_neo_hookean has no such parameter");
  EXPECT_EQ(error_of([&] {
              build_model(scene({{"material", material(E_field)}, {"element", "P2"}}));
            }),
            "bodies[0].material.young: the field \"E\" has the value -2 at element 7, which is not positive");
  const json box{{"shape", "box"}, {"size", {1, 1, 1}}, {"cells", {1, 1, 1}}};
  EXPECT_EQ(error_of([&] {
              build_model(scene({{"mesh", box}, {"material", material(E_field)}}));
            }),
            "bodies[0].material.young: the mesh has no field \"E\", nor any other: fields are cell data of one "
            "component in a .vtk or .vtu file, or $ElementData of a .msh file");
  const json sheet{{"shape", "sheet"}, {"size", {1, 1}}, {"cells", {1, 1}}};
  EXPECT_EQ(error_of([&] {
              scene({{"mesh", sheet}, {"material", material(E_field)}, {"thickness", 0.01}});
            }),
            "bodies[0].material.young: sheets and rods have one number, no field");
}

TEST_F(MaterialFields, AreReported) {
  mesh_.fields = {{"E", mesh_.fields["E"]}, {"none", std::vector<double>(mesh_.tets.size(), std::nan(""))}};
  mesh_.fields["E"][0] = std::nan("");
  const MeshFacts facts = gather_mesh_facts(mesh_, 1, "mesh");
  EXPECT_NE(describe(facts).find("field   E, 30000 to 100000\n"), std::string::npos) << describe(facts);
  const json fields = json_of(to_json(facts))["fields"];
  EXPECT_EQ(fields[0], (json{{"name", "E"}, {"smallest", 3e4}, {"largest", 1e5}}));
  EXPECT_EQ(fields[1]["name"], "none");
}

}  // namespace
}  // namespace limber
