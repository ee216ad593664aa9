/// Rigid parts: against closed forms, Euler's equations, and the same body with a part of very large E.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "limber/core/errors.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/construction/build_rigid.hpp"
#include "limber/scene/run/facts.hpp"
#include "scene/samples.hpp"

namespace limber {
namespace {

using nlohmann::json;

Scene read(const json& scene) { return read_scene(scene, vocabulary(), ""); }
Model model_of(const json& scene) { return build_model(read(scene)); }
auto block(const Vector& x, Index i) { return x.segment<3>(3 * i); }

/// A brick that nothing holds, rigid all over.
json brick() {
  return json::parse(R"({
    "time": {"step": 0.01, "duration": 1}, "method": "TR-BDF2", "gravity": [0, 0, 0],
    "bodies": [{"name": "brick", "mesh": {"shape": "box", "size": [1, 0.6, 0.3], "cells": [4, 2, 2]},
                "material": {"young": 1e5, "poisson": 0.3}, "rigid": ["all"]}]})");
}

constexpr int cells_along = 8;
/// A beam 1 m long whose region 1 is its right half; held at the left.
json beam(double stiff) {
  const TetMesh mesh = box_mesh({0, 0, 0}, {1, 0.25, 0.25}, {cells_along, 2, 2}, Split::six);
  json scene = json::parse(R"({
    "time": {"step": 0.01, "duration": 0.5}, "method": "TR-BDF2", "gravity": [0, -9.81, 0],
    "bodies": [{"name": "beam", "mesh": {}, "materials": {"default": {"young": 1e5, "poisson": 0.3}}, "pin": "left"}]})");
  auto& body = scene["bodies"][0];
  for (const Vec3& x : mesh.nodes) body["mesh"]["nodes"].push_back({x[0], x[1], x[2]});
  for (const auto& t : mesh.tets) {
    body["mesh"]["tets"].push_back(t);
    Vec3 centre = Vec3::Zero();
    for (const int i : t) centre += mesh.nodes[static_cast<std::size_t>(i)] / 4;
    body["mesh"]["region"].push_back(centre[0] > 0.5 ? 1 : 0);
  }
  body["materials"]["1"] = {{"young", stiff}, {"poisson", 0.3}};
  return scene;
}
json rigid_beam() {
  json scene = beam(1e5);
  scene["bodies"][0]["rigid"] = {{{"region", 1}}};
  return scene;
}

std::vector<int> right_half(const Model& model) {
  std::vector<int> nodes;
  const auto& x = model.bodies[0].rest.nodes;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i][0] > 0.5 - 1e-9) nodes.push_back(static_cast<int>(i));
  return nodes;
}

/// The largest relative change of a distance between these nodes.
double strain(const Model& model, const Vector& q, const std::vector<int>& nodes) {
  const auto& rest = model.bodies[0].rest.nodes;
  double most = 0;
  for (const int i : nodes)
    for (const int j : nodes) {
      if (i >= j) continue;
      const double L = (rest[static_cast<std::size_t>(i)] - rest[static_cast<std::size_t>(j)]).norm();
      most = std::max(most, std::abs((block(q, i) - block(q, j)).norm() / L - 1));
    }
  return most;
}
std::vector<int> every_node(const Model& model) {
  std::vector<int> nodes(model.bodies[0].rest.nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = static_cast<int>(i);
  return nodes;
}

Vec3 tip(const Simulation& simulation) {
  const Vector q = simulation.system().full(simulation.state()).q;
  return block(q, cells_along);  // the right end of the first row of nodes
}

/// Mass and inertia about the centre of mass, from the mass matrix and rigid motions about some other centre.
struct Inertia {
  double mass;
  Vec3 centre;
  Mat3 tensor;
};
Inertia inertia_of(const Model& model) {
  auto& system = *model.system;
  const Matrix R = system.rigid_motions(model.start);
  Matrix MR(R.rows(), 6);
  for (Index j = 0; j < 6; ++j) MR.col(j) = system.apply_mass(R.col(j));
  const Matrix G = R.transpose() * MR;
  Inertia I{G(0, 0), {}, G.bottomRightCorner<3, 3>() - G.bottomLeftCorner<3, 3>() * G.topRightCorner<3, 3>() / G(0, 0)};
  for (int axis = 0; axis < 3; ++axis) {
    Vector along = Vector::Zero(system.size());
    for (Index i = axis; i < along.size(); i += 3) along[i] = 1;
    I.centre[axis] = along.dot(system.apply_mass(model.start.q)) / I.mass;
  }
  return I;
}

/// Torque-free rotation by RK4 on Ṙ = [ω]ₓ R, ω = R I⁻¹ Rᵀ L.
Mat3 euler_rotation(const Inertia& inertia, const Vec3& omega0, double t) {
  const Vec3 L = inertia.tensor * omega0;
  const Mat3 inverse = inertia.tensor.inverse();
  const auto rate = [&](const Mat3& R) {
    const Vec3 w = R * (inverse * (R.transpose() * L));
    Mat3 W;
    W << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
    return Mat3(W * R);
  };
  Mat3 R = Mat3::Identity();
  constexpr int steps = 20000;
  const double h = t / steps;
  for (int i = 0; i < steps; ++i) {
    const Mat3 a = rate(R), b = rate(R + h / 2 * a), c = rate(R + h / 2 * b), d = rate(R + h * c);
    R += h / 6 * (a + 2 * b + 2 * c + d);
  }
  return R;
}

Vec3 angular_momentum(const Model& model, const State& u) {
  const Matrix R = model.system->rigid_motions(u);
  return R.rightCols<3>().transpose() * model.system->apply_mass(u.v);  // about a centre that is at rest
}

}  // namespace

TEST(Rigid, AFreeBoxHasTwelveUnknownsAndFallsExactly) {
  json scene = brick();
  scene["gravity"] = {0, -9.81, 1};
  scene["bodies"][0]["velocity"] = {0.5, 2, 0};
  const Model model = model_of(scene);
  EXPECT_EQ(model.system->size(), 12);
  EXPECT_NEAR(total_mass(*model.system), 180, 1e-10);
  Simulation simulation = build_simulation(read(scene), model);
  simulation.run_until(1);
  const State all = model.system->full(simulation.state());
  const Vec3 moved(0.5, 2 - 9.81 / 2, 0.5), velocity(0.5, 2 - 9.81, 1);
  for (int i = 0; i < model.system->nodes(); ++i) {
    EXPECT_LT((block(all.q, i) - model.bodies[0].rest.nodes[static_cast<std::size_t>(i)] - moved).norm(), 1e-11);
    EXPECT_LT((block(all.v, i) - velocity).norm(), 1e-11);
  }
}

/// An asymmetric brick with a spin about no principal axis, for about one revolution (ω ≈ 6.3 rad/s).
TEST(Rigid, TorqueFreeRotationFollowsEulersEquations) {
  const Vec3 omega(2, 5.5, 2.2);
  std::vector<double> error;
  for (const double h : {0.01, 0.005}) {
    json scene = brick();
    scene["time"]["step"] = h;
    scene["bodies"][0]["angular_velocity"] = {omega[0], omega[1], omega[2]};
    const Model model = model_of(scene);
    Simulation simulation = build_simulation(read(scene), model);
    const Inertia inertia = inertia_of(model);
    const Energies before = simulation.energies();
    const Vec3 L = angular_momentum(model, simulation.state());
    simulation.run_until(1);
    const Mat3 R = euler_rotation(inertia, omega, 1);
    const Vector q = model.system->full(simulation.state()).q;
    double most = 0;
    for (const int i : every_node(model)) {
      const Vec3 X = model.bodies[0].rest.nodes[static_cast<std::size_t>(i)];
      most = std::max(most, (block(q, i) - inertia.centre - R * (X - inertia.centre)).norm());
    }
    error.push_back(most);
    RecordProperty("error_" + std::to_string(h), std::to_string(most));
    RecordProperty("strain_" + std::to_string(h), std::to_string(strain(model, q, every_node(model))));
    RecordProperty("energy_" + std::to_string(h), std::to_string(simulation.energies().total() / before.total() - 1));
    EXPECT_LT(strain(model, q, every_node(model)), 1e-5);
    EXPECT_LT((angular_momentum(model, simulation.state()) - L).norm(), 10 * h * h * L.norm());
    EXPECT_LT(std::abs(simulation.energies().total() / before.total() - 1), 15 * h * h);
    Vec3 momentum = Vec3::Zero();
    const Vector p = model.system->apply_mass(simulation.state().v);
    for (Index i = 0; i < 4; ++i) momentum += block(p, i);
    EXPECT_LT(momentum.norm(), 1e-9 * L.norm());
  }
  EXPECT_LT(error[1], 1e-3);
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.3);
}

TEST(Rigid, HasTheUnknownsOfTheSoftNodesAndFourCorners) {
  const Model soft = model_of(beam(1e5)), rigid = model_of(rigid_beam());
  const Index inside = 3 * static_cast<Index>(right_half(rigid).size());
  EXPECT_EQ(inside, 3 * 5 * 9);
  EXPECT_EQ(rigid.system->size(), soft.system->size() - inside + 12);
  EXPECT_NEAR(total_mass(*rigid.system), total_mass(*soft.system), 1e-12);
  EXPECT_NEAR(rigid.min_det_F(rigid.system->full(rigid.start).q), 1, 1e-12);
  EXPECT_EQ(rigid.notes.at(0), "bodies[0].rigid[0]: 96 elements on 45 nodes move as one rigid part");
}

TEST(Rigid, MovesAsAPartOfVeryLargeStiffness) {
  const json stiff_scene = beam(1e9), rigid_scene = rigid_beam();
  const Model stiff = model_of(stiff_scene), rigid = model_of(rigid_scene);
  Simulation a = build_simulation(read(stiff_scene), stiff), b = build_simulation(read(rigid_scene), rigid);
  const Vec3 start = tip(a);
  double amplitude = 0, difference = 0, most = 0;
  const auto part = right_half(rigid);
  for (int i = 0; i < 50; ++i) {
    a.step();
    b.step();
    amplitude = std::max(amplitude, (tip(a) - start).norm());
    difference = std::max(difference, (tip(a) - tip(b)).norm());
    most = std::max(most, strain(rigid, rigid.system->full(b.state()).q, part));
  }
  RecordProperty("amplitude", std::to_string(amplitude));
  RecordProperty("difference", std::to_string(1e6 * difference / amplitude) + "e-6");
  RecordProperty("strain", std::to_string(1e6 * most) + "e-6");
  EXPECT_GT(amplitude, 0.05);
  EXPECT_LT(difference, 1e-3 * amplitude);
  EXPECT_LT(most, 1e-4);
  // Newton's third law: the pinned end carries what gravity and inertia ask for.
  const Vector r = reactions(*rigid.system, b.state()), rs = reactions(*stiff.system, a.state());
  Vec3 sum = Vec3::Zero(), sum_stiff = Vec3::Zero();
  for (Index i = 0; i < r.size() / 3; ++i) sum += block(r, i), sum_stiff += block(rs, i);
  EXPECT_LT((sum - sum_stiff).norm(), 2e-2 * sum_stiff.norm());
}

TEST(Rigid, ModesAreThoseOfAPartOfVeryLargeStiffness) {
  const Model stiff = model_of(beam(1e10)), rigid = model_of(rigid_beam());
  const Modes a = scene_modes(stiff, 6), b = scene_modes(rigid, 6);
  for (Index i = 0; i < 6; ++i) EXPECT_NEAR(b.lambda[i] / a.lambda[i], 1, 1e-3) << i;
  const Matrix X = on_all_nodes(*rigid.system, b.X);
  ASSERT_EQ(X.rows(), 3 * rigid.system->nodes());
  // The part turns and moves: distances change in the second order only.
  const Vector rest = rigid.system->full(rigid.start).q;
  for (Index i = 0; i < 6; ++i) {
    const double scale = 1e-3 / X.col(i).cwiseAbs().maxCoeff();
    EXPECT_LT(strain(rigid, rest + scale * X.col(i), right_half(rigid)), 1e-4);
  }
}

TEST(Rigid, KeepsItsDistancesWhileShaken) {
  json scene = rigid_beam();
  auto& body = scene["bodies"][0];
  body.erase("pin");
  body["damping"] = {{"stiffness", 0.01}, {"mass", 0.1}};
  body["script"] = {json::parse(R"({"nodes": "left", "interpolation": "smooth",
    "keys": [{"time": 0}, {"time": 0.2, "translation": [0, 0.2, 0], "rotation": [0.5, 0, 0.4]},
             {"time": 0.4, "translation": [0, -0.2, 0.1]}, {"time": 0.6}]})")};
  for (const char* mass : {"lumped", "consistent"})
    for (const char* at : {"corotated", "rest", "current", "frozen"}) {
      body["mass"] = mass;
      body["damping"]["at"] = at;
      const Model model = model_of(scene);
      Simulation simulation = build_simulation(read(scene), model);
      double most = 0;
      for (int i = 0; i < 40; ++i) {
        simulation.step();
        most = std::max(most, strain(model, model.system->full(simulation.state()).q, right_half(model)));
      }
      EXPECT_LT(most, 1e-4) << mass << at;
      EXPECT_GT(most, 1e-8) << mass << at;
      EXPECT_GT(simulation.damping_loss(), 0);
    }
}

TEST(Rigid, DampingDoesNotResistItsRotation) {
  json scene = brick();
  scene["bodies"][0]["angular_velocity"] = {0, 0, 3};
  scene["bodies"][0]["damping"] = {{"stiffness", 0.1}};
  const Model model = model_of(scene);
  Simulation simulation = build_simulation(read(scene), model);
  const double before = simulation.energies().kinetic;
  simulation.run_until(0.5);
  EXPECT_NEAR(simulation.energies().kinetic / before, 1, 1e-3);
}

/// An implicit, semi-implicit or hybrid method: those that solve for the shape.
TEST(Rigid, EveryImplicitMethodMovesIt) {
  json scene = rigid_beam();
  scene["time"]["step"] = 0.005;
  const Model reference = model_of(scene);
  Simulation exact = build_simulation(read(scene), reference);
  exact.run_until(0.15);
  const Vec3 start = block(reference.system->full(reference.start).q, cells_along);
  const double amplitude = (tip(exact) - start).norm();
  for (const auto& method : method_catalog()) {
    scene["method"] = method.name;
    const Model model = model_of(scene);
    const bool solves = method.kind != MethodKind::explicit_ && method.kind != MethodKind::exponential;
    EXPECT_EQ(model.notes.size(), solves ? 1u : 2u) << method.name;
    if (method.splitting == Splitting::printed) {
      EXPECT_NE(error_of([&] { build_simulation(read(scene), model); }).find("rigid parts"), std::string::npos);
      continue;
    }
    if (!solves) continue;
    Simulation simulation = build_simulation(read(scene), model);
    simulation.run_until(0.15);
    const bool first_order = method.name == "BE" || method.name == "SI" || method.name.ends_with("EERE") ||
                             method.name == "SIERE" || method.name == "blend" || method.name.starts_with("A-");
    EXPECT_LT((tip(simulation) - tip(exact)).norm(), (first_order ? 0.1 : 0.02) * amplitude) << method.name;
    EXPECT_LT(strain(model, model.system->full(simulation.state()).q, right_half(model)), 1e-4) << method.name;
  }
}

TEST(Rigid, StaticsBalanceItsWeight) {
  const json scene = rigid_beam();
  const Model model = model_of(scene);
  StaticsReport report;
  const Vector q = statics(read(scene), model, report);
  const Vector r = reactions(*model.system, model.system->state(q, Vector::Zero(q.size()), 0));
  Vec3 sum = Vec3::Zero();
  for (Index i = 0; i < r.size() / 3; ++i) sum += block(r, i);
  EXPECT_LT((sum - Vec3(0, 9.81 * total_mass(*model.system), 0)).norm(), 1e-3 * sum.norm());
  EXPECT_LT(strain(model, q, right_half(model)), 1e-4);
}

TEST(Rigid, GoesOnFromASnapshotWithTheSameBits) {
  json scene = rigid_beam();
  for (const char* method : {"BDF2", "SIERE"}) {
    scene["method"] = method;
    const Model model = model_of(scene), other = model_of(scene);
    Simulation a = build_simulation(read(scene), model), b = build_simulation(read(scene), other);
    for (int i = 0; i < 5; ++i) a.step();
    b.restore(a.snapshot());
    for (int i = 0; i < 5; ++i) a.step(), b.step();
    EXPECT_EQ(a.state().q, b.state().q) << method;
    EXPECT_EQ(a.state().v, b.state().v) << method;
  }
}

/// A spinning brick falls on the floor, does not go through, and comes to rest on it.
TEST(Rigid, LandsOnTheFloor) {
  for (const char* method : {"BE", "TR-BDF2", "SI", "SIERE"}) {
    json scene = brick();
    scene["method"] = method;
    scene["gravity"] = {0, -9.81, 0};
    scene["contact"] = {{"delta", 0.01}, {"friction", 0.5}};
    scene["obstacles"] = json::parse(R"([{"shape": "half_space", "point": [0, 0, 0], "normal": [0, 1, 0]}])");
    scene["bodies"][0]["position"] = {0, 0.15, 0};
    scene["bodies"][0]["rotation"] = {0, 0, 0.3};
    scene["bodies"][0]["angular_velocity"] = {0, 1, 0};
    const Model model = model_of(scene);
    Simulation simulation = build_simulation(read(scene), model);
    double lowest = 1, most = 0;
    for (int i = 0; i < 300; ++i) {
      simulation.step();
      const Vector q = model.system->full(simulation.state()).q;
      for (Index k = 0; k < q.size() / 3; ++k) lowest = std::min(lowest, block(q, k).y());
      most = std::max(most, strain(model, q, every_node(model)));
    }
    RecordProperty(std::string("strain_") + method, std::to_string(1e6 * most) + "e-6");
    EXPECT_GT(lowest, 0) << method;
    EXPECT_LT(lowest, 0.01) << method;
    EXPECT_LT(most, 1e-4) << method;
    // The second-order method still bounces: it takes little out of an impact.
    if (std::string(method) == "TR-BDF2") continue;
    EXPECT_LT(simulation.energies().kinetic, 0.1) << method;
  }
}

TEST(Rigid, PartsAreChosenByRegionsAndNodes) {
  json scene = beam(1e5);
  auto& rigid = scene["bodies"][0]["rigid"];
  const auto unknowns = [&] { return model_of(scene).system->size(); };
  rigid = {{{"region", 1}}};
  const Index expected = unknowns();
  rigid = {{{"region", "1"}}};
  EXPECT_EQ(unknowns(), expected);
  rigid = {json::parse(R"({"box": {"min": [0.5, 0, 0], "max": [1, 1, 1]}})")};
  EXPECT_EQ(unknowns(), expected);
  rigid = {json::parse(R"([{"plane": {"point": [0.75, 0, 0], "normal": [-1, 0, 0]}},
                           {"box": {"min": [0.5, 0, 0], "max": [0.75, 1, 1]}}])")};
  EXPECT_EQ(unknowns(), expected);
  rigid = json::parse(R"([{"box": {"min": [0.25, 0, 0], "max": [0.5, 1, 1]}},
                          {"box": {"min": [0.75, 0, 0], "max": [1, 1, 1]}}])");
  EXPECT_EQ(unknowns(), 3 * (9 * 8 - 27 - 27) + 24);
  scene["bodies"][0].erase("pin");
  rigid = {{{"region", {0, 1}}}};
  EXPECT_EQ(unknowns(), 12);
}

TEST(Rigid, ElementsOfEveryKind) {
  for (const char* element : {"P1", "P2", "hex"}) {
    json scene = brick();
    scene["bodies"][0]["element"] = element;
    scene["bodies"][0]["mass"] = "consistent";
    scene["bodies"][0]["rigid"] = {json::parse(R"({"box": {"min": [0.5, 0, 0], "max": [1, 1, 1]}})")};
    scene["bodies"][0]["angular_velocity"] = {0, 0, 2};
    const Model model = model_of(scene);
    Simulation simulation = build_simulation(read(scene), model);
    simulation.run_until(0.2);
    std::vector<int> part;
    for (const int i : every_node(model))
      if (model.bodies[0].rest.nodes[static_cast<std::size_t>(i)][0] > 0.5 - 1e-9) part.push_back(i);
    const Vector q = model.system->full(simulation.state()).q;
    EXPECT_LT(strain(model, q, part), 1e-4) << element;
    EXPECT_GT(strain(model, q, every_node(model)), 1e-3) << element;
    EXPECT_LT(model.min_det_F(q), 1.001) << element;
  }
}

/// Neither the nodes that are tied to the corners nor the corners.
TEST(Rigid, NoNodeOfAPartIsStitched) {
  json scene = brick();
  scene["bodies"].push_back(scene["bodies"][0]);
  auto& other = scene["bodies"][1];
  other["name"] = "ground";
  other.erase("rigid");
  for (const int node : every_node(model_of(brick()))) {
    scene["stitches"] = {{{"body", "brick"}, {"nodes", {{"nodes", {node}}}}, {"to", "ground"}}};
    EXPECT_EQ(error_of([&] { model_of(scene); }),
              "stitches[0].nodes: node " + std::to_string(node) + " of 'brick' belongs to a rigid part already");
  }
}

TEST(Rigid, WrongPartsAreRefused) {
  const auto refused = [](const json& rigid, const std::string& expected) {
    json scene = beam(1e5);
    scene["bodies"][0]["rigid"] = rigid;
    EXPECT_EQ(error_of([&] { model_of(scene); }), "bodies[0].rigid" + expected);
  };
  refused({{{"region", 2}}}, "[0].region: the mesh has no region \"2\"");
  refused({{{"region", {1, "bone"}}}}, "[0].region: the mesh has no region \"bone\"");
  refused({"right"}, "[0]: holds no element: none has all its nodes among the 9 that are selected");
  refused({{{"region", 1}}, json::parse(R"({"box": {"min": [0.25, 0, 0], "max": [0.5, 1, 1]}})")},
          "[1]: shares node 4 of 'beam' with bodies[0].rigid[0]; make one part of both, or keep an element between "
          "them");
  refused({{{"region", 0}}},
          "[0]: node 0 of 'beam' is prescribed by bodies[0].pin; a rigid part is free: to hold or move all of it, pin "
          "or script all its nodes, without \"rigid\"");
  refused(json::parse(R"([{"nodes": [99]}])"), "[0].nodes[0]: 99 is out of range: the body has 81 nodes, 0 to 80");
}

}  // namespace limber
