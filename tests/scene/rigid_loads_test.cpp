/// Rigid parts stay rigid under whatever acts on them.

#include <gtest/gtest.h>

#include "limber/scene/construction/build.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/facts.hpp"
#include "limber/time/catalog.hpp"

namespace limber {
namespace {

using nlohmann::json;

/// A light cube of soft material, rigid all over.
json cube() {
  return json::parse(R"({"time": {"step": 0.005, "duration": 0.1}, "gravity": [0, 0, 0],
    "bodies": [{"name": "cube", "mesh": {"shape": "box", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]},
                "material": {"young": 1e4, "poisson": 0.3}, "rigid": ["all"]}]})");
}

/// The largest relative change of a distance between two nodes of the first body.
double largest_strain(const Model& model, const Vector& q) {
  const auto& rest = model.bodies[0].rest.nodes;
  double most = 0;
  for (std::size_t i = 0; i < rest.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Vec3 d = q.segment<3>(3 * static_cast<Index>(i)) - q.segment<3>(3 * static_cast<Index>(j));
      most = std::max(most, std::abs(d.norm() / (rest[i] - rest[j]).norm() - 1));
    }
  return most;
}

struct Moved {
  double strain = 0;  // the largest of all steps
  Vec3 velocity;      // of the centre of mass, at the end
  std::vector<double> energies;
  bool remarked = false;
  EnergyAccount account;
};

Moved outcome(const json& scene) {
  const Scene read = read_scene(scene, vocabulary(), "");
  const Model model = build_model(read);
  Simulation s = build_simulation(read, model);
  Moved m;
  for (long left = step_count(read.time); left > 0; --left) {
    const StepRecord record = s.step();
    for (const std::string& remark : record.remarks)
      m.remarked = m.remarked || remark.find("strained") != std::string::npos;
    m.strain = std::max(m.strain, largest_strain(model, model.system->full(s.state()).q));
  }
  const Vector p = model.system->apply_mass(s.state().v);
  m.velocity = Vec3::Zero();
  for (Index i = 0; i < p.size(); i += 3) m.velocity += p.segment<3>(i) / total_mass(*model.system);
  m.account = s.account();
  return m;
}

constexpr double tolerance = 5e-4;  // docs/scene.md

TEST(RigidLoads, AreCarriedByEveryImplicitMethod) {
  json scene = cube();
  scene["bodies"][0]["loads"] = {{{"nodes", "top"}, {"total_force", {0, 200, 0}}}};
  const double mass = .008 * 1000, after = 200 / mass * .1;
  for (const MethodInfo& method : method_catalog()) {
    if (method.kind == MethodKind::explicit_ || method.kind == MethodKind::exponential ||
        method.splitting == Splitting::printed)
      continue;
    scene["method"] = method.name;
    const Moved m = outcome(scene);
    // Steps that go beyond their stage have up to twice its strain.
    const bool beyond =
        method.name.ends_with("midpoint") || method.name.ends_with("alpha") || method.name.ends_with("HHT");
    EXPECT_LT(m.strain, beyond ? 2 * tolerance : tolerance) << method.name;
    EXPECT_NEAR(m.velocity[1] / after, 1, 1e-9) << method.name;
    EXPECT_LT(m.account.share(), .01) << method.name;
    EXPECT_FALSE(m.remarked) << method.name;
  }
}

TEST(RigidLoads, OfAllKindsDoNotStrainIt) {
  std::vector<json> scenes;
  const auto add = [&](const char* key, const char* value) {
    scenes.push_back(cube());
    scenes.back()["bodies"][0][key] = json::parse(value);
  };
  add("loads", R"([{"nodes": "top", "total_force": [2000, 200, 0]}])");  // it turns far in a step
  add("loads", R"([{"nodes": "top", "total_force": [0, 1e5, 0],
                    "time": {"keys": [[0, 0], [0.05, 0], [0.055, 1]]}}])");
  add("targets", R"([{"stiffness": 3e4, "keys": [{"time": 0}, {"time": 0.05, "translation": [0.1, 0, 0],
                      "rotation": [0, 0, "90 deg"]}, {"time": 0.1}]}])");
  add("loads", R"([{"faces": "top", "pressure": 1e6}])");
  for (const char* filling : {R"([{"gas": {"time": {"keys": [[0, 1], [0.02, 20]]}}}])",
                              R"([{"liquid": {"time": {"keys": [[0, 1], [0.02, 1.001]]}}}])"}) {
    add("cavities", filling);
    scenes.back()["bodies"][0]["mesh"] =
        json::parse(R"({"shape": "shell", "radius": 0.1, "thickness": 0.04, "layers": 1, "resolution": 0.06})");
  }
  for (json& scene : scenes)
    for (const char* method : {"TR-BDF2", "BE", "TR", "SIERE", "HHT"}) {
      scene["method"] = method;
      EXPECT_LT(outcome(scene).strain, std::string(method) == "HHT" ? 1e-2 : tolerance) << scene.dump() << method;
    }
}

TEST(RigidLoads, AStaticPartStaysRigid) {
  json scene = cube();
  auto& body = scene["bodies"][0];
  body["mesh"]["cells"] = {4, 2, 2};
  body["mesh"]["size"] = {0.4, 0.2, 0.2};
  body["rigid"] = json::parse(R"([{"box": {"min": [0.2, 0, 0], "max": [0.4, 0.2, 0.2]}}])");
  body["pin"] = "left";
  body["material"]["young"] = 1e6;
  // Forces on opposite sides, which bend the soft part little and squeeze the rigid one.
  body["loads"] =
      json::parse(R"([{"nodes": {"box": {"min": [0.39, 0.19, 0], "max": [0.5, 0.3, 1]}}, "total_force": [0, -2e8, 0]},
                                  {"nodes": {"box": {"min": [0.39, -1, 0], "max": [0.5, 0.01, 1]}}, "total_force": [0, 2e8, 0]}])");
  const Scene read = read_scene(scene, vocabulary(), "");
  const Model model = build_model(read);
  StaticsReport report;
  const Vector q = statics(read, model, report);
  const auto& rest = model.bodies[0].rest.nodes;
  double most = 0;
  for (std::size_t i = 0; i < rest.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (rest[i].x() > .199 && rest[j].x() > .199)
        most = std::max(
            most, std::abs((q.segment<3>(3 * static_cast<Index>(i)) - q.segment<3>(3 * static_cast<Index>(j))).norm() /
                               (rest[i] - rest[j]).norm() -
                           1));
  EXPECT_LT(most, tolerance);
  EXPECT_GT(most, 1e-9);
}

/// The stiffness that a load has taught is part of a snapshot.
TEST(RigidLoads, WhatWasLearntGoesOnWithTheSameBits) {
  json scene = cube();
  scene["bodies"][0]["loads"] = {{{"nodes", "top"}, {"total_force", {40, 200, 0}}}};
  const Scene read = read_scene(scene, vocabulary(), "");
  const Model one = build_model(read), two = build_model(read);
  Simulation a = build_simulation(read, one), b = build_simulation(read, two);
  const auto untaught = one.system->memory();
  for (int i = 0; i < 5; ++i) a.step();
  EXPECT_NE(one.system->memory(), untaught);
  b.restore(a.snapshot());
  for (int i = 0; i < 10; ++i) a.step(), b.step();
  EXPECT_EQ(a.state().q, b.state().q);
  EXPECT_EQ(a.state().v, b.state().v);
  EXPECT_EQ(one.system->memory(), two.system->memory());
}

/// Its steps end with what they have swung beyond their stages, unless that gained energy and they were taken again.
TEST(RigidLoads, MidpointSaysWhatItCannotHold) {
  json scene = cube();
  scene["method"] = "midpoint";
  scene["time"]["step"] = 0.02;
  scene["bodies"][0]["angular_velocity"] = {3, 10, 0};
  const Moved swung = outcome(scene);
  EXPECT_TRUE(swung.remarked || swung.strain < tolerance);
  scene["method"] = "TR-BDF2";
  const Moved m = outcome(scene);
  EXPECT_FALSE(m.remarked);
  EXPECT_LT(m.strain, tolerance);
}

/// Between two steps the cubic through positions and velocities strains what turns by up to (ωh)⁴/384.
TEST(RigidLoads, FramesBetweenStepsAreStraight) {
  json scene = cube();
  scene["time"]["step"] = 0.05;
  scene["bodies"][0]["angular_velocity"] = {0, 20, 0};
  const Scene read = read_scene(scene, vocabulary(), "");
  const Model model = build_model(read);
  Simulation s = build_simulation(read, model);
  const State before = s.state();
  s.step();
  const State& after = s.state();
  State middle = .5 * (before + after);
  const double strained = largest_strain(model, model.system->full(middle).q);
  EXPECT_GT(strained, .05);
  model.straighten(middle);
  EXPECT_LT(largest_strain(model, model.system->full(middle).q), 1e-12);
  EXPECT_EQ(middle.t, .5 * (before.t + after.t));
}

}  // namespace
}  // namespace limber
