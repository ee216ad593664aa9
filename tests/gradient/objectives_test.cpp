/// Ready-made objectives: values against formulas, and derivatives against central differences of whole runs, with
/// Richardson's extrapolation.

#include "limber/scene/gradient/objectives.hpp"

#include <cmath>
#include <numbers>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/scene/gradient/optimum.hpp"
#include "limber/scene/run/facts.hpp"
#include "motions.hpp"

namespace limber::test {
namespace {

RunGradient run_of(const Json& scene, const ObjectivePtr& objective, const std::vector<std::string>& parameters = {}) {
  DifferentiableRun run(document(scene), "", parameters);
  return value_and_gradient(run, *objective);
}

double value_of(const Json& scene, const ObjectivePtr& objective) { return run_of(scene, objective).value; }

/// Richardson's extrapolation of differences; `step`: the wider one.
double difference_of(const Json& scene, const ObjectivePtr& objective, const std::string& pointer, double step) {
  const Json::json_pointer at(pointer);
  const auto over = [&](double h) {
    Json more = scene, less = scene;
    more[at] = scene.at(at).get<double>() + h;
    less[at] = scene.at(at).get<double>() - h;
    return (value_of(more, objective) - value_of(less, objective)) / (2 * h);
  };
  return (4 * over(step / 2) - over(step)) / 3;
}

void expect_gradients(const Json& scene, const ObjectivePtr& objective, const std::vector<Entry>& all,
                      double tolerance = 1e-6) {
  std::vector<std::string> names;
  for (const Entry& e : all) names.push_back(e.parameter);
  const RunGradient g = run_of(scene, objective, names);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double expected = difference_of(scene, objective, all[i].pointer, all[i].step);
    const double found = g.by_parameters[i][all[i].component];
    EXPECT_NEAR(found, expected, tolerance * std::abs(expected))
        << all[i].parameter << ", relative error " << found / expected - 1;
    EXPECT_NE(expected, 0) << all[i].parameter;
  }
}

const Entry of_young{"bodies[0].material.young", "/bodies/0/material/young", 0, 1e3},
    of_poisson{"bodies[0].material.poisson", "/bodies/0/material/poisson", 0, 2e-3},
    of_density{"bodies[0].material.density", "/bodies/0/material/density", 0, 5},
    of_gravity{"gravity", "/gravity/1", 1, 5e-2}, of_velocity{"bodies[0].velocity", "/bodies/0/velocity/2", 2, 5e-3};
const std::vector<Entry> by_numbers = {of_young, of_poisson, of_density, of_gravity, of_velocity};

Json probed(Json scene) {
  scene["output"] = {{"probes",
                      {{{"name", "tip"}, {"body", "beam"}, {"point", {.4, .05, .05}}},
                       {{"name", "side"}, {"body", "beam"}, {"point", {.2, .12, .03}}}}}};
  return scene;
}

/// Its left end is moved, smoothly.
Json moved(Json scene) {
  scene["bodies"][0].erase("pin");
  scene["bodies"][0]["script"] = {{{"nodes", "left"},
                                   {"interpolation", "smooth"},
                                   {"keys",
                                    {{{"time", 0}, {"translation", {0, 0, 0}}},
                                     {{"time", .03}, {"translation", {.01, .02, 0}}},
                                     {{"time", .1}, {"translation", {0, .05, 0}}}}}}};
  return scene;
}
const Entry of_script{"bodies[0].script[0].keys[1].translation", "/bodies/0/script/0/keys/1/translation/1", 1, 1e-4};

std::vector<int> held(const Json& scene) {
  return DifferentiableRun(document(scene), "", {}).model().system->prescribed_nodes();
}

// --- Places -------------------------------------------------------------------------------------------------------

TEST(Objectives, ProbesBetweenSteps) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  Matrix seen(3, 3);
  seen << .35, none, .1, .36, .03, .12, none, .02, none;
  const Observations observed({0, .0134, .047}, {"tip.x", "tip.y", "side.y"}, seen);
  const ObjectivePtr equal = probes_objective(observed), weighted = probes_objective(observed, {{"tip", 3}});
  const Json scene = probed(beam("TR-BDF2"));
  // At the start a probe is where it was put.
  const double x = run_of(probed(beam("TR-BDF2")),
                          probes_objective(Observations({0}, {"tip.x", "tip.y"}, Matrix(Eigen::RowVector2d(.35, .04)))))
                       .value;
  EXPECT_NEAR(x, (.05 * .05 + .01 * .01) / 2, 1e-12);
  expect_gradients(scene, equal, by_numbers);
  expect_gradients(scene, weighted, by_numbers);
  expect_gradients(scene, probe_objective("side", 2, .03), by_numbers);
  EXPECT_THROW(value_of(scene, probe_objective("tap", 2)), InputError);
}

TEST(Objectives, ProbeBesideASheet) {
  Json sheet = beam("TR-BDF2");
  sheet["bodies"][0]["mesh"] = {{"shape", "sheet"}, {"size", {.3, .3}}, {"cells", {3, 3}}};
  sheet["bodies"][0]["thickness"] = .002;
  sheet["bodies"][0]["material"] = {{"model", "stable_neo_hookean"}, {"young", 1e6}, {"poisson", .3}, {"density", 800}};
  DifferentiableRun run(document(sheet), "", {});
  const Vector q = run.model().system->full(run.model().start).q;
  const Vec3 corner = q.head<3>(), other = q.tail<3>();
  const Vec3 point = .6 * corner + .4 * other + Vec3(.011, .013, .017);
  sheet["output"] = {{"probes", {{{"name", "above"}, {"body", "beam"}, {"point", {point[0], point[1], point[2]}}}}}};
  Entry stiff = of_young;
  stiff.step = 2e3;
  for (const int axis : {0, 1, 2})
    expect_gradients(sheet, probe_objective("above", axis), {stiff, of_density, of_velocity});
}

TEST(Objectives, LastShape) {
  const Json scene = beam("gen-alpha");
  const Vector target = Eigen::Vector<double, 6>(.4, .02, .1, .41, 0, .03);
  const ObjectivePtr some = shape_objective(target, {3, 7}, Eigen::Vector2d(1, 3));
  DifferentiableRun run(document(scene), "", {});
  State end;
  run.run([&](long, const State& u) { end = u; });
  const double expected =
      ((block(end.q, 3) - target.head<3>()).squaredNorm() + 3 * (block(end.q, 7) - target.tail<3>()).squaredNorm()) / 4;
  EXPECT_NEAR(value_of(scene, some), expected, 1e-9 * expected);
  expect_gradients(scene, some, by_numbers);
  expect_gradients(scene, shape_objective(run.model().system->full(run.model().start).q, {}, {}, .04), by_numbers);
  EXPECT_THROW(value_of(scene, shape_objective(target)), InputError);
  EXPECT_THROW(value_of(scene, shape_objective(target, {3, 700})), InputError);
  EXPECT_THROW(shape_objective(target, {3}), InputError);
  EXPECT_THROW(shape_objective(target * NAN, {3, 7}), InputError);
  EXPECT_THROW(value_of(scene, shape_objective(target, {3, 7}, {}, 3.)), InputError);
}

// --- Energies -----------------------------------------------------------------------------------------------------

TEST(Objectives, EnergiesAreThoseOfTheSystem) {
  const Json scene = moved(beam("TR-BDF2"));
  DifferentiableRun run(document(scene), "", {});
  std::vector<Energies> at;
  run.run([&](long, const State& u) { at.push_back(energies(run.system(), run.system().state(u.q, u.v, u.t))); });
  EXPECT_NEAR(value_of(scene, energy_objective(EnergyPart::elastic)), at[6].elastic, 1e-9 * at[6].elastic);
  EXPECT_NEAR(value_of(scene, energy_objective(EnergyPart::kinetic, {.to = .021})), at[2].kinetic,
              1e-9 * at[2].kinetic);
  const double mean = (at[1].kinetic / 2 + at[2].kinetic + at[3].kinetic / 2) / 2;
  const When between{When::Of::mean, .01, .03}, whole{When::Of::integral, .01, .03};
  EXPECT_NEAR(value_of(scene, energy_objective(EnergyPart::kinetic, between)), mean, 1e-9 * mean);
  EXPECT_NEAR(value_of(scene, energy_objective(EnergyPart::kinetic, whole)), .02 * mean, 1e-9 * mean);
}

TEST(Objectives, Energies) {
  for (const char* element : {"P1", "P2", "hex"}) {
    SCOPED_TRACE(element);
    Json scene = moved(beam("TR-BDF2"));
    scene["bodies"][0]["element"] = element;
    scene["bodies"][0]["mass"] = "consistent";
    std::vector<Entry> all = by_numbers;
    all.push_back(of_script);
    expect_gradients(scene, energy_objective(EnergyPart::elastic, {When::Of::integral}), all);
    expect_gradients(scene, energy_objective(EnergyPart::elastic), all);
    expect_gradients(scene, energy_objective(EnergyPart::kinetic, {.to = .03}), all);
  }
}

/// Gradients go forwards where damping turns with the body.
TEST(Objectives, EnergiesWithDampingThatTurns) {
  Json scene = probed(moved(beam("TR-BDF2")));
  scene["bodies"][0]["damping"] = {{"stiffness", 5e-3}, {"mass", .5}};
  std::vector<Entry> all = by_numbers;
  all.push_back(of_script);
  all.push_back({"bodies[0].damping.stiffness", "/bodies/0/damping/stiffness", 0, 1e-5});
  expect_gradients(scene, energy_objective(EnergyPart::elastic, {When::Of::integral}), all);
  expect_gradients(scene, sum_of({{1, energy_objective(EnergyPart::kinetic)}, {1, probe_objective("tip", 1, .03)}}),
                   all);
}

/// A uniform scaling of all moduli is the modulus of the material.
TEST(Objectives, EnergiesElementByElement) {
  const Json scene = moved(beam("TR-BDF2"));
  for (const ObjectivePtr& objective :
       {energy_objective(EnergyPart::elastic, {When::Of::mean}), frequencies_objective({{1, 4}, {2, 9}}),
        reaction_objective(held(scene), {1, 2, 3}, {.to = .05})}) {
    const RunGradient g = run_of(scene, objective, {"bodies[0].element.young", "bodies[0].material.young"});
    double sum = 0, most = 0;
    for (const double each : g.by_parameters[0]) {
      sum += each;
      most = std::max(most, std::abs(each));
    }
    EXPECT_NEAR(sum, g.by_parameters[1][0], 1e-7 * most);
    EXPECT_GT(most, 0);
  }
}

// --- Reactions ----------------------------------------------------------------------------------------------------

TEST(Objectives, ReactionsAreThoseOfTheSystem) {
  for (const char* mass : {"lumped", "consistent"}) {
    Json scene = moved(beam("TR-BDF2"));
    scene["bodies"][0]["mass"] = mass;
    const std::vector<int> nodes = held(scene);
    DifferentiableRun run(document(scene), "", {});
    Vector r;
    run.run([&](long k, const State& u) {
      if (k == 4) r = reactions(run.system(), run.system().state(u.q, u.v, u.t));
    });
    Vec3 expected = Vec3::Zero();
    for (Index i = 0; i < r.size(); i += 3) expected += r.segment<3>(i);
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(value_of(scene, reaction_objective(nodes, Vec3::Unit(axis), {.to = .04})), expected[axis],
                  1e-8 * expected.norm());
  }
}

/// A beam that stands still on a pinned end weighs what it weighs: Σ r = −m g, and ∂/∂ρ = −V g.
TEST(Objectives, WeightOfABodyAtRest) {
  Json scene = beam("BE");
  scene["gravity"] = {0, -9.81, 0};
  scene["bodies"][0]["velocity"] = {0, 0, 0};
  scene["bodies"][0]["damping"] = {{"stiffness", 5e-2}, {"mass", 20}, {"at", "rest"}};
  scene["time"] = {{"step", .1}, {"duration", 20}};
  const RunGradient g = run_of(scene, reaction_objective(held(scene), Vec3::UnitY()), {"bodies[0].material.density"});
  EXPECT_NEAR(g.value, .004 * 1000 * 9.81, 1e-5 * g.value);
  EXPECT_NEAR(g.by_parameters[0][0], .004 * 9.81, 1e-5 * .004 * 9.81);
}

TEST(Objectives, Reactions) {
  for (const char* element : {"P1", "P2"}) {
    SCOPED_TRACE(element);
    Json scene = moved(beam("TR-BDF2"));
    scene["bodies"][0]["element"] = element;
    scene["bodies"][0]["mass"] = "consistent";
    scene["bodies"][0]["damping"] = {{"stiffness", 2e-3}, {"mass", .5}, {"at", "rest"}};
    std::vector<Entry> all = by_numbers;
    all.push_back(of_script);
    all.push_back({"bodies[0].damping.stiffness", "/bodies/0/damping/stiffness", 0, 1e-5});
    const std::vector<int> nodes = held(scene);
    expect_gradients(scene, reaction_objective(nodes, {1, .3, -.4}, {When::Of::mean}), all);
    expect_gradients(scene, reaction_objective({nodes[0], nodes[2]}, {1, .3, -.4}, {.to = .05}), all);
  }
}

/// A cube that is dragged over the floor by its pinned top: barrier and friction act on it, and a follower pressure.
Json dragged() {
  Json scene = {
      {"time", {{"step", .005}, {"duration", .02}}},
      {"method", {{"name", "TR-BDF2"}}},
      {"gravity", {0, -9.81, 0}},
      {"contact", {{"delta", .004}, {"stiffness", 3e6}, {"friction", .4}, {"epsilon", .02}}},
      {"obstacles", {{{"name", "floor"}, {"shape", "plane"}, {"point", {0, 0, 0}}, {"normal", {0, 1, 0}}}}},
      {"bodies",
       {{{"name", "cube"},
         {"mesh", {{"shape", "box"}, {"size", {.1, .1, .1}}, {"cells", {2, 2, 2}}}},
         {"material", {{"model", "neo_hookean"}, {"young", 2e5}, {"poisson", .3}, {"density", 1000}}},
         {"loads", {{{"faces", "right"}, {"pressure", 800}}}},
         {"position", {0, .003, 0}},
         {"script", {{{"nodes", "top"}, {"keys", {{{"time", 0}}, {{"time", 1}, {"translation", {.6, -.02, 0}}}}}}}}}}}};
  return scene;
}

TEST(Objectives, ReactionsWithContactAndFriction) {
  const Json scene = dragged();
  const std::vector<Entry> all = {
      {of_young.parameter, of_young.pointer, 0, 30},
      {"contact.friction", "/contact/friction", 0, 2e-4},
      {"bodies[0].loads[0].pressure", "/bodies/0/loads/0/pressure", 0, 2},
      {"bodies[0].script[0].keys[1].translation", "/bodies/0/script/0/keys/1/translation/0", 0, 2e-4}};
  const std::vector<int> nodes = held(scene);
  expect_gradients(scene, reaction_objective(nodes, {1, 0, 0}), all);
  expect_gradients(scene, reaction_objective(nodes, {0, 1, 0}, {When::Of::mean}), {all[3]});
}

TEST(Objectives, WrongReactions) {
  Json scene = beam("BE");
  EXPECT_THROW(value_of(scene, reaction_objective({11}, {1, 0, 0})), InputError);
  EXPECT_THROW(reaction_objective({}, {1, 0, 0}), InputError);
  EXPECT_THROW(reaction_objective({0}, {0, 0, 0}), InputError);
  EXPECT_THROW(value_of(scene, reaction_objective({0}, {1, 0, 0}, {.to = .5})), InputError);
  scene["bodies"][0]["damping"] = {{"stiffness", 2e-3}};
  EXPECT_THROW(value_of(scene, reaction_objective({0}, {1, 0, 0})), InputError);
  scene["bodies"][0]["material"]["viscosity"] = {{{"share", .3}, {"time", .02}}};
  EXPECT_THROW(value_of(scene, energy_objective(EnergyPart::elastic)), InputError);
  EXPECT_THROW(value_of(scene, frequency_objective(1, 1)), InputError);
}

// --- Frequencies --------------------------------------------------------------------------------------------------

TEST(Objectives, FrequenciesScaleAsTheyShould) {
  Json scene = beam("TR-BDF2");
  scene["gravity"] = {0, 0, 0};
  const RunGradient g =
      run_of(scene, frequency_objective(2, 2), {"bodies[0].material.young", "bodies[0].material.density"});
  const limber::Model model = build_model(read_scene(document(scene), vocabulary(), ""));
  EXPECT_NEAR(g.value, std::sqrt(scene_modes(model, 3).lambda[1]) / (2 * std::numbers::pi), 1e-9 * g.value);
  // f ∝ √(E/ρ)
  EXPECT_NEAR(g.by_parameters[0][0] * 2e5, g.value / 2, 1e-7 * g.value);
  EXPECT_NEAR(g.by_parameters[1][0] * 1000, -g.value / 2, 1e-7 * g.value);
}

TEST(Objectives, Frequencies) {
  for (const char* element : {"P1", "P2", "hex"}) {
    SCOPED_TRACE(element);
    Json scene = beam("TR-BDF2");
    scene["bodies"][0]["element"] = element;
    scene["bodies"][0]["material"]["model"] = "neo_hookean";
    expect_gradients(scene, frequencies_objective({{1, 4}, {1, 8}, {3, 30}}), {of_young, of_poisson, of_density});
  }
}

/// Rigid modes do not count; and by a place of the start the stiffness changes.
TEST(Objectives, FrequenciesOfAFreeBodyAndByTheStart) {
  Json scene = beam("TR-BDF2");
  scene["bodies"][0].erase("pin");
  scene["bodies"][0]["scale"] = 1.1;
  expect_gradients(scene, frequencies_objective({{2, 30}, {2, 50}}),
                   {of_young, of_poisson, of_density, {"bodies[0].scale", "/bodies/0/scale", 0, 1e-2}});
  scene["bodies"][0]["pin"] = {"left"};
  const ObjectivePtr lowest = frequency_objective(1, 3);
  scene["bodies"][0]["material"]["model"] = "neo_hookean";
  DifferentiableRun run(document(scene), "", {"initial.positions"});
  const RunGradient g = value_and_gradient(run, *lowest);
  const Vector q = run.model().system->full(run.model().start).q;
  const auto at = [&](double x) {
    Vector other = q;
    other[3 * 5 + 1] += x;
    DifferentiableRun moved(document(scene), "", {}, {}, {other, {}, {}});
    return value_and_gradient(moved, *lowest).value;
  };
  const auto over = [&](double h) { return (at(h) - at(-h)) / (2 * h); };
  const double expected = (4 * over(1e-4) - over(2e-4)) / 3;
  EXPECT_NEAR(g.by_parameters[0][3 * 5 + 1], expected, 1e-6 * std::abs(expected));
}

/// Bending of a square beam comes in pairs. The derivative of their mean exists, and does not depend on the vectors.
TEST(Objectives, FrequenciesInPairs) {
  Json scene = beam("TR-BDF2");
  scene["bodies"][0]["element"] = "hex";
  const limber::Model model = build_model(read_scene(document(scene), vocabulary(), ""));
  const Vector lambda = scene_modes(model, 4).lambda;
  ASSERT_NEAR(lambda[0] / lambda[1], 1, 1e-9);
  expect_gradients(scene, frequencies_objective({{2, 4}}), {of_young, of_density});
  // A cluster that the last block cuts.
  expect_gradients(scene, frequency_objective(1, 1), {of_young, of_density});
}

TEST(Objectives, WrongFrequencies) {
  Json scene = beam("TR-BDF2");
  EXPECT_THROW(value_of(scene, frequency_objective(1, 5000)), InputError);
  EXPECT_THROW(frequency_objective(0, 1), InputError);
  EXPECT_THROW(frequency_objective(3, 2), InputError);
  EXPECT_THROW(frequencies_objective({}), InputError);
  EXPECT_THROW(frequencies_objective({{1, -3}}), InputError);
}

/// Only the start is looked at: a run that would fail at its first step is not taken.
TEST(Objectives, FrequenciesNeedNoRun) {
  Json scene = beam("TR-BDF2");
  scene["time"] = {{"step", .01}, {"duration", 1e5}};
  EXPECT_GT(value_of(scene, frequency_objective(1, 1)), 0);
}

// --- Sums ---------------------------------------------------------------------------------------------------------

TEST(Objectives, SumsAndSquares) {
  const Json scene = probed(beam("TR-BDF2"));
  const ObjectivePtr height = probe_objective("tip", 1), energy = energy_objective(EnergyPart::kinetic, {.to = .02});
  const double a = value_of(scene, height), b = value_of(scene, energy);
  const ObjectivePtr sum = sum_of({{2, height}, {-3, energy}}, .5);
  EXPECT_NEAR(value_of(scene, sum), 2 * a - 3 * b + .5, 1e-12);
  EXPECT_NEAR(value_of(scene, squared_distance(sum, Wanted::equal, 1)), std::pow(2 * a - 3 * b - .5, 2), 1e-12);
  EXPECT_EQ(value_of(scene, squared_distance(height, Wanted::at_least, a - .1)), 0);
  EXPECT_NEAR(value_of(scene, squared_distance(height, Wanted::at_least, a + .1)), .01, 1e-12);
  EXPECT_EQ(value_of(scene, squared_distance(height, Wanted::at_most, a + .1)), 0);
  EXPECT_NEAR(value_of(scene, squared_distance(height, Wanted::at_most, a - .1)), .01, 1e-12);
  expect_gradients(scene,
                   sum_of({{1, squared_distance(sum, Wanted::at_most, .1)},
                           {1e-3, frequencies_objective({{1, 4}})},
                           {2, squared_distance(height, Wanted::at_least, a + .1)}}),
                   by_numbers);
  EXPECT_THROW(sum_of({{NAN, height}}), InputError);
}

// --- Minima -------------------------------------------------------------------------------------------------------

OptimumRequest search(const Json& scene, ObjectivePtr objective, std::vector<VariedParameter> varied) {
  return {.scene = document(scene), .base = "", .objective = std::move(objective), .varied = std::move(varied)};
}

/// f ∝ √E: the modulus for which the lowest frequency is half as much again.
TEST(Optimum, AModulusForAFrequency) {
  Json scene = beam("TR-BDF2");
  scene["gravity"] = {0, 0, 0};
  const double now = value_of(scene, frequency_objective(1, 1));
  const Optimum found =
      optimum(search(scene, frequencies_objective({{1, 1.5 * now}}), {{"bodies[0].material.young", {1e3}, {1e8}}}));
  EXPECT_TRUE(found.converged) << found.reason;
  EXPECT_NEAR(found.found[0].values[0], 2.25 * 2e5, 1e-5 * 2.25 * 2e5);
  EXPECT_NEAR(json_of(found.scene)["bodies"][0]["material"]["young"].get<double>(), found.found[0].values[0], 1e-6);
  EXPECT_LT(found.evaluations, 15);
}

/// A ball on a parabola: the velocity with which it is at a place at the end, a list with bounds for each component.
TEST(Optimum, AVelocityThatLeadsToAPlace) {
  Json scene = probed(beam("TR-BDF2"));
  scene["bodies"][0].erase("pin");
  scene["gravity"] = {0, -9.81, 0};
  scene["time"] = {{"step", .01}, {"duration", .2}};
  scene["bodies"][0]["velocity"] = {0, 0, 0};
  // x(T) = x₀ + v T + ½ g T², for which a mean of all nodes has no error: TR-BDF2 is exact for parabolas.
  DifferentiableRun run(document(scene), "", {});
  Vector target = run.model().system->full(run.model().start).q;
  for (Index i = 0; i < target.size(); i += 3) target.segment<3>(i) += Vec3(.2 * 1, .2 * 2 - .5 * 9.81 * .04, .2 * -4);
  const Optimum found = optimum(search(scene, shape_objective(target), {{"bodies[0].velocity", {-3}, {3, 3, 2}}}));
  EXPECT_TRUE(found.converged) << found.reason;
  EXPECT_NEAR(found.found[0].values[0], 1, 1e-5);
  EXPECT_NEAR(found.found[0].values[1], 2, 1e-5);
  EXPECT_EQ(found.found[0].values[2], -3);
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_NE(found.notes[0].find("bodies[0].velocity[2] ended at its lower bound, -3"), std::string::npos);
  // The same by the velocities of all nodes, 3N numbers.
  const Optimum nodes = optimum(search(scene, shape_objective(target), {{"initial.velocities", {-5}, {5}}}));
  EXPECT_LT(nodes.value, 1e-6 * value_of(scene, shape_objective(target)));
}

/// The derivative by one element's modulus, away from equal moduli, against differences.
TEST(Objectives, ModuliOfElementsThatDiffer) {
  const Json scene = beam("TR-BDF2");
  const ObjectivePtr objective =
      sum_of({{1, energy_objective(EnergyPart::elastic)}, {1e-3, frequencies_objective({{2, 4}})}});
  std::vector<double> moduli =
      DifferentiableRun(document(scene), "", {"bodies[0].element.young"}).parameters()[0].values;
  for (std::size_t e = 0; e < moduli.size(); ++e) moduli[e] *= 1 + .5 * std::sin(static_cast<double>(e));
  const auto at = [&](const std::vector<double>& values, const std::vector<std::string>& parameters) {
    DifferentiableRun run(document(scene), "", parameters, {}, {{}, {}, {{0, values}}});
    return value_and_gradient(run, *objective);
  };
  const RunGradient g = at(moduli, {"bodies[0].element.young"});
  for (const std::size_t e : {std::size_t{0}, std::size_t{4}}) {
    const auto over = [&](double h) {
      std::vector<double> more = moduli, less = moduli;
      more[e] += h;
      less[e] -= h;
      return (at(more, {}).value - at(less, {}).value) / (2 * h);
    };
    const double expected = (4 * over(500) - over(1000)) / 3;
    EXPECT_NEAR(g.by_parameters[0][e], expected, 1e-6 * std::abs(expected));
  }
}

/// Moduli that made a shape make it again: a beam, two of whose elements are softer, that hangs by its weight.
TEST(Optimum, ModuliOfElements) {
  Json scene = beam("BE");
  scene["time"] = {{"step", .02}, {"duration", .2}};
  scene["bodies"][0]["element"] = "hex";
  const std::vector<double> made = {1e5, 3e5, 2e5};
  DifferentiableRun run(document(scene), "", {}, {}, {{}, {}, {{0, made}}});
  State end;
  run.run([&](long, const State& u) { end = u; });
  const Optimum found = optimum(search(scene, shape_objective(end.q), {{"bodies[0].element.young", {2e4}, {2e6}}}));
  for (std::size_t e = 0; e < 3; ++e) EXPECT_NEAR(found.found[0].values[e] / made[e], 1, 1e-2) << e;
  EXPECT_EQ(json_of(found.scene), scene);
}

TEST(Optimum, WrongRequests) {
  const Json scene = beam("TR-BDF2");
  const ObjectivePtr f = frequency_objective(1, 1);
  const auto refused = [&](const std::vector<VariedParameter>& varied, const std::string& word) {
    try {
      optimum(search(scene, f, varied));
      ADD_FAILURE() << word;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
  };
  refused({}, "empty");
  refused({{"bodies[0].material.young", {1e5}, {1e4}}}, "from low to high");
  refused({{"bodies[0].material.young", {-1e5}, {1e4}}}, "young");
  refused({{"bodies[0].material.yuong", {1e5}, {1e6}}}, "young");
  refused({{"gravity", {-1, 2}, {3}}}, "3 components");
  refused({{"gravity", {-1}, {3}}, {"gravity", {-1}, {3}}}, "twice");
  refused({{"bodies[0].element.young", {1e4}, {1e6}}, {"bodies[0].material.poisson", {.1}, {.4}}}, "together");
}

}  // namespace
}  // namespace limber::test
