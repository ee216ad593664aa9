/// What is reported of contact, friction and reactions is what has acted, whatever the method.

#include <gtest/gtest.h>

#include "limber/scene/construction/build.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/facts.hpp"
#include "limber/time/catalog.hpp"

namespace limber {
namespace {

using nlohmann::json;

class ActingForces : public ::testing::TestWithParam<std::string> {};

json block_on_floor() {
  return json::parse(R"({"time": {"step": 0.01, "duration": 0.3},
    "bodies": [{"name": "block", "mesh": {"shape": "box", "size": [0.4, 0.1, 0.4], "cells": [4, 1, 4]},
                "material": {"model": "neo_hookean", "young": 2e6, "poisson": 0.3}, "position": [0, 0.0006, 0]}],
    "contact": {"friction": 0.4, "delta": 0.001},
    "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}]})");
}

/// Friction takes what the block loses, but for what the method dissipates itself.
TEST_P(ActingForces, FrictionTakesWhatASlidingBlockLoses) {
  json scene = block_on_floor();
  scene["method"] = GetParam();
  scene["bodies"][0]["velocity"] = {2, 0, 0};
  if (find_method(GetParam()).kind == MethodKind::explicit_) scene["time"]["step"] = 2e-4;
  const Scene read = read_scene(scene, vocabulary(), "");
  const Model model = build_model(read);
  Simulation s = build_simulation(read, model);
  const double start = s.energies().total();
  for (long left = step_count(read.time); left > 0; --left) s.step();
  const double lost = start + s.account().put_in() - s.energies().total();
  RecordProperty("lost", std::to_string(lost));
  RecordProperty("friction", std::to_string(s.friction_loss()));
  const double close = GetParam() == "A-1" ? .25 : .06;  // its energy swings
  EXPECT_NEAR(s.friction_loss() / lost, 1, close) << GetParam() << ": " << s.friction_loss() << " of " << lost;
}

/// At rest the floor carries the weight.
TEST_P(ActingForces, TheFloorCarriesARestingBlock) {
  json scene = block_on_floor();
  scene["method"] = GetParam();
  scene["bodies"][0]["damping"] = {{"mass", 30}};
  scene["time"]["duration"] = .6;
  if (find_method(GetParam()).kind == MethodKind::explicit_) scene["time"]["step"] = 2e-4;
  const Scene read = read_scene(scene, vocabulary(), "");
  const Model model = build_model(read);
  Simulation s = build_simulation(read, model);
  for (long left = step_count(read.time); left > 0; --left) s.step();
  Vec3 sum = Vec3::Zero();
  for (const ContactPoint& p : contact_points(*model.contact, model.system->full(s.acting())))
    sum += p.normal_force * p.normal + p.friction;
  const double weight = 9.81 * total_mass(*model.system);
  EXPECT_NEAR(sum.y() / weight, 1, .02) << GetParam();
}

std::vector<std::string> methods() {
  std::vector<std::string> names;
  for (const MethodInfo& m : method_catalog())
    if (m.splitting != Splitting::printed) names.push_back(m.name);  // they take no contact
  return names;
}
INSTANTIATE_TEST_SUITE_P(Catalog, ActingForces, ::testing::ValuesIn(methods()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

/// A beam that falls into its clamp: the clamp gives it its momentum, less that of its weight. With the midpoint rule
/// in each step exactly.
TEST(ActingReactions, AreThoseOfTheStep) {
  json scene = json::parse(R"({"time": {"step": 0.02, "duration": 0.4}, "method": "midpoint",
    "bodies": [{"name": "beam", "mesh": {"shape": "box", "size": [1, 0.2, 0.2], "cells": [5, 1, 1]},
                "material": {"young": 1e5, "poisson": 0.3}, "pin": "left"}]})");
  const Scene read = read_scene(scene, vocabulary(), "");
  for (const char* method : {"midpoint", "gen-alpha", "HHT", "TR-BDF2", "BE"}) {
    scene["method"] = method;
    const Scene own = read_scene(scene, vocabulary(), "");
    const Model model = build_model(own);
    Simulation s = build_simulation(own, model);
    const double h = own.time.step, mass = total_mass(*model.system);
    const auto momentum = [&] {
      const Vector p = model.system->apply_mass(s.state().v);
      Vec3 sum = Vec3::Zero();
      for (Index i = 0; i < p.size(); i += 3) sum += p.segment<3>(i);
      return sum;
    };
    // The impulse of the pins, in all steps that the method itself has taken.
    Vec3 impulse = Vec3::Zero(), expected = impulse;
    for (long left = step_count(own.time); left > 0; --left) {
      const Vec3 before = momentum();
      if (s.step().retaken() > 0) continue;
      expected += momentum() - before + Vec3(0, 9.81 * mass * h, 0);
      const Vector r = reactions(*model.system, s.acting());
      for (Index i = 0; i < r.size(); i += 3) impulse += h * r.segment<3>(i);
    }
    const double share = std::string(method) == "midpoint" ? 1e-6 : .1;
    EXPECT_LT((impulse - expected).norm(), share * expected.norm()) << method;
  }
}

}  // namespace
}  // namespace limber
