/// Numbers that are changed while a motion goes on: the bits of a scene with the new values, and accounts that hold.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "limber/scene/construction/scene_parameters.hpp"
#include "limber/scene/json.hpp"
#include "samples.hpp"

namespace limber {
namespace {

using Json = nlohmann::json;

struct Sim {
  explicit Sim(const Json& json)
      : document(document_of(json)),
        scene(std::make_shared<const Scene>(read_scene(json, vocabulary(), ""))),
        model(build_model(*scene)),
        parameters(offer_parameters(document, scene, model)),
        simulation(build_simulation(*scene, model)) {}

  void set(const std::string& name, double value) { simulation.set_parameters({{name, {value}, false}}); }
  void set(const std::string& name, const std::vector<double>& values) {
    simulation.set_parameters({{name, values, true}});
  }
  std::vector<double> get(const std::string& name) const { return parameters->parameter(name).values; }
  void steps(int n) {
    for (int k = 0; k < n; ++k)
      for (const std::string& remark : simulation.step().remarks) remarks.insert(remark);
  }

  Document document;
  std::shared_ptr<const Scene> scene;
  Model model;
  std::shared_ptr<SceneParameters> parameters;
  Simulation simulation;
  std::set<std::string> remarks;
};

Json bar(const Json& material = {{"young", 1e5}, {"poisson", 0.3}, {"density", 1000}}) {
  return {{"time", {{"step", 0.01}, {"duration", 1}}},
          {"bodies",
           {{{"name", "bar"},
             {"mesh", {{"shape", "box"}, {"size", {1, 0.4, 0.4}}, {"cells", {3, 2, 2}}}},
             {"material", material},
             {"velocity", {0, 0.3, 0}},
             {"pin", "left"}}}}};
}

/// The states after each of a few steps.
std::vector<Vector> motion(Sim& sim, int steps = 4) {
  std::vector<Vector> all;
  for (int k = 0; k < steps; ++k) {
    sim.steps(1);
    all.push_back(sim.simulation.state().q);
    all.push_back(sim.simulation.state().v);
  }
  return all;
}

/// Changed before the first step, a motion has the bits of a scene that was made so.
void expect_same(const Json& scene, const std::string& name, const Json& value) {
  SCOPED_TRACE(name + " = " + value.dump() + " in " + scene["bodies"][0].dump());
  Sim changed(scene);
  const std::vector<double> before = changed.get(name);
  if (value.is_array())
    changed.set(name, value.get<std::vector<double>>());
  else
    changed.set(name, value.get<double>());
  EXPECT_NE(changed.get(name), before);
  Document document = document_of(scene);
  document.set(name + "=" + value.dump());
  Sim made(json_of(document));
  EXPECT_EQ(changed.get(name), made.get(name));
  EXPECT_EQ(changed.simulation.energies().total(), made.simulation.energies().total());
  EXPECT_EQ(motion(changed), motion(made));
  EXPECT_EQ(changed.simulation.energies().total(), made.simulation.energies().total());
  EXPECT_EQ(changed.simulation.account().memory(), made.simulation.account().memory());
  EXPECT_EQ(json_of(changed.parameters->document()), json_of(document));
}

/// Two values of each key of a material.
std::pair<Json, Json> values_of(const std::string& key) {
  static const std::map<std::string, std::pair<Json, Json>> all = {{"young", {1e5, 2.5e5}},
                                                                   {"poisson", {0.3, 0.2}},
                                                                   {"density", {1000, 700}},
                                                                   {"c10", {2e4, 3e4}},
                                                                   {"c01", {5e3, 4e3}},
                                                                   {"bulk", {2e5, 3e5}},
                                                                   {"c1", {2e4, 3e4}},
                                                                   {"c2", {1e3, 2e3}},
                                                                   {"c3", {1e2, 3e2}},
                                                                   {"mu", {Json{3e4, -2e3}, Json{4e4, -1e3}}},
                                                                   {"alpha", {Json{2, -2}, Json{3, -1}}}};
  return all.at(key);
}

TEST(Parameters, OfEveryMaterialHaveTheBitsOfASceneWithThem) {
  for (const MaterialInfo& info : material_catalog()) {
    std::vector<std::vector<std::string>> ways = {{"young", "poisson"}};
    for (const auto& keys : info.sufficient) ways.push_back(keys);
    std::set<std::string> tried;
    for (const auto& way : ways) {
      Json material = {{"model", info.name}, {"density", 1000}};
      for (const std::string& key : way) material[key] = values_of(key).first;
      const bool own = way[0] != "young";
      for (const MaterialParameter& p : info.parameters)  // what else may be said beside these
        if (own && !material.contains(p.name) && p.name != std::string("bulk"))
          material[p.name] = values_of(p.name).first;
      for (const auto& [key, value] : material.items()) {
        if (key == "model") continue;
        tried.insert(key);
        expect_same(bar(material), "bodies[0].material." + key, values_of(key).second);
      }
    }
    for (const MaterialParameter& p : info.parameters) EXPECT_TRUE(tried.contains(p.name)) << info.name << p.name;
  }
}

TEST(Parameters, OfAllKindsOfElementsHaveTheBitsOfASceneWithThem) {
  for (const char* element : {"P1", "P2", "hex"})
    for (const double poisson : {0.3, 0.49}) {
      Json scene = bar();
      scene["bodies"][0]["element"] = element;
      scene["bodies"][0]["material"]["poisson"] = poisson;
      expect_same(scene, "bodies[0].material.young", 3e5);
      expect_same(scene, "bodies[0].material.density", 700.);
      expect_same(scene, "bodies[0].material.poisson", 0.2);
      expect_same(scene, "bodies[0].material.poisson", 0.495);  // means over elements come, or go
    }
}

TEST(Parameters, OfDampingAndViscosityHaveTheBitsOfASceneWithThem) {
  for (const char* at : {"corotated", "rest", "current", "frozen"}) {
    Json scene = bar();
    scene["bodies"][0]["damping"] = {{"stiffness", 0.01}, {"mass", 0.5}, {"at", at}};
    for (const char* name : {"bodies[0].damping.stiffness", "bodies[0].damping.mass"}) {
      expect_same(scene, name, 0.02);
      expect_same(scene, name, 0.);
    }
    expect_same(scene, "bodies[0].material.young", 3e5);
    expect_same(scene, "bodies[0].material.density", 700.);
  }
  expect_same(bar(), "bodies[0].damping.mass", 2.);  // where there was none
  Json scene = bar();
  scene["bodies"][0]["material"]["viscosity"] = {{{"share", 0.3}, {"time", 0.05}}};
  expect_same(scene, "bodies[0].material.viscosity[0].share", 0.5);
  expect_same(scene, "bodies[0].material.viscosity[0].time", 0.1);
  expect_same(scene, "bodies[0].material.young", 3e5);
}

TEST(Parameters, OfSheetsRodsAndNetworksHaveTheBitsOfASceneWithThem) {
  Json sheet = bar();
  sheet["bodies"][0]["mesh"] = {{"nodes", {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}, {2, 0.1, 0.5}}},
                                {"triangles", {{0, 1, 2}, {0, 2, 3}, {1, 4, 2}}}};
  sheet["bodies"][0]["thickness"] = 0.01;
  sheet["bodies"][0]["damping"] = {{"stiffness", 0.01}};
  Json rod = sheet;
  rod["bodies"][0]["mesh"] = {{"nodes", {{0, 0, 0}, {1, 0, 0}, {2, 0.1, 0}, {3, 0, 0}}},
                              {"edges", {{0, 1}, {1, 2}, {2, 3}}}};
  for (const Json& scene : {sheet, rod})
    for (const auto& [key, value] : std::map<std::string, double>{{"material.young", 3e5},
                                                                  {"material.density", 700},
                                                                  {"thickness", 0.02},
                                                                  {"bending", 2},
                                                                  {"bending", 0},
                                                                  {"damping.stiffness", 0},
                                                                  {"damping.mass", 0.5}})
      expect_same(scene, "bodies[0]." + key, value);
  expect_same(sheet, "bodies[0].bending", 0.);  // nothing is left that bends
  Json network = rod;
  for (const char* key : {"material", "thickness", "damping"}) network["bodies"][0].erase(key);
  network["bodies"][0]["point_mass"] = 0.1;
  network["bodies"][0]["springs"] = {{"stiffness", 100}, {"damping", 0.1}};
  expect_same(network, "bodies[0].springs.stiffness", 200.);
  expect_same(network, "bodies[0].springs.damping", 0.2);
}

TEST(Parameters, OfForcesHaveTheBitsOfASceneWithThem) {
  Json scene = bar();
  Json& body = scene["bodies"][0];
  body["loads"] = {{{"nodes", "right"}, {"force", {0, 1, 0}}},
                   {{"nodes", "right"}, {"total_force", {0, 0, 2}}, {"time", {{"sine", {{"frequency", 3}}}}}},
                   {{"faces", "right"}, {"pressure", 100}},
                   {{"faces", "top"}, {"traction", {5, 0, 0}}}};
  body["targets"] = {{{"nodes", "right"}, {"stiffness", 10}, {"keys", {{{"time", 0}, {"translation", {0, 0.1, 0}}}}}}};
  body["masses"] = {{{"nodes", "right"}, {"mass", 0.5}}};
  scene["bodies"].push_back(body);
  scene["bodies"][1]["name"] = "other";
  scene["bodies"][1]["position"] = {0, 2, 0};
  scene["attachments"] = {{{"a", {{"body", "bar"}, {"nodes", "right"}}},
                           {"b", {{"body", "other"}, {"nodes", "right"}}},
                           {"stiffness", 50}}};
  scene["wind"] = {{"velocity", {3, 0, 1}}};
  expect_same(scene, "gravity", Json{1, -2, 3});
  expect_same(scene, "gravity", Json{0, 0, 0});
  expect_same(scene, "bodies[0].loads[0].force", Json{0, 3, 0});
  expect_same(scene, "bodies[0].loads[1].total_force", Json{0, 3, 0});
  expect_same(scene, "bodies[0].loads[2].pressure", 300.);
  expect_same(scene, "bodies[1].loads[3].traction", Json{0, 3, 0});
  expect_same(scene, "bodies[1].targets[0].stiffness", 30.);
  expect_same(scene, "bodies[1].masses[0].mass", 0.7);
  expect_same(scene, "bodies[1].material.density", 500.);
  expect_same(scene, "bodies[0].material.young", 3e5);
  expect_same(scene, "attachments[0].stiffness", 70.);
  expect_same(scene, "wind.drag", 2.);
  expect_same(scene, "wind.velocity", Json{0, 0, 4});
  Json floating = bar();
  floating["gravity"] = {0, 0, 0};
  expect_same(floating, "gravity", Json{0, -1, 0});
}

TEST(Parameters, ChangedOnTheWayHaveTheBitsOfASceneWithThemFromTheSameState) {
  for (const char* method : {"BE", "SI", "TR-BDF2", "newmark", "SIERE", "verlet"}) {
    SCOPED_TRACE(method);
    Json scene = bar();
    scene["method"] = method;
    scene["time"]["step"] = 0.002;
    Sim changed(scene);
    changed.steps(3);
    changed.set("bodies[0].material.young", 4e5);
    changed.set("bodies[0].material.density", 1500);
    scene["bodies"][0]["material"] = {{"young", 4e5}, {"poisson", 0.3}, {"density", 1500}};
    Sim made(scene);
    made.steps(3);
    const State u = changed.simulation.state();
    for (Sim* sim : {&changed, &made}) sim->simulation.set_state(u.q, u.v);
    EXPECT_EQ(motion(changed), motion(made));
  }
}

TEST(Parameters, OfRegionsAndElements) {
  Json scene = bar();
  Json& body = scene["bodies"][0];
  body.erase("material");
  body["regions"] = {{"end", {{"box", {{"min", {0.6, -1, -1}}, {"max", {2, 1, 1}}}}}}};
  const Json soft = {{"young", 1e5}, {"poisson", 0.3}}, hard = {{"young", 1e6}, {"poisson", 0.4}};
  body["materials"] = {{"default", soft}, {"end", hard}};
  expect_same(scene, "bodies[0].materials.end.young", 3e6);
  expect_same(scene, "bodies[0].materials.default.density", 500.);

  Json stuff = bar();
  Sim plain(stuff);
  const std::size_t elements = static_cast<std::size_t>(plain.model.bodies[0].tets);
  Scene with_field = *plain.scene;
  with_field.bodies[0].own_fields["E"] = std::vector<double>(elements, 1e5);
  with_field.bodies[0].materials["default"].fields["young"] = "E";
  with_field.bodies[0].materials["default"].parameters.erase("young");
  const auto scene_of = std::make_shared<const Scene>(with_field);
  stuff["bodies"][0]["material"]["young"] = {{"field", "E"}};
  Model model = build_model(with_field);
  const auto parameters = offer_parameters(document_of(stuff), scene_of, model);
  Simulation simulation = build_simulation(with_field, model);
  EXPECT_EQ(parameters->parameter("bodies[0].material.young").values, std::vector<double>(elements, 1e5));
  simulation.set_parameters({{"bodies[0].material.young", {2.5e5}, false}});
  EXPECT_EQ(parameters->parameter("bodies[0].material.young").values, std::vector<double>(elements, 2.5e5));
  stuff["bodies"][0]["material"]["young"] = 2.5e5;
  Sim uniform(stuff);
  for (int k = 0; k < 3; ++k) simulation.step(), uniform.steps(1);
  EXPECT_EQ(simulation.state().q, uniform.simulation.state().q);

  std::vector<double> graded;
  for (std::size_t e = 0; e < elements; ++e) graded.push_back(1e5 + 1e3 * static_cast<double>(e));
  simulation.set_parameters({{"bodies[0].material.young", graded, true}});
  EXPECT_EQ(parameters->parameter("bodies[0].material.young").values, graded);
  const auto error = [&](std::vector<double> values) {
    return error_of([&] { simulation.set_parameters({{"bodies[0].material.young", values, true}}); });
  };
  EXPECT_EQ(error({1, 2}), "bodies[0].material.young: expected a number, or one for each of the " +
                               std::to_string(elements) + " elements, got 2 numbers");
  graded[7] = -1;
  EXPECT_NE(error(graded).find("bodies[0].material.young[7]"), std::string::npos) << error(graded);
}

TEST(Parameters, AreCheckedAsTheSceneIs) {
  const Json scene = bar();
  Sim sim(scene);
  for (const auto& [name, value] : std::vector<std::pair<std::string, double>>{{"bodies[0].material.young", -1},
                                                                               {"bodies[0].material.young", 0},
                                                                               {"bodies[0].material.poisson", 0.5},
                                                                               {"bodies[0].material.density", -3},
                                                                               {"bodies[0].damping.mass", -1}}) {
    Document document = document_of(scene);
    document.set(name + "=" + Json(value).dump());
    const std::string as_read = error_of([&] { read_scene(json_of(document), vocabulary(), ""); });
    EXPECT_FALSE(as_read.empty());
    EXPECT_EQ(error_of([&] { sim.set(name, value); }), as_read);
  }
  const auto error = [&](const std::string& name) { return error_of([&] { sim.set(name, 1); }); };
  EXPECT_NE(error("bodies[0].material.yuong").find("did you mean \"bodies[0].material.young\"?"), std::string::npos);
  EXPECT_NE(error("bodies[0].mesh").find("cannot be changed while the motion goes on"), std::string::npos);
  EXPECT_NE(error("method").find("cannot be changed while the motion goes on"), std::string::npos);
  EXPECT_NE(error("bodies[1].material.young").find("bodies[0].material.young"), std::string::npos);
  EXPECT_EQ(error("gravity"), "gravity: expected 3 numbers, got one number");
  EXPECT_EQ(error_of([&] {
              sim.set("bodies[0].material.young", std::vector<double>{1, 2});
            }),
            "bodies[0].material.young: expected a number, got 2 numbers");
  EXPECT_EQ(error_of([&] { sim.set("bodies[0].material.young", std::nan("")); }),
            "bodies[0].material.young: nan is not finite");
  Sim untouched(scene);
  EXPECT_EQ(motion(sim), motion(untouched));
}

TEST(Parameters, SeveralAtOnceOrNone) {
  Json material = {{"model", "mooney_rivlin"}, {"c10", 2e4}, {"c01", 5e3}, {"bulk", 2e5}, {"density", 1000}};
  Sim sim(bar(material));
  const auto wrong = error_of([&] {
    sim.simulation.set_parameters(
        {{"bodies[0].material.c10", {3e4}, false}, {"bodies[0].material.density", {-1}, false}});
  });
  EXPECT_NE(wrong.find("bodies[0].material.density"), std::string::npos) << wrong;
  EXPECT_EQ(sim.get("bodies[0].material.c10"), std::vector<double>{2e4});
  sim.simulation.set_parameters({{"bodies[0].material.c10", {-1e3}, false}, {"bodies[0].material.c01", {2e4}, false}});
  material["c10"] = -1e3, material["c01"] = 2e4;
  Sim made(bar(material));
  EXPECT_EQ(motion(sim), motion(made));
}

/// What a change of the forces does to the energy is work, and no alarm; nothing else appears.
TEST(Parameters, ChangesOfEnergyAreBooked) {
  for (const char* method : {"TR-BDF2", "SI", "SIERE"})
    for (const double young : {1e3, 1e7}) {
      SCOPED_TRACE(method);
      Json scene = bar();
      scene["method"] = method;
      Sim sim(scene);
      sim.steps(20);
      const Energies before = sim.simulation.energies();
      const double put_in = sim.simulation.account().put_in();
      sim.set("bodies[0].material.young", young);
      const Energies after = sim.simulation.energies();
      EXPECT_NEAR(after.elastic, before.elastic * young / 1e5, 1e-9 * after.elastic);
      EXPECT_EQ(after.kinetic, before.kinetic);
      EXPECT_NEAR(sim.simulation.account().put_in() - put_in, after.total() - before.total(),
                  1e-12 * (after.elastic + before.elastic));
      sim.steps(20);
      EXPECT_TRUE(sim.remarks.empty()) << *sim.remarks.begin();
      EXPECT_LT(sim.simulation.account().gain(), 0.02 * sim.simulation.account().in_play());
    }
}

TEST(Parameters, AnotherDensityKeepsVelocities) {
  Sim sim(bar());
  sim.steps(10);
  const Vector v = sim.simulation.state().v;
  const double mass = total_mass(sim.simulation.system()), kinetic = sim.simulation.energies().kinetic;
  sim.set("bodies[0].material.density", 3000);
  EXPECT_EQ(sim.simulation.state().v, v);
  EXPECT_NEAR(total_mass(sim.simulation.system()), 3 * mass, 1e-12 * mass);
  EXPECT_NEAR(sim.simulation.energies().kinetic, 3 * kinetic, 1e-12 * kinetic);
  sim.parameters->update(sim.model);
  EXPECT_NEAR(sim.model.bodies[0].mass, 3 * 160, 1e-9);
  sim.steps(20);
  EXPECT_TRUE(sim.remarks.empty());
}

TEST(Parameters, ModesAreRefreshedOnceAndFit) {
  Json scene = bar();
  scene["method"] = {{"name", "SIERE"}, {"modes", 6}, {"refresh", "once"}};
  Sim sim(scene);
  sim.steps(3);
  ASSERT_EQ(sim.simulation.modes()->refreshes(), 1);
  sim.set("bodies[0].material.young", 9e5);
  sim.set("bodies[0].material.density", 500);
  sim.steps(3);
  EXPECT_EQ(sim.simulation.modes()->refreshes(), 2);
  scene["bodies"][0]["material"]["young"] = 9e5;
  scene["bodies"][0]["material"]["density"] = 500;
  Sim made(scene);
  made.steps(1);
  const Vector now = sim.simulation.modes()->basis().lambda, fresh = made.simulation.modes()->basis().lambda;
  EXPECT_LT((now - fresh).norm(), 0.02 * fresh.norm());
}

/// A motion that goes on after a snapshot, and one that is resumed from it by a simulation that knows nothing of
/// changes.
TEST(Parameters, ArePartOfASnapshot) {
  for (const char* method : {"TR-BDF2", "SIERE"}) {
    Json scene = bar();
    scene["method"] = method;
    scene["bodies"][0]["material"]["viscosity"] = {{{"share", 0.3}, {"time", 0.05}}};
    scene["bodies"][0]["damping"] = {{"stiffness", 0.01}};
    Sim sim(scene), other(scene);
    sim.steps(3);
    const Snapshot before = sim.simulation.snapshot();
    const std::vector<Vector> unchanged = motion(sim);
    sim.simulation.restore(before);
    sim.set("bodies[0].material.young", 4e5);
    sim.steps(2);
    sim.set("bodies[0].material.density", 1500);
    sim.set("gravity", {1, 0, 0});
    const Snapshot snapshot = sim.simulation.snapshot();
    EXPECT_EQ(snapshot.parameters.size(), 3u);
    const std::vector<Vector> goes_on = motion(sim);
    other.steps(1);
    other.simulation.restore(snapshot);
    EXPECT_EQ(other.get("bodies[0].material.young"), std::vector<double>{4e5});
    EXPECT_EQ(motion(other), goes_on);
    EXPECT_EQ(other.simulation.account().memory(), sim.simulation.account().memory());
    other.simulation.restore(before);
    EXPECT_EQ(other.get("gravity"), (std::vector<double>{0, -9.81, 0}));
    EXPECT_EQ(motion(other), unchanged);
  }
}

TEST(Parameters, WhatForcesHaveLearntStays) {
  Json scene = bar();
  scene["bodies"][0]["material"]["viscosity"] = {{{"share", 0.5}, {"time", 10}}};
  Sim sim(scene);
  sim.steps(5);
  const std::vector<double> memory = sim.simulation.system().memory();
  ASSERT_GT(memory.size(), 100u);
  sim.set("bodies[0].material.young", 2e5);
  EXPECT_EQ(sim.simulation.system().memory(), memory);

  Json dropped = bar();
  dropped["bodies"][0].erase("pin");
  dropped["bodies"][0]["position"] = {0, 0.01, 0};
  dropped["bodies"][0]["velocity"] = {0, -2, 0};
  dropped["obstacles"] = {{{"shape", "plane"}, {"name", "floor"}, {"point", {0, 0, 0}}, {"normal", {0, 1, 0}}}};
  Sim falls(dropped);
  falls.steps(4);
  const std::vector<double> kappa = falls.simulation.system().memory();
  falls.set("bodies[0].material.young", 3e5);
  EXPECT_EQ(falls.simulation.system().memory(), kappa);
  falls.steps(10);
  EXPECT_TRUE(falls.remarks.empty()) << *falls.remarks.begin();
}

}  // namespace
}  // namespace limber
