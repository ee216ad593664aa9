/// Bodies of hexahedra from files and from the scene itself.

#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Dense>
#include <algorithm>
#include <filesystem>
#include <numeric>
#include <random>

#include "limber/core/errors.hpp"
#include "limber/mesh/hex_mesh.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/construction/mesh_facts.hpp"
#include "scene/samples.hpp"

namespace limber {
namespace {

using nlohmann::json;

const Vec3 size(2, 1, .8);
const std::array<int, 3> box_cells{4, 2, 2};

/// The box of these cells as a file, whose node i is node `number[i]` of the box.
class HexBodies : public testing::Test {
 protected:
  HexBodies() : dir_(std::filesystem::path(testing::TempDir()) / ("limber_hexes_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(dir_);
    const ElementMesh box = box_hexahedra(Vec3::Zero(), size, box_cells);
    number_.resize(box.nodes.size());
    std::iota(number_.begin(), number_.end(), 0);
    std::mt19937 random(7);
    std::shuffle(number_.begin(), number_.end(), random);
    std::vector<int> place(number_.size());
    for (std::size_t i = 0; i < place.size(); ++i) {
      place[static_cast<std::size_t>(number_[i])] = static_cast<int>(i);
      mesh_.nodes.push_back(box.nodes[static_cast<std::size_t>(number_[i])]);
    }
    for (std::size_t e = 0; e < box.count(); ++e) {
      auto& hex = mesh_.hexes.emplace_back();
      for (std::size_t a = 0; a < 8; ++a) hex[a] = place[static_cast<std::size_t>(box.element(e)[a])];
    }
    std::shuffle(mesh_.hexes.begin(), mesh_.hexes.end(), random);
    mirror(mesh_.hexes[3]);
  }
  ~HexBodies() override { std::filesystem::remove_all(dir_); }

  /// A scene of one body, with the mesh as a file unless it has one.
  Model model(json body, const std::string& file = "mesh.msh") const {
    write_mesh(mesh_, (dir_ / file).string());
    body.emplace("mesh", json{{"file", file}});
    if (!body.contains("materials")) body.emplace("material", material());
    const json all{{"time", {{"step", 0.01}, {"duration", 1}}}, {"gravity", {0, 0, 0}}, {"bodies", {body}}};
    return build_model(read_scene(all, vocabulary(), dir_.string()));
  }
  static json material(double young = 1e5) {
    return {{"model", "neo_hookean"}, {"young", young}, {"poisson", .3}, {"density", 1000}};
  }
  static Matrix stiffness(const Model& m, const State& u) {
    Tangent T;
    m.system->tangent(u, Definiteness::exact, T);
    const Matrix K = T.K;
    return m.system->symmetric() ? Matrix(K.selfadjointView<Eigen::Lower>()) : K;
  }
  static Matrix mass(const Model& m) {
    Matrix M(m.system->size(), m.system->size());
    for (Index i = 0; i < M.cols(); ++i) M.col(i) = m.system->apply_mass(Vector::Unit(M.cols(), i));
    return M;
  }
  /// Rows and columns of the box's matrix in the order of the file.
  Matrix reordered(const Matrix& of_box) const {
    std::vector<Index> rows;
    for (const int n : number_)
      for (int k = 0; k < 3; ++k) rows.push_back(3 * n + k);
    return of_box(rows, rows);
  }

  std::filesystem::path dir_;
  HexMesh mesh_;
  std::vector<int> number_;
};

TEST_F(HexBodies, AFileIsTheSameBodyAsTheBox) {
  for (const char* mass_form : {"lumped", "consistent"})
    for (const char* file : {"mesh.msh", "mesh.vtk", "mesh.vtu", "mesh.mesh"}) {
      SCOPED_TRACE(std::string(mass_form) + file);
      const Model box = model({{"mesh", {{"shape", "box"}, {"size", {2, 1, .8}}, {"cells", {4, 2, 2}}}},
                               {"element", "hex"},
                               {"mass", mass_form}});
      const Model own = model({{"mass", mass_form}}, file);
      const Model named = model({{"mass", mass_form}, {"element", "hex"}}, file);
      EXPECT_NEAR(own.bodies[0].mass, 1600, 1e-10);
      const Matrix M = mass(box), K = stiffness(box, box.start);
      EXPECT_LE((mass(own) - reordered(M)).norm(), 1e-14 * M.norm());
      EXPECT_LE((stiffness(own, own.start) - reordered(K)).norm(), 1e-13 * K.norm());
      EXPECT_EQ(stiffness(own, own.start), stiffness(named, named.start));
      ASSERT_EQ(own.notes.size(), 1u);
      EXPECT_EQ(own.notes[0], "bodies[0].mesh: 1 negatively ordered hexahedra were reordered");
      EXPECT_EQ(own.bodies[0].rest.tets.size(), 6u * 16);
    }
}

/// The patch test on a distorted mesh: under a constant gradient nothing inside is pushed, and W = V ψ(F).
TEST_F(HexBodies, ConstantStrainIsReproduced) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> u(-.1, .1);
  std::vector<std::size_t> inside;
  for (std::size_t i = 0; i < mesh_.nodes.size(); ++i) {
    Vec3& x = mesh_.nodes[i];
    if (x.minCoeff() < 1e-9 || ((size - x).array() < 1e-9).any()) continue;
    inside.push_back(i);
    x += Vec3{u(random), u(random), u(random)};
  }
  ASSERT_EQ(inside.size(), 3u);
  const Model m = model({{"element", "hex"}}, "mesh.vtu");
  Mat3 A;
  A << 1.1, .1, -.05, .02, .95, .08, -.1, .04, 1.05;
  State state = m.start;
  for (Index i = 0; i < state.q.size() / 3; ++i) state.q.segment<3>(3 * i) = A * m.start.q.segment<3>(3 * i);
  const Vector f = m.system->force(state);
  for (const std::size_t i : inside)
    EXPECT_LE(f.segment<3>(3 * static_cast<Index>(i)).norm(), 1e-13 * f.norm()) << "node " << i;
  const double density = energy(make_material({"neo_hookean", 1e5, .3, {}}, "m"), A);
  EXPECT_NEAR(m.system->potentials(state)->stored, 1.6 * density, 1e-12 * density);
}

TEST_F(HexBodies, RegionsAndFieldsAreThoseOfTheFile) {
  for (const auto& hex : mesh_.hexes) {
    Vec3 centre = Vec3::Zero();
    for (const int i : hex) centre += mesh_.nodes[static_cast<std::size_t>(i)] / 8;
    mesh_.region.push_back(centre[0] < 1 ? 4 : 9);
    mesh_.fields["E"].push_back(centre[0] < 1 ? 1e5 : 3e4);
  }
  mesh_.region_names = {{"soft", 9}};
  const json by_region{{"materials", {{"4", material(1e5)}, {"soft", material(3e4)}}}};
  json field = material();
  field["young"] = {{"field", "E"}};
  const Model a = model(by_region), b = model({{"material", field}});
  const Model c = model({{"regions", {{"right", {{"box", {{"min", {1, 0, 0}}, {"max", {2, 1, .8}}}}}}}},
                         {"materials", {{"default", material(1e5)}, {"right", material(3e4)}}}});
  EXPECT_EQ(stiffness(a, a.start), stiffness(b, b.start));
  EXPECT_EQ(stiffness(a, a.start), stiffness(c, c.start));
  const auto& rest = a.bodies[0].rest;
  for (std::size_t t = 0; t < rest.tets.size(); ++t) EXPECT_EQ(rest.region[t], mesh_.region[t / 6]);

  const Model rigid = model({{"materials", by_region["materials"]}, {"rigid", {{{"region", "soft"}}}}});
  EXPECT_EQ(rigid.system->size(), 3 * (2 * 9 + 4));
}

TEST_F(HexBodies, HexahedraInTheScene) {
  json nodes = json::array(), hexes = json::array();
  for (const Vec3& x : mesh_.nodes) nodes.push_back({x[0], x[1], x[2]});
  for (const auto& hex : mesh_.hexes) hexes.push_back(hex);
  const Model file = model(json::object());
  const Model own = model({{"mesh", {{"nodes", nodes}, {"hexes", hexes}}}});
  EXPECT_EQ(stiffness(file, file.start), stiffness(own, own.start));
}

TEST_F(HexBodies, Errors) {
  const auto error = [&](const json& body) { return error_of([&] { model(body); }); };
  for (const std::string element : {"P1", "P2"})
    EXPECT_EQ(error({{"element", element}}),
              "bodies[0].element: \"" + element + "\" goes with tetrahedra; this mesh has hexahedra, for hex");
  write_mesh(box_mesh({0, 0, 0}, {1, 1, 1}, {1, 1, 1}, Split::five), (dir_ / "tets.vtu").string());
  EXPECT_EQ(error({{"element", "hex"}, {"mesh", {{"file", "tets.vtu"}}}}),
            "bodies[0].element: \"hex\" goes with boxes and with meshes of hexahedra; this mesh has tetrahedra, for P1 "
            "or P2");
  std::swap(mesh_.hexes[5][0], mesh_.hexes[5][1]);
  EXPECT_NE(error(json::object()).find("1 of 16 hexahedra are folded or flat; the first is hexahedron 5"),
            std::string::npos)
      << error(json::object());
}

TEST(HexFacts, ThicknessOfBricksIsTheirShortestEdge) {
  HexMesh m;
  m.nodes = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}, {0, 0, 3}, {2, 0, 3}, {2, 1, 3}, {0, 1, 3}};
  m.hexes = {{0, 1, 2, 3, 4, 5, 6, 7}};
  EXPECT_NEAR(smallest_thickness(m), 1, 1e-14);
  mirror(m.hexes[0]);
  m.fields["E"] = {3};
  const MeshFacts f = gather_mesh_facts(m, 5, "m");
  EXPECT_NEAR(f.thickness, 1, 1e-14);
  EXPECT_EQ(f.refused, "");
  EXPECT_EQ(f.flaws, (std::vector<std::string>{"1 hexahedron negatively ordered; a run reorders them"}));
  const json j = json_of(to_json(f));
  EXPECT_EQ(j["hexes"], 1);
  EXPECT_FALSE(j.contains("tets"));
  EXPECT_NEAR(j["volume"].get<double>(), 6, 1e-14);
  EXPECT_EQ(j["surface_triangles"], 12);
  EXPECT_EQ(j["euler"], 2);
  EXPECT_NE(describe(f).find("8 nodes, 1 hexahedra, 12 surface triangles, 1 component\n"), std::string::npos);
  EXPECT_NE(describe(f).find("scaled Jacobian"), std::string::npos);

  std::swap(m.hexes[0][0], m.hexes[0][1]);
  const MeshFacts folded = gather_mesh_facts(m, 5, "m");
  EXPECT_EQ(folded.thickness, 0);
  EXPECT_NE(folded.refused.find("folded or flat"), std::string::npos);
}

}  // namespace
}  // namespace limber
