/// Coarse bodies against closed forms, against differences, and against the fine bodies.

#include "limber/scene/coarsen/coarsen.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <numeric>

#include "limber/core/errors.hpp"
#include "limber/scene/coarsen/element_products.hpp"
#include "limber/scene/coarsen/equal_response.hpp"
#include "limber/scene/coarsen/transfer.hpp"
#include "limber/scene/run/facts.hpp"
#include "limber/scene/run/mode_shapes.hpp"
#include "scene/samples.hpp"

namespace limber {
namespace {

using Json = nlohmann::json;

/// A box that is clamped at x = 0.
Json clamped_box(const std::vector<int>& cells, double young = 2e5, double poisson = .3) {
  return {{"time", {{"step", .01}, {"duration", .5}}},
          {"bodies",
           {{{"name", "box"},
             {"mesh", {{"shape", "box"}, {"size", {.4, .1, .1}}, {"cells", cells}}},
             {"material", {{"young", young}, {"poisson", poisson}, {"density", 1000}}},
             {"pin", "left"}}}}};
}

Scene scene_of(const Json& json) { return read_scene(json, vocabulary(), ""); }

CoarsenRequest coarsen_request(const Json& json, double factor = 2, int modes = 6) {
  CoarsenRequest request;
  request.scene = document_of(json);
  request.factor = factor;
  request.modes = modes;
  return request;
}

const TetMesh& tets_of(const CoarseBody& body) { return std::get<TetMesh>(body.mesh); }

std::vector<double> model_frequencies(const Scene& scene, int count) {
  std::vector<double> all;
  for (const double l : scene_modes(build_model(scene), count).lambda) all.push_back(mode_frequency(l));
  return all;
}

/// With E of each of its elements in the field "young".
Scene with_moduli(const Json& json, const std::vector<double>& young) {
  Scene alone = scene_alone(scene_of(json), 0);
  const BoxShape box = std::get<BoxShape>(alone.bodies[0].mesh);
  alone.bodies[0].mesh = box_mesh(box.origin, box.size, box.cells, box.split);
  set_cell_field(alone, "young", young);
  MaterialChoice& m = alone.bodies[0].materials.at("default");
  m.parameters.erase("young");
  m.fields["young"] = "young";
  return alone;
}

std::vector<double> uneven(std::size_t count) {
  std::vector<double> young;
  for (std::size_t e = 0; e < count; ++e) young.push_back(2e5 * (1 + .5 * std::sin(1.3 * static_cast<double>(e))));
  return young;
}

TEST(ElementProducts, AUniformStrainStoresTwiceItsEnergyInEachElement) {
  // u = (ε x, 0, 0): uᵀK_e u = V ε² (λ + 2μ).
  const double young = 3e5, poisson = .3, eps = .01;
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), mu = young / (2 * (1 + poisson));
  for (const char* element : {"P1", "P2", "hex"}) {
    Json json = clamped_box({3, 2, 2}, young, poisson);
    json["bodies"][0]["element"] = element;
    const Scene alone = scene_alone(scene_of(json), 0);
    const RestBody body(alone);
    const auto placed = placed_alone(alone, body.model);
    const ElementProducts products(placed->placed, MassForm::lumped);
    const auto& nodes = placed->placed.nodes;
    Matrix u = Matrix::Zero(3 * static_cast<Index>(nodes.size()), 1);
    for (std::size_t i = 0; i < nodes.size(); ++i) u(3 * static_cast<Index>(i), 0) = eps * nodes[i].x();
    const Matrix work = products.stiffness(u);
    EXPECT_NEAR(work.sum(), .4 * .1 * .1 * eps * eps * (lambda + 2 * mu), 1e-9 * work.sum()) << element;
    EXPECT_GT(work.minCoeff(), .5 * work.mean()) << element;
    EXPECT_TRUE(work.isApprox(products.stiffness_squares(u)));
    // A translation has the mass of each element.
    EXPECT_NEAR(products.mass(Matrix::Ones(u.rows(), 1)).sum(), 3 * 4., 1e-9) << element;
  }
}

TEST(ElementProducts, AreTheDerivativesOfEigenvaluesAndOfTheWorkOfLoads) {
  const Json json = clamped_box({4, 2, 1});
  std::vector<double> young = uneven(40);
  const auto response = [&](std::size_t e, double factor) {
    std::vector<double> changed = young;
    changed[e] *= factor;
    const RestBody body(with_moduli(json, changed));
    Matrix f = body.gather(Matrix::Ones(3 * static_cast<Index>(body.system().nodes()), 1));
    return std::pair(elastic_modes(body, 4).lambda, f.col(0).dot(body.solve(0, f).col(0)));
  };
  const Scene alone = with_moduli(json, young);
  const RestBody body(alone);
  const auto placed = placed_alone(alone, body.model);
  const ElementProducts products(placed->placed, MassForm::lumped);
  const Matrix by_modes = products.stiffness_squares(body.spread(elastic_modes(body, 4).X));
  const Matrix f = body.gather(Matrix::Ones(3 * static_cast<Index>(body.system().nodes()), 1));
  const Matrix by_work = products.stiffness_squares(body.spread(body.solve(0, f)));
  for (const std::size_t e : {0u, 7u, 22u}) {
    const double h = 1e-4;
    const auto up = response(e, 1 + h), down = response(e, 1 - h);
    const auto row = static_cast<Index>(e);
    for (Index k = 0; k < 4; ++k)
      EXPECT_NEAR(by_modes(row, k), (up.first[k] - down.first[k]) / (2 * h), 1e-5 * by_modes.col(k).maxCoeff());
    EXPECT_NEAR(-by_work(row, 0), (up.second - down.second) / (2 * h), 1e-5 * by_work.maxCoeff());
  }
}

TEST(ElementProducts, AddUpToTheEigenvalue) {
  const Json json = clamped_box({4, 2, 1});
  const Scene alone = with_moduli(json, uneven(40));
  const RestBody body(alone);
  const ElasticModes modes = elastic_modes(body, 5);
  const ElementProducts products(placed_alone(alone, body.model)->placed, MassForm::lumped);
  const Vector sums = products.stiffness_squares(body.spread(modes.X)).colwise().sum();
  for (Index k = 0; k < 5; ++k) EXPECT_NEAR(sums[k], modes.lambda[k], 1e-9 * modes.lambda[k]);
}

/// Hexahedra that move along x only are a chain of N springs E A/h and masses ρ A h, the last one half of it:
/// ω_k = 2 c/h sin((2k − 1) π/4N), c² = E/ρ where ν = 0.
double chain_frequency(int N, int k, double length, double young) {
  const double c = std::sqrt(young / 1000), h = length / N;
  return 2 * c / h * std::sin((2 * k - 1) * std::numbers::pi / (4 * N)) / (2 * std::numbers::pi);
}

TEST(Coarsen, ABarHasTheFrequenciesOfTheFineChain) {
  Json json = clamped_box({16, 1, 1}, 2e5, 0);
  json["bodies"][0]["element"] = "hex";
  json["bodies"][0]["mesh"]["size"] = {.4, .005, .005};  // so thin that its sections stay plane
  json["bodies"][0]["pin"] = Json::parse(R"(["left", {"nodes": "all", "axes": "yz"}])");
  const Coarsened made = coarsen(coarsen_request(json, 2, 3));
  const CoarseBody& body = made.bodies.at(0);
  EXPECT_EQ(body.elements, 8u);
  for (int k = 1; k <= 3; ++k) {
    const auto i = static_cast<std::size_t>(k - 1);
    EXPECT_NEAR(body.fine[i], chain_frequency(16, k, .4, 2e5), 1e-6 * body.fine[i]);
    EXPECT_NEAR(body.before[i], chain_frequency(8, k, .4, 2e5), 1e-6 * body.fine[i]);
    EXPECT_NEAR(body.after[i], body.fine[i], 1e-3 * body.fine[i]);
  }
  EXPECT_LT(chain_frequency(8, 3, .4, 2e5), .98 * chain_frequency(16, 3, .4, 2e5));  // there was something to do
}

TEST(Coarsen, KeepsFrequenciesAndWhatWeightDoes) {
  Json json = clamped_box({16, 4, 4});
  const Coarsened made = coarsen(coarsen_request(json));
  const CoarseBody& body = made.bodies.at(0);
  EXPECT_EQ(body.elements_before, 5u * 256);
  EXPECT_EQ(body.elements, 5u * 32);
  EXPECT_GT(body.before[0], 1.1 * body.fine[0]);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(body.after[i], body.fine[i], .005 * body.fine[i]) << i;
  for (const double part : body.self_weight) EXPECT_NEAR(part, 1, .06);

  // The scene that was made has them too, without this code.
  const Scene coarse = read_scene(made.scene, vocabulary(), "");
  const auto fine = model_frequencies(scene_of(json), 3), now = model_frequencies(coarse, 3);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(now[i], fine[i], .005 * fine[i]) << i;
}

TEST(Coarsen, KeepsWhatALoadDoes) {
  Json json = clamped_box({16, 4, 4}, 1e6);
  json["gravity"] = {0, 0, 0};
  json["bodies"][0]["loads"] = {{{"nodes", "right"}, {"total_force", {0, 0, .02}}}};
  json["output"] = {{"probes", {{{"name", "tip"}, {"body", "box"}, {"point", {.4, .05, .05}}}}}};
  const auto deflection = [](const Scene& scene) {
    const Model model = build_model(scene);
    StaticsReport report;
    return model.probes.at(0).at(statics(scene, model, report))[2] - .05;
  };
  const Coarsened made = coarsen(coarsen_request(json));
  json["bodies"][0]["mesh"]["cells"] = {16, 4, 4};
  const double fine = deflection(scene_of(json)), coarse = deflection(read_scene(made.scene, vocabulary(), ""));
  json["bodies"][0]["mesh"]["cells"] = {8, 2, 2};
  EXPECT_NEAR(coarse, fine, .02 * fine);
  EXPECT_LT(deflection(scene_of(json)), .9 * fine);  // it locks
  // F L³/3EI + 1.2 F L/GA, where E is 1 MPa and ν .3; P1 is stiffer than that.
  const double bending = .02 * std::pow(.4, 3) / (3 * 1e6 * std::pow(.1, 4) / 12),
               shear = 1.2 * .02 * .4 / (1e6 / 2.6 * .01);
  EXPECT_NEAR(fine, bending + shear, .15 * bending);
}

TEST(Coarsen, KeepsMassAndItsCentreWithTwoMaterials) {
  Json json = clamped_box({8, 4, 4});
  Json& body = json["bodies"][0];
  body["regions"] = Json::parse(R"({"heavy": {"box": {"min": [0.2, 0, 0], "max": [0.4, 0.1, 0.1]}}})");
  body["materials"] = {{"default", body["material"]}, {"heavy", body["material"]}};
  body["materials"]["heavy"]["density"] = 3000;
  body["materials"]["heavy"]["young"] = 4e5;
  body.erase("material");
  const Coarsened made = coarsen(coarsen_request(json));
  const TetMesh& mesh = tets_of(made.bodies.at(0));
  double mass = 0, moment = 0, half = 0;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    Vec3 centre = Vec3::Zero();
    for (const int i : mesh.tets[t]) centre += mesh.nodes[static_cast<std::size_t>(i)] / 4;
    const double m = mesh.fields.at("density")[t] * signed_volume(mesh, t);
    mass += m;
    moment += m * centre.x();
    if (centre.x() > .2) half += signed_volume(mesh, t);
    EXPECT_EQ(mesh.region.at(t), centre.x() > .2 ? 2 : 1);  // "default" and "heavy", in this order
  }
  EXPECT_NEAR(mass, .002 * 1000 + .002 * 3000, 1e-9);
  EXPECT_NEAR(moment, .002 * 1000 * .1 + .002 * 3000 * .3, 1e-9);
  EXPECT_NEAR(half, .002, 1e-12);
  EXPECT_NEAR(made.bodies[0].mass, 8, 1e-9);
  const Json& materials = json_of(made.scene)["bodies"][0]["materials"];
  EXPECT_EQ(materials.size(), 2u);
  EXPECT_EQ(materials["2"]["young"]["field"], "young");
  EXPECT_FALSE(json_of(made.scene)["bodies"][0].contains("regions"));
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(made.bodies[0].after[i], made.bodies[0].fine[i], .01 * made.bodies[0].fine[i]);
}

TEST(Coarsen, TransfersMeansByVolume) {
  // A fine box of 2 cells along x under a coarse one of one cell: E 1e5 in one half, 3e5 in the other.
  Json json = clamped_box({2, 1, 1});
  Json& body = json["bodies"][0];
  body["regions"] = Json::parse(R"({"stiff": {"box": {"min": [0.2, 0, 0], "max": [0.4, 0.1, 0.1]}}})");
  body["materials"] = {{"default", body["material"]}, {"stiff", body["material"]}};
  body["materials"]["default"]["young"] = 1e5;
  body["materials"]["stiff"]["young"] = 3e5;
  body.erase("material");
  const Scene alone = scene_alone(scene_of(json), 0);
  const RestBody fine(alone);
  const SolidMesh coarse = box_mesh({0, 0, 0}, {.4, .1, .1}, {1, 1, 1}, Split::five);
  const Transferred t = transfer_materials(alone.bodies[0], placed_alone(alone, fine.model)->placed, coarse);
  const TetMesh& mesh = std::get<TetMesh>(coarse);
  double sum = 0;
  for (std::size_t e = 0; e < mesh.tets.size(); ++e) {
    EXPECT_GE(t.young[e], 1e5);
    EXPECT_LE(t.young[e], 3e5);
    sum += t.young[e] * signed_volume(mesh, e);
  }
  EXPECT_NEAR(sum / .004, 2e5, .1e5);
  EXPECT_EQ(t.density, std::vector<double>(5, 1000));
}

TEST(Coarsen, SkipsRigidMotionsOfAFreeBody) {
  Json json = clamped_box({12, 4, 4});
  json["bodies"][0].erase("pin");
  const Coarsened made = coarsen(coarsen_request(json));
  const auto fine = model_frequencies(scene_of(json), 12);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(made.bodies[0].fine[i], fine[i + 6], 1e-5 * fine[i + 6]);
    EXPECT_NEAR(made.bodies[0].after[i], fine[i + 6], .01 * fine[i + 6]) << i;
  }
}

TEST(Coarsen, QuadraticAndUnstructuredBodies) {
  Json json = clamped_box({8, 2, 2});
  json["bodies"][0]["element"] = "P2";
  const Coarsened quadratic = coarsen(coarsen_request(json));
  EXPECT_EQ(quadratic.bodies[0].elements, 5u * 4);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(quadratic.bodies[0].after[i], quadratic.bodies[0].fine[i], .01 * quadratic.bodies[0].fine[i]) << i;

  json["bodies"][0].erase("element");
  json["bodies"][0]["mesh"] = {{"shape", "cylinder"}, {"radius", .1}, {"length", .5}, {"resolution", .03}};
  json["bodies"][0]["pin"] = "bottom";
  const Coarsened cylinder = coarsen(coarsen_request(json));
  EXPECT_LT(8 * cylinder.bodies[0].elements, 1.5 * static_cast<double>(cylinder.bodies[0].elements_before));
  EXPECT_NEAR(cylinder.bodies[0].mass, cylinder.bodies[0].mass_before, 1e-9 * cylinder.bodies[0].mass);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(cylinder.bodies[0].after[i], cylinder.bodies[0].fine[i], .01 * cylinder.bodies[0].fine[i]) << i;

  // Tetrahedra that only a file, or the scene, has: a lattice inside their boundary.
  const TetMesh mesh = box_mesh({0, 0, 0}, {.4, .1, .1}, {16, 4, 4}, Split::five);
  Json nodes = Json::array();
  for (const Vec3& x : mesh.nodes) nodes.push_back({x[0], x[1], x[2]});
  json["bodies"][0]["mesh"] = {{"nodes", nodes}, {"tets", mesh.tets}};
  json["bodies"][0]["pin"] = "left";
  const Coarsened lattice = coarsen(coarsen_request(json, 1.6));
  EXPECT_LT(lattice.bodies[0].elements, lattice.bodies[0].elements_before);
  EXPECT_NEAR(lattice.bodies[0].mass, 4, 1e-9);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(lattice.bodies[0].after[i], lattice.bodies[0].fine[i], .02 * lattice.bodies[0].fine[i]) << i;
}

TEST(Coarsen, SelectionsStayWhereTheyWere) {
  Json json = clamped_box({8, 2, 2});
  Json& body = json["bodies"][0];
  body["pin"] = Json::parse(R"(["left", {"nodes": [8, 17]}, {"box": {"min": [0.04, 0, 0], "max": [0.06, 0.1, 0.1]}}])");
  body["loads"] = {{{"nodes", "right"}, {"force", {0, 0, 1}}}, {{"nodes", "top"}, {"total_force", {0, 3, 0}}}};
  body["targets"] = Json::parse(R"([{"nodes": "right", "stiffness": 40, "keys": [{"time": 0}]}])");
  const Coarsened made = coarsen(coarsen_request(json, 2, 3));
  const Json& now = json_of(made.scene)["bodies"][0];
  EXPECT_EQ(now["pin"][0], "left");
  EXPECT_EQ(now["pin"][1]["nodes"],
            Json({4}));  // (.4, 0, 0) and (.4, .05, 0) → (.4, 0, 0), the first of two equally near
  EXPECT_EQ(now["pin"][2]["nodes"].size(), 4u);  // no coarse node has x = .05: those with x = 0 or .1 next to it
  EXPECT_EQ(now["loads"][0]["force"], Json({0., 0., 9. / 4}));  // nine nodes were pulled by 1 N, four are
  EXPECT_EQ(now["loads"][1]["total_force"], Json({0, 3, 0}));
  EXPECT_EQ(now["targets"][0]["stiffness"], 90);
  const auto noted = [&](const std::string& word) {
    return std::any_of(made.notes.begin(), made.notes.end(),
                       [&](const std::string& note) { return note.find(word) != note.npos; });
  };
  EXPECT_TRUE(noted("bodies[0].pin[1]: the nodes have other numbers"));
  EXPECT_TRUE(noted("bodies[0].pin[2]: catches no node of the coarse mesh"));
}

TEST(Coarsen, WritesTheMeshBesideTheScene) {
  const auto folder = std::filesystem::path(testing::TempDir()) / ("limber_coarsen_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const Coarsened made = coarsen(coarsen_request(clamped_box({8, 2, 2}), 2, 3));
  const std::string path = (folder / "coarse.json").string();
  const auto files = write_coarse_scene(made, path, ExistingScene::refuse);
  EXPECT_EQ(files, (std::vector<std::string>{(folder / "coarse.box.msh").string(), path}));
  const auto from_file = model_frequencies(load_scene(path), 3);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(from_file[i], made.bodies[0].after[i], 1e-5 * from_file[i]);
  EXPECT_EQ(error_of([&] { write_coarse_scene(made, path, ExistingScene::refuse); }),
            files[0] + ": is there already; take another name, or --overwrite");
  write_coarse_scene(made, path, ExistingScene::overwrite);
  std::filesystem::remove_all(folder);
}

TEST(Coarsen, MatchesModesByWhatTheyHaveInCommon) {
  Matrix common = Matrix::Zero(4, 3);
  common(2, 0) = .9;
  common(0, 1) = .8;
  common(2, 1) = .85;  // taken
  common(3, 2) = .7;
  EXPECT_EQ(matching_modes(common, Vector::LinSpaced(3, 1, 3)), (std::vector<Index>{2, 0, 3}));
  // The first two are a pair with one λ: theirs ascend.
  EXPECT_EQ(matching_modes(common, Vector{{1, 1.0001, 3}}), (std::vector<Index>{0, 2, 3}));
}

TEST(Coarsen, SaysWhatIsWrong) {
  const auto error = [](const Json& json, double factor = 2, int modes = 6, const std::string& body = "") {
    CoarsenRequest request = coarsen_request(json, factor, modes);
    request.body = body;
    return error_of([&] { coarsen(request); });
  };
  Json json = clamped_box({4, 2, 2});
  for (const double factor : {1., .5, -2., std::nan("")})
    EXPECT_EQ(error(json, factor).substr(0, 14), "--resolution: ") << factor;
  EXPECT_EQ(error(json, 1), "--resolution: 1 is not above 1: how many times longer the edges become, such as 2");
  EXPECT_EQ(error(json, 2, 0), "-n: 0 is not from 1 to 100: how many frequencies are kept");
  EXPECT_EQ(error(json, 2, 100).substr(0, 55), "-n: 100: the coarse body 'box' has 24 degrees of freedo");
  EXPECT_EQ(error(json, 2, 6, "beam"), "--body: \"beam\" is no body; there is \"box\"");
  EXPECT_EQ(error(json, 1.1), "--resolution: 1.1: box: its 4 × 2 × 2 cells would stay; take a larger one");
  EXPECT_EQ(error(clamped_box({1, 1, 1})), "bodies[0].mesh.cells: a box of one cell cannot be made coarser");

  Json wrong = json;
  wrong["bodies"][0]["springs"] = {{"stiffness", 10}};
  EXPECT_EQ(error(wrong), "bodies[0].springs: cannot be coarsened: they join the nodes of the fine mesh");
  wrong = json;
  wrong["bodies"][0]["mesh"] = {{"shape", "sheet"}, {"size", {1, 1}}, {"cells", {4, 4}}};
  wrong["bodies"][0]["thickness"] = .01;
  EXPECT_EQ(error(wrong), "bodies: has no solid; only solids can be coarsened");
  EXPECT_EQ(error(wrong, 2, 6, "box"),
            "bodies[0].mesh: is that of a sheet, a rod or a network; only solids can be coarsened");
  wrong = json;
  wrong["bodies"][0]["material"]["poisson"] = .495;
  EXPECT_EQ(error(wrong).substr(0, 23), "bodies[0].dilatation: \"");
  wrong = json;
  wrong["bodies"][0]["material"] = {{"model", "yeoh"}, {"c1", 1e5}, {"poisson", .3}};
  EXPECT_EQ(error(wrong).substr(0, 39), "bodies[0].material: has no \"young\": its");
  wrong = json;
  wrong["bodies"][0]["rigid"] = Json::parse(R"([{"box": {"min": [0.2, 0, 0], "max": [0.4, 0.1, 0.1]}}])");
  EXPECT_EQ(error(wrong), "bodies[0].rigid: cannot be coarsened: a body with rigid parts");
  wrong = json;
  wrong["start"] = {{"run", "elsewhere"}};
  EXPECT_EQ(error(wrong).substr(0, 11), "start.run: ");
  wrong = json;
  wrong["bodies"][0]["mesh"] = {{"shape", "creature"}, {"tets", 6000}};
  wrong["bodies"][0]["pin"] = "bottom";
  EXPECT_EQ(error(wrong, 8).substr(0, 31), "--resolution: 8: box: bodies[0]");
}

}  // namespace
}  // namespace limber
