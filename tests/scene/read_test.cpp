#include "limber/scene/read.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "limber/scene/attachment.hpp"
#include "limber/scene/load.hpp"
#include "limber/scene/target.hpp"
#include "limber/scene/wind.hpp"
#include "scene/samples.hpp"

namespace limber {
namespace {

using std::numbers::pi;

Scene full() { return read_sample(sample("full.json")); }

template <class T>
T part(const Selection& selection, std::size_t i) {
  return std::get<T>(selection.parts.at(i).what);
}

}  // namespace

TEST(ReadScene, TopLevel) {
  const Scene s = full();
  EXPECT_EQ(s.description, "Uses almost every key once, with values other than the defaults.");
  EXPECT_EQ(s.time.step, 0.01);
  EXPECT_EQ(s.time.duration, 2);
  EXPECT_EQ(s.gravity, Vec3(0, 0, -9.81));
  EXPECT_EQ(s.threads, 2);
  EXPECT_EQ(s.output.directory, "out/full");
  EXPECT_EQ(s.output.frames_every, 4);
  EXPECT_FALSE(s.output.fps);
  EXPECT_TRUE(s.output.velocities);
  EXPECT_EQ(s.output.checkpoint_every, 50);
  ASSERT_EQ(s.output.probes.size(), 2u);
  EXPECT_EQ(s.output.probes[0].name, "tip");
  EXPECT_EQ(s.output.probes[0].point, Vec3(1, 2, 3));
  EXPECT_EQ(s.output.probes[1].body, 1);
  ASSERT_EQ(s.bodies[0].masses.size(), 1u);
  EXPECT_EQ(s.bodies[0].masses[0].mass, .052);
  EXPECT_EQ(part<Side>(s.bodies[0].masses[0].nodes, 0), Side::right);
  EXPECT_EQ(read_sample(sample("variants.json")).output.fps, 24);
  EXPECT_EQ(s.camera.position, Vec3(0, 2, 3));
  EXPECT_EQ(s.camera.look_at, Vec3(0, 1, 0));
  EXPECT_NEAR(s.camera.fov.value(), 60, 1e-12);  // degrees
}

TEST(ReadScene, Method) {
  const MethodChoice m = full().method;
  EXPECT_EQ(m.name, "gen-alpha");
  EXPECT_EQ(m.parameters, (std::map<std::string, double>{{"rho_inf", 0.8}}));
  EXPECT_FALSE(m.modes || m.refresh || m.krylov_tolerance);
  EXPECT_EQ(m.negative_modes, NegativeModes::grow);
  EXPECT_EQ(m.newton_tolerance, 1e-8);
  EXPECT_EQ(m.max_iterations, 33);
  EXPECT_EQ(m.solver, "pcg");
  EXPECT_EQ(m.linear_tolerance, 1e-5);
  EXPECT_EQ(m.merit, Merit::residual);
  EXPECT_EQ(m.residual_scaling, ResidualScaling::rows);
  EXPECT_EQ(m.nonlinear, NonlinearSolver::lbfgs);
}

TEST(ReadScene, MethodParameters) {
  using Parameters = std::map<std::string, double>;
  const auto method = [](const char* name) { return read_sample(sample(name)).method; };
  EXPECT_EQ(method("method_newmark.json").parameters, (Parameters{{"beta", 0.3}, {"gamma", 0.6}}));
  EXPECT_EQ(method("method_hht.json").parameters, (Parameters{{"alpha", -0.3}}));
  EXPECT_EQ(method("method_blend.json").parameters, (Parameters{{"theta", 0.25}}));
  EXPECT_EQ(method("method_freeze.json").parameters, (Parameters{{"freeze", 1}}));
  EXPECT_EQ(method("variants.json").name, "TR-BDF2");
}

TEST(ReadScene, Modes) {
  const MethodChoice m = read_sample(sample("method_modes.json")).method;
  EXPECT_EQ(m.modes, 12);
  EXPECT_EQ(m.negative_modes, NegativeModes::clamp);
  EXPECT_EQ(m.krylov_tolerance, 1e-9);
  ASSERT_TRUE(m.refresh);
  EXPECT_EQ(m.refresh->rule, Refresh::Rule::every);
  EXPECT_EQ(m.refresh->every, 3);
  auto json = sample("method_modes.json");
  json["method"]["refresh"] = "once";
  EXPECT_EQ(read_sample(json).method.refresh->rule, Refresh::Rule::once);
  json["method"]["refresh"] = "auto";
  EXPECT_EQ(read_sample(json).method.refresh->rule, Refresh::Rule::automatic);
  json["method"]["refresh"] = {{"residual", 0.25}};
  EXPECT_EQ(read_sample(json).method.refresh->rule, Refresh::Rule::residual);
  EXPECT_EQ(read_sample(json).method.refresh->residual, 0.25);
}

TEST(ReadScene, Meshes) {
  const Scene s = full();
  const auto box = std::get<BoxShape>(s.bodies[0].mesh);
  EXPECT_EQ(box.size, Vec3(2, 0.5, 0.5));
  EXPECT_EQ(box.cells, (std::array<int, 3>{8, 2, 3}));
  EXPECT_EQ(box.split, Split::six);
  EXPECT_EQ(box.origin, Vec3(-1, 0, 0.25));
  const auto network = std::get<NetworkShape>(s.bodies[1].mesh);
  EXPECT_EQ(network.nodes[2], Vec3(2, 0, 0));
  EXPECT_EQ(network.edges, (std::vector<std::array<int, 2>>{{0, 1}, {1, 2}}));
  const auto tets = std::get<TetMesh>(s.bodies[2].mesh);
  EXPECT_EQ(tets.nodes[1], Vec3(1, 0, 0));
  EXPECT_EQ(tets.tets[1], (std::array<int, 4>{1, 2, 3, 4}));
  EXPECT_EQ(tets.region, (std::vector<int>{1, 7}));
  EXPECT_EQ(std::get<MeshFile>(s.bodies[3].mesh).path, "folder/meshes/part.msh");
}

TEST(ReadScene, AnAbsoluteMeshFileStaysSo) {
  auto json = sample("full.json");
  json["bodies"][3]["mesh"]["file"] = "/data/part.msh";
  EXPECT_EQ(std::get<MeshFile>(read_sample(json).bodies[3].mesh).path, "/data/part.msh");
}

TEST(ReadScene, Substance) {
  using Parameters = std::map<std::string, double>;
  const Scene s = full();
  EXPECT_EQ(s.bodies[0].mass, MassForm::consistent);
  EXPECT_EQ(s.bodies[0].element, "P1");
  const auto one = s.bodies[0].materials.at("default");
  EXPECT_EQ(one.where, "bodies[0].material");
  EXPECT_EQ(one.model, "neo_hookean");
  EXPECT_EQ(one.density, 1100);
  EXPECT_EQ(one.parameters, (Parameters{{"young", 3e6}, {"poisson", 0.3}}));
  const auto many = s.bodies[2].materials;
  EXPECT_EQ(many.size(), 2u);
  EXPECT_EQ(many.at("7").where, "bodies[2].materials.7");
  EXPECT_EQ(many.at("7").model, "mooney_rivlin");
  EXPECT_EQ(many.at("7").parameters, (Parameters{{"c10", 4000}, {"c01", 1000}, {"bulk", 1e5}}));
  EXPECT_EQ(many.at("default").model, "stable_neo_hookean");
  EXPECT_TRUE(s.bodies[1].materials.empty());
  EXPECT_EQ(s.bodies[1].point_mass, (std::vector<double>{0.1, 0.2, 0.3}));
  EXPECT_EQ(read_sample(sample("variants.json")).bodies[1].point_mass, (std::vector<double>{1e-6}));
}

MaterialChoice read_material_of(const nlohmann::json& material) {
  auto scene = sample("least.json");
  scene["bodies"][0]["material"] = material;
  Vocabulary words = test_vocabulary();
  words.materials.insert(words.materials.end(), {"yeoh", "ogden"});
  return read_scene(scene, words, "folder").bodies[0].materials.at("default");
}

TEST(ReadScene, ListsOfAMaterial) {
  const auto m = read_material_of(
      {{"model", "Ogden"}, {"mu", {"0.63 MPa", 1200, -1e4}}, {"alpha", {1.3, 5, -2}}, {"bulk", "20 MPa"}});
  EXPECT_EQ(m.model, "ogden");
  EXPECT_EQ(m.lists,
            (std::map<std::string, std::vector<double>>{{"mu", {6.3e5, 1200, -1e4}}, {"alpha", {1.3, 5, -2}}}));
  EXPECT_EQ(m.parameters, (std::map<std::string, double>{{"bulk", 2e7}}));
  const auto one = read_material_of({{"model", "ogden"}, {"mu", 1000}, {"poisson", 0.25}});
  EXPECT_EQ(one.parameters, (std::map<std::string, double>{{"mu", 1000}, {"poisson", 0.25}}));
}

TEST(ReadScene, Viscosity) {
  const nlohmann::json branches = {{{"share", "30 %"}, {"time", "50 ms"}}, {{"share", 0.2}, {"time", 4}}};
  const auto m = read_material_of({{"preset", "Dragon Skin 10"}, {"viscosity", branches}});
  ASSERT_EQ(m.viscosity.size(), 2u);
  EXPECT_EQ(m.viscosity[0].share, 0.3);
  EXPECT_EQ(m.viscosity[0].time, 0.05);
  EXPECT_EQ(m.viscosity[1].share, 0.2);
  EXPECT_EQ(m.viscosity[1].time, 4);
  EXPECT_TRUE(read_material_of({{"preset", "Dragon Skin 10"}}).viscosity.empty());
  // A preset's, unless the scene says its own, or none.
  const nlohmann::json viscous = {{"preset", "dragon skin 10 viscous"}};
  EXPECT_EQ(read_material_of(viscous).viscosity, (Viscosity{{0.179, 0.01}, {0.0986, 0.1}}));
  nlohmann::json changed = viscous;
  changed["viscosity"] = branches;
  EXPECT_EQ(read_material_of(changed).viscosity, m.viscosity);
  changed["viscosity"] = nlohmann::json::array();
  EXPECT_TRUE(read_material_of(changed).viscosity.empty());
  auto sheet = sample("least.json");
  sheet["bodies"][0] = {{"mesh", {{"nodes", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}, {"triangles", {{0, 1, 2}}}}},
                        {"thickness", 0.01},
                        {"material", {{"young", 1e5}, {"poisson", 0.3}, {"viscosity", branches}}}};
  EXPECT_EQ(error_of([&] { read_sample(sheet); }),
            "bodies[0].material.viscosity: sheets and rods have none; damping serves there");
  sheet["bodies"][0]["material"] = viscous;
  EXPECT_EQ(error_of([&] { read_sample(sheet); }),
            "bodies[0].material.preset: has viscosity, and sheets and rods have none: \"viscosity\": [] leaves it out");
  sheet["bodies"][0]["material"] = changed;
  EXPECT_EQ(read_sample(sheet).bodies[0].thickness, 0.01);
}

TEST(ReadScene, CottonHasItsThickness) {
  auto sheet = sample("least.json");
  sheet["bodies"][0] = {{"mesh", {{"nodes", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}, {"triangles", {{0, 1, 2}}}}},
                        {"material", {{"preset", "cotton"}}}};
  EXPECT_EQ(read_sample(sheet).bodies[0].thickness, 0.318e-3);
  sheet["bodies"][0]["thickness"] = "1 mm";
  EXPECT_EQ(read_sample(sheet).bodies[0].thickness, 1e-3);
  // A thread of it, and sheets of other things, say it themselves.
  sheet["bodies"][0] = {{"mesh", {{"shape", "chain"}, {"from", {0, 0, 0}}, {"to", {1, 0, 0}}, {"segments", 3}}},
                        {"material", {{"preset", "cotton"}}}};
  EXPECT_EQ(error_of([&] { read_sample(sheet); }).find("bodies[0].thickness: is missing"), 0u);
}

TEST(ReadScene, Presets) {
  using Parameters = std::map<std::string, double>;
  const auto skin = read_material_of({{"preset", "Dragon Skin 10"}});
  const double c1 = skin.parameters.at("c1");
  EXPECT_NEAR(c1, 22 * 6894.757 / 3.5, .02 * c1);  // the closed form holds where the volume stays as it is
  EXPECT_EQ(skin.model, "yeoh");
  EXPECT_EQ(skin.density, 1070);
  EXPECT_EQ(skin.parameters, (Parameters{{"c1", c1}, {"poisson", 0.49}}));
  // What stands beside it counts.
  const auto changed = read_material_of({{"preset", "dragon skin 10"}, {"c2", 5}, {"c1", 1e4}, {"density", 900}});
  EXPECT_EQ(changed.density, 900);
  EXPECT_EQ(changed.parameters, (Parameters{{"c1", 1e4}, {"c2", 5}, {"poisson", 0.49}}));
  EXPECT_EQ(read_material_of({{"preset", "steel"}, {"poisson", 0}}).parameters,
            (Parameters{{"young", 210e9}, {"poisson", 0}}));
  // bulk says what poisson does.
  EXPECT_EQ(read_material_of({{"preset", "dragon skin 10"}, {"bulk", 1e9}}).parameters,
            (Parameters{{"c1", c1}, {"bulk", 1e9}}));
  const auto rubber = read_material_of({{"preset", "natural rubber"}, {"mu", {1e5, 2e3, -3e4}}});
  EXPECT_EQ(rubber.lists.at("mu"), (std::vector<double>{1e5, 2e3, -3e4}));
  EXPECT_EQ(rubber.lists.at("alpha"), (std::vector<double>{1.3, 5, -2}));
  EXPECT_EQ(rubber.density, 950);
  // Another model has its small strains: μ = 2 c1, E = 2 μ (1 + ν).
  const auto neo = read_material_of({{"preset", "dragon skin 10"}, {"model", "neo_hookean"}});
  EXPECT_EQ(neo.model, "neo_hookean");
  EXPECT_EQ(neo.density, 1070);
  EXPECT_NEAR(neo.parameters.at("young"), 4 * c1 * 1.49, 1e-9 * c1);
  EXPECT_NEAR(neo.parameters.at("poisson"), 0.49, 1e-12);
  EXPECT_EQ(neo.parameters.size(), 2u);
  const auto field = read_material_of({{"preset", "steel"}, {"young", {{"field", "E"}}}});
  EXPECT_EQ(field.fields.at("young"), "E");
  EXPECT_EQ(field.parameters, (Parameters{{"poisson", 0.3}}));
}

TEST(ReadScene, RigidParts) {
  const Scene s = full();
  EXPECT_TRUE(s.bodies[0].rigid.empty());
  const auto& parts = s.bodies[2].rigid;
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].where, "bodies[2].rigid[0]");
  EXPECT_EQ(parts[0].regions, (std::vector<std::string>{"7"}));
  EXPECT_EQ(parts[1].regions, (std::vector<std::string>{"1", "bone"}));
  EXPECT_TRUE(parts[2].regions.empty());
  EXPECT_EQ(part<Side>(parts[2].nodes, 0), Side::left);
  EXPECT_EQ(part<NodeList>(parts[2].nodes, 1).nodes, (std::vector<int>{3}));
}

TEST(ReadScene, Damping) {
  const Scene s = full();
  EXPECT_EQ(s.bodies[0].damping.stiffness, 0.002);
  EXPECT_EQ(s.bodies[0].damping.mass, 0.5);
  EXPECT_EQ(s.bodies[0].damping.at, DampingChoice::At::current);
  const auto d = s.bodies[2].damping;
  EXPECT_EQ(d.at, DampingChoice::At::frozen);
  for (const auto& [frequency, ratio] : {std::pair{1.0, 0.02}, {10.0, 0.05}}) {
    const double omega = 2 * pi * frequency;
    EXPECT_NEAR((d.stiffness * omega + d.mass / omega) / 2, ratio, 1e-14);
  }
  EXPECT_FALSE(s.bodies[3].damping.any());
}

TEST(ReadScene, PlacementAndMotion) {
  const BodyChoice b = full().bodies[0];
  EXPECT_EQ(b.name, "beam");
  EXPECT_EQ(b.where, "bodies[0]");
  EXPECT_EQ(full().bodies[2].name, "body2");
  EXPECT_EQ(b.position, Vec3(1, 2, 3));
  EXPECT_TRUE(b.rotation.isApprox(Vec3(0, 0, pi / 2), 1e-15));
  EXPECT_EQ(b.scale, 2);
  EXPECT_EQ(b.velocity, Vec3(1, 0, 0));
  EXPECT_TRUE(b.angular_velocity.isApprox(Vec3(0, 2 * pi, 0), 1e-15));
  ASSERT_EQ(b.scripts.size(), 1u);
  const Script& script = b.scripts[0];
  EXPECT_EQ(script.where, "bodies[0].script[0]");
  EXPECT_EQ(part<BehindPlane>(script.nodes, 0).point, Vec3(0.5, 0, 0));
  EXPECT_EQ(part<BehindPlane>(script.nodes, 0).normal, Vec3(-1, 0, 0));
  EXPECT_EQ(script.pivot, Vec3(1, 0.25, 0.5));
  EXPECT_EQ(script.interpolation, Interpolation::smooth);
  ASSERT_EQ(script.keys.size(), 2u);
  EXPECT_EQ(script.keys[0].translation, Vec3(0, 0, 0));
  EXPECT_EQ(script.keys[1].time, 1);
  EXPECT_EQ(script.keys[1].translation, Vec3(0.1, 0, 0));
  EXPECT_DOUBLE_EQ(script.keys[1].rotation.x(), pi / 6);
}

TEST(ReadScene, Selections) {
  const Selection pin = full().bodies[0].pin;
  EXPECT_EQ(pin.where, "bodies[0].pin");
  ASSERT_EQ(pin.parts.size(), 3u);
  EXPECT_EQ(part<Side>(pin, 0), Side::left);
  EXPECT_EQ(part<NodeList>(pin, 1).nodes, (std::vector<int>{3, 1}));
  EXPECT_EQ(part<InBox>(pin, 2).min, Vec3(0, 0, 0));
  EXPECT_EQ(part<InBox>(pin, 2).max, Vec3(1, 1, 1));
  EXPECT_EQ(pin.parts[2].where, "bodies[0].pin[2]");
  const auto variants = read_sample(sample("variants.json"));
  EXPECT_EQ(part<Side>(variants.bodies[0].pin, 0), Side::bottom);
  ASSERT_EQ(variants.bodies[0].pin.parts.size(), 1u);
  const std::vector<PinEntry>& timed = variants.bodies[0].pin_entries;
  ASSERT_EQ(timed.size(), 2u);
  EXPECT_EQ(part<Side>(timed[0].nodes, 0), Side::top);
  EXPECT_EQ(timed[0].where, "bodies[0].pin[1]");
  EXPECT_EQ(timed[0].until, 0.5);
  EXPECT_EQ(part<NodeList>(timed[1].nodes, 0).nodes, (std::vector<int>{2, 5}));
  EXPECT_EQ(timed[1].until, 0.02);
  EXPECT_TRUE(variants.bodies[1].pin.empty());
  const std::pair<const char*, Side> words[] = {{"left", Side::left}, {"right", Side::right}, {"bottom", Side::bottom},
                                                {"top", Side::top},   {"back", Side::back},   {"front", Side::front},
                                                {"all", Side::all}};
  for (const auto& [word, side] : words) {
    auto json = sample("least.json");
    json["bodies"][0]["pin"] = word;
    EXPECT_EQ(part<Side>(read_sample(json).bodies[0].pin, 0), side) << word;
  }
}

TEST(ReadScene, Springs) {
  const Scene s = full();
  ASSERT_TRUE(s.bodies[0].springs && s.bodies[1].springs);
  const SpringsChoice own = *s.bodies[0].springs;
  EXPECT_EQ(own.edges, (std::vector<std::array<int, 2>>{{0, 1}, {1, 2}}));
  EXPECT_EQ(own.stiffness, 2000);
  EXPECT_EQ(own.rest_length, 0.1);
  EXPECT_EQ(own.damping, 0.4);
  EXPECT_FALSE(s.bodies[1].springs->edges);
  EXPECT_FALSE(s.bodies[1].springs->rest_length);
  EXPECT_FALSE(s.bodies[2].springs);
}

TEST(ReadScene, Loads) {
  const auto loads = choices_of<LoadChoice>(full().bodies[0].forces);
  ASSERT_EQ(loads.size(), 4u);
  EXPECT_EQ(loads[0].share, LoadChoice::Share::per_node);
  EXPECT_EQ(loads[0].force, Vec3(0, 5, 0));
  EXPECT_EQ(part<Side>(loads[0].nodes, 0), Side::right);
  const auto keyed = std::get<KeyedFactor>(loads[0].time);
  EXPECT_EQ(keyed.times, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(keyed.values, (std::vector<double>{0, 2}));
  EXPECT_EQ(keyed.interpolation, Interpolation::smooth);
  EXPECT_EQ(loads[1].share, LoadChoice::Share::total);
  EXPECT_EQ(loads[1].force, Vec3(7, 0, 0));
  EXPECT_EQ(loads[1].nodes.parts.size(), 2u);
  const auto sine = std::get<SineFactor>(loads[1].time);
  EXPECT_EQ(sine.frequency, 2);
  EXPECT_DOUBLE_EQ(sine.phase, pi / 2);
  EXPECT_EQ(sine.offset, 0.5);
  EXPECT_EQ(sine.amplitude, 3);
  EXPECT_EQ(part<Side>(loads[2].faces, 0), Side::top);
  EXPECT_EQ(loads[2].traction, Vec3(0, 2000, 1));
  EXPECT_FALSE(loads[2].pressure);
  EXPECT_TRUE(loads[3].nodes.empty());
  EXPECT_EQ(loads[3].pressure, -3000);
  EXPECT_TRUE(std::holds_alternative<KeyedFactor>(loads[3].time));
  const auto plain = choices_of<LoadChoice>(read_sample(sample("variants.json")).bodies[0].forces);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(plain.at(0).time));
}

TEST(ReadScene, Targets) {
  const TargetChoice t = choices_of<TargetChoice>(full().bodies[0].forces).at(0);
  EXPECT_EQ(part<NodeList>(t.nodes, 0).nodes, (std::vector<int>{5, 4}));
  EXPECT_EQ(t.stiffness, 80);
  EXPECT_EQ(t.damping, 0.2);
  EXPECT_EQ(t.interpolation, Interpolation::smooth);
  EXPECT_EQ(t.pivot, Vec3(0, 0, 1));
  ASSERT_EQ(t.keys.size(), 2u);
  EXPECT_EQ(t.keys[1].motion.time, 1);
  EXPECT_EQ(t.keys[1].positions, (std::vector<Vec3>{{0, 1, 0}, {1, 1, 0}}));
  const TargetChoice rigid = choices_of<TargetChoice>(full().bodies[2].forces).at(0);
  EXPECT_EQ(part<Side>(rigid.nodes, 0), Side::all);
  EXPECT_TRUE(rigid.keys[0].positions.empty());
  EXPECT_EQ(rigid.keys[0].motion.translation, Vec3(0, 1, 0));
  EXPECT_EQ(rigid.keys[0].motion.rotation, Vec3(0, 0, 3.5));
}

TEST(ReadScene, AttachmentsAndWind) {
  const Scene s = full();
  const AttachmentChoice a = choices_of<AttachmentChoice>(s.forces).at(0);
  EXPECT_EQ(a.where, "attachments[0]");
  EXPECT_EQ(a.a.body, 0);
  EXPECT_EQ(a.b.body, 2);
  EXPECT_EQ(part<Side>(a.a.nodes, 0), Side::right);
  EXPECT_EQ(part<NodeList>(a.b.nodes, 0).nodes, (std::vector<int>{2}));
  EXPECT_EQ(a.stiffness, 500);
  EXPECT_EQ(a.damping, 1.5);
  EXPECT_EQ(a.rest_length, 0.02);
  EXPECT_EQ(a.pairing, AttachmentChoice::Pairing::order);
  const WindChoice wind = choices_of<WindChoice>(s.forces).at(0);
  EXPECT_EQ(wind.times, (std::vector<double>{0, 1}));
  EXPECT_EQ(wind.velocities[1], Vec3(10, 0, 0));
  EXPECT_EQ(wind.interpolation, Interpolation::smooth);
  EXPECT_EQ(wind.drag, 0.7);
  EXPECT_EQ(wind.density, 1.3);
  const Scene v = read_sample(sample("variants.json"));
  EXPECT_FALSE(choices_of<AttachmentChoice>(v.forces).at(0).rest_length);
  EXPECT_EQ(choices_of<AttachmentChoice>(v.forces).at(0).pairing, AttachmentChoice::Pairing::nearest);
  EXPECT_EQ(choices_of<WindChoice>(v.forces).at(0).velocities, (std::vector<Vec3>{{1, 2, 3}}));
}

TEST(ReadScene, Contact) {
  const Scene s = full();
  EXPECT_EQ(s.bodies[0].thickness, 0.002);
  EXPECT_EQ(s.bodies[1].thickness, 0);
  ASSERT_TRUE(s.contact);
  const ContactChoice& c = *s.contact;
  EXPECT_EQ(c.formulation, ContactChoice::Formulation::nonpenetration);
  EXPECT_EQ(c.delta, 0.005);
  EXPECT_EQ(c.stiffness, 3000);
  EXPECT_EQ(c.friction_form, ContactChoice::Form::lagged);
  EXPECT_EQ(c.epsilon, 0.002);
  EXPECT_EQ(c.surface, ContactChoice::Surface::smooth);
  EXPECT_FALSE(c.self);
  EXPECT_EQ(c.start, ContactChoice::Start::push_apart);
  EXPECT_EQ(c.friction, 0.4);
  ASSERT_EQ(c.friction_pairs.size(), 1u);
  EXPECT_EQ(c.friction_pairs[0].where, "contact.friction.pairs[0]");
  EXPECT_EQ(c.friction_pairs[0].between, (std::array<std::string, 2>{"beam", "floor"}));
  EXPECT_EQ(c.friction_pairs[0].mu, 0.2);
  EXPECT_EQ(read_sample(sample("variants.json")).contact->friction, 0.3);
  EXPECT_TRUE(read_sample(sample("variants.json")).contact->friction_pairs.empty());
  auto json = sample("full.json");
  json["contact"]["formulation"] = "velocity";
  EXPECT_EQ(read_sample(json).contact->formulation, ContactChoice::Formulation::velocity);
}

TEST(ReadScene, ContactOnlyWhereItIsAskedFor) {
  EXPECT_FALSE(read_sample(sample("least.json")).contact);
  auto json = sample("least.json");
  json["obstacles"] = nlohmann::json::array();
  for (const Scene& s : {read_sample(sample("obstacles.json")), read_sample(json)}) {
    ASSERT_TRUE(s.contact);
    EXPECT_EQ(s.contact->formulation, ContactChoice::Formulation::barrier);
    EXPECT_EQ(s.contact->friction_form, ContactChoice::Form::coupled);
    EXPECT_EQ(s.contact->surface, ContactChoice::Surface::triangles);
    EXPECT_EQ(s.contact->start, ContactChoice::Start::refuse);
    EXPECT_FALSE(s.contact->delta || s.contact->stiffness);
    EXPECT_EQ(s.contact->friction, 0);
    EXPECT_EQ(s.contact->epsilon, 1e-3);
    EXPECT_TRUE(s.contact->self);
  }
}

TEST(ReadScene, Obstacles) {
  using Shape = ObstacleChoice::Shape;
  const auto all = full().obstacles;
  ASSERT_EQ(all.size(), 9u);
  const Shape shapes[] = {Shape::plane,    Shape::half_space, Shape::sphere, Shape::capsule, Shape::box,
                          Shape::cylinder, Shape::torus,      Shape::mesh,   Shape::mesh};
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].shape, shapes[i]) << i;
    EXPECT_EQ(all[i].where, "obstacles[" + std::to_string(i) + "]");
  }
  EXPECT_EQ(all[0].name, "floor");
  EXPECT_EQ(all[0].point, Vec3(0, -0.1, 0));
  EXPECT_EQ(all[0].normal, Vec3(0, 2, 0));
  EXPECT_EQ(all[1].name, "obstacle1");
  EXPECT_EQ(all[1].point, Vec3(0, 0, -5));
  EXPECT_EQ(all[1].normal, Vec3(0, 0, 1));
  EXPECT_EQ(all[2].center, Vec3(0, 1, 0));
  EXPECT_EQ(all[2].radius, 0.3);
  EXPECT_EQ(all[3].b, Vec3(1, 0, 0));
  EXPECT_EQ(all[3].radius, 0.1);
  EXPECT_EQ(all[4].center, Vec3(3, 0, 0));
  EXPECT_EQ(all[4].size, Vec3(1, 0.2, 3));
  EXPECT_DOUBLE_EQ(all[4].rotation.y(), pi / 4);
  EXPECT_EQ(all[5].a, Vec3(0, -1, 0));
  EXPECT_EQ(all[5].b, Vec3(0, 1, 0));
  EXPECT_EQ(all[6].axis, Vec3(1, 1, 0));
  EXPECT_EQ(all[6].major, 0.5);
  EXPECT_EQ(all[6].minor, 0.05);
  EXPECT_EQ(all[7].file, "folder/meshes/statue.stl");
  EXPECT_EQ(all[7].form, ObstacleChoice::Form::triangles);
  EXPECT_EQ(all[7].resolution, 32);
  EXPECT_EQ(all[7].position, Vec3(4, 0, 0));
  EXPECT_DOUBLE_EQ(all[7].rotation.y(), pi / 2);
  EXPECT_EQ(all[7].scale, 0.5);
  const ObstacleChoice bowl = read_sample(sample("obstacles.json")).obstacles.at(1);
  EXPECT_EQ(bowl.form, ObstacleChoice::Form::automatic);
  EXPECT_EQ(bowl.thickness, 0);
  EXPECT_FALSE(bowl.sequence);
  EXPECT_EQ(bowl.resolution, 64);
  EXPECT_EQ(bowl.scale, 1);
}

TEST(ReadScene, ObstaclesByASequenceOfMeshes) {
  const ObstacleChoice listed = full().obstacles.at(8);
  EXPECT_EQ(listed.file, "");
  EXPECT_EQ(listed.thickness, 0.01);
  ASSERT_TRUE(listed.sequence);
  EXPECT_EQ(listed.sequence->where, "obstacles[8].sequence");
  EXPECT_EQ(listed.sequence->files,
            (std::vector<std::string>{"folder/walk/1.obj", "folder/walk/2.obj", "folder/walk/3.obj"}));
  EXPECT_EQ(listed.sequence->pattern, "");
  EXPECT_EQ(listed.sequence->times, (std::vector<double>{0, .5, 2}));
  EXPECT_EQ(listed.sequence->interpolation, Interpolation::smooth);
  const auto fitting = read_sample(sample("obstacles.json")).obstacles.at(2).sequence;
  ASSERT_TRUE(fitting);
  EXPECT_EQ(fitting->pattern, "folder/walk/*.obj");
  EXPECT_TRUE(fitting->files.empty() && fitting->times.empty());
  EXPECT_EQ(fitting->fps, 24);
  EXPECT_EQ(fitting->start, .5);
  EXPECT_EQ(fitting->interpolation, Interpolation::linear);
}

TEST(ReadScene, OnePairMayBeNamedTwiceWithOneNumber) {
  auto json = sample("full.json");
  json["contact"]["friction"]["pairs"].push_back({{"between", {"floor", "beam"}}, {"friction", 0.2}});
  EXPECT_EQ(read_sample(json).contact->friction_pairs.size(), 2u);
  json["contact"]["friction"]["pairs"].push_back({{"between", {"beam", "beam"}}, {"friction", 0.7}});
  EXPECT_NO_THROW(read_sample(json));
}

TEST(ReadScene, ObstaclesThatMove) {
  const auto all = full().obstacles;
  ASSERT_TRUE(all[0].motion);
  const ObstacleMotion& m = *all[0].motion;
  EXPECT_EQ(m.where, "obstacles[0].motion");
  EXPECT_EQ(m.pivot, Vec3(1, 0, 0));
  EXPECT_EQ(m.interpolation, Interpolation::smooth);
  ASSERT_EQ(m.keys.size(), 2u);
  EXPECT_EQ(m.keys[1].time, 1);
  EXPECT_EQ(m.keys[1].translation, Vec3(0, 0.01, 0));
  EXPECT_DOUBLE_EQ(m.keys[1].rotation.z(), pi / 18);
  EXPECT_FALSE(all[1].motion);
  const auto ball = read_sample(sample("obstacles.json")).obstacles.at(3);
  ASSERT_TRUE(ball.motion);
  EXPECT_FALSE(ball.motion->pivot);
  EXPECT_EQ(ball.motion->interpolation, Interpolation::linear);
}

TEST(ReadScene, Defaults) {
  const Scene s = read_sample(sample("least.json"));
  EXPECT_EQ(s.method.name, "TR-BDF2");
  EXPECT_EQ(s.method.newton_tolerance, 1e-6);
  EXPECT_EQ(s.gravity, Vec3(0, -9.81, 0));
  const BodyChoice& b = s.bodies.at(0);
  EXPECT_EQ(b.name, "body0");
  EXPECT_EQ(b.element, "");
  EXPECT_EQ(b.mass, MassForm::lumped);
  EXPECT_EQ(std::get<BoxShape>(b.mesh).split, Split::five);
  EXPECT_EQ(std::get<BoxShape>(b.mesh).origin, Vec3(0, 0, 0));
  EXPECT_FALSE(b.damping.any());
  EXPECT_TRUE(b.pin.empty());
  EXPECT_EQ(b.scale, 1);
  EXPECT_TRUE(s.forces.empty());
  EXPECT_FALSE(s.output.frames_every);
  EXPECT_FALSE(s.camera.position || s.camera.look_at || s.camera.fov);
}

TEST(ReadScene, TheExampleScenes) {
  Vocabulary words = test_vocabulary();
  for (const char* name : {"SI", "SIERE", "TR", "midpoint", "SDIRK", "STR-SBDF2", "S-gen-alpha"})
    words.methods.push_back(name);
  for (const char* name : {"linear", "arap", "st_venant_kirchhoff"}) words.materials.push_back(name);
  const auto folder = std::filesystem::path(LIMBER_SOURCE_DIR) / "scenes";
  EXPECT_GE(json_files(folder).size(), 7u);
  for (const auto& file : json_files(folder)) {
    EXPECT_EQ(error_of([&] { read_scene(load_json(file.string()), words, folder.string()); }), "") << file;
  }
  const Scene beam = read_scene(load_json((folder / "beam.json").string()), words, folder.string());
  EXPECT_EQ(beam.method.name, "TR-BDF2");
  EXPECT_EQ(beam.time.step, 0.01);
  EXPECT_EQ(beam.time.duration, 5);
  EXPECT_EQ(std::get<BoxShape>(beam.bodies.at(0).mesh).cells, (std::array<int, 3>{32, 4, 4}));
}

}  // namespace limber
