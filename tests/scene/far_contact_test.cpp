/// One method, one algorithm: that a scene has contact changes nothing where nothing is near.

#include <gtest/gtest.h>

#include "limber/scene/construction/build.hpp"
#include "limber/scene/json.hpp"

namespace limber {
namespace {

using nlohmann::json;

constexpr int compared_steps = 20;

std::vector<std::string> methods_with_contact() {
  std::vector<std::string> names;
  for (const MethodInfo& m : method_catalog())
    if (m.splitting != Splitting::printed) names.push_back(m.name);
  return names;
}

/// A bar that swings, and a block that flies and turns 50 m above it.
json two_bodies(const std::string& method) {
  const bool is_explicit = find_method(method).kind == MethodKind::explicit_;
  json scene = json::parse(R"({"time": {"duration": 1}, "bodies": [
    {"mesh": {"shape": "box", "size": [1, 0.2, 0.2], "cells": [6, 2, 2]}, "pin": "left",
     "material": {"young": 1e5, "poisson": 0.3}},
    {"mesh": {"shape": "box", "size": [0.4, 0.2, 0.3], "cells": [4, 2, 2]}, "position": [0, 50, 0],
     "velocity": [1, 2, 0], "angular_velocity": [1, 0, 2], "material": {"young": 1e5, "poisson": 0.3}}]})");
  scene["time"]["step"] = is_explicit ? 1e-4 : 0.01;
  scene["method"] = method;
  return scene;
}

json with_contact(json scene) {
  scene["contact"] = {{"friction", 0.3}, {"delta", 1e-3}};
  scene["obstacles"] = {{{"shape", "plane"}, {"point", {0, -1000, 0}}, {"normal", {0, 1, 0}}}};
  return scene;
}

/// With a part of the block kept rigid.
json with_rigid_part(json scene) {
  json& block = scene["bodies"][1];
  block["regions"] = {{"bone", {{"box", {{"min", {0.1, 0, 0}}, {"max", {0.3, 0.2, 0.3}}}}}}};
  block["materials"] = {{"bone", block["material"]}, {"default", block["material"]}};
  block.erase("material");
  block["rigid"] = {{{"region", "bone"}}};
  return scene;
}

/// Of both scenes: equal bits, steps taken alike, and equal notes.
void expect_equal_motions(const json& a, const json& b) {
  const Scene scenes[] = {read_scene(a, vocabulary(), ""), read_scene(b, vocabulary(), "")};
  const Model models[] = {build_model(scenes[0]), build_model(scenes[1])};
  Simulation one = build_simulation(scenes[0], models[0]), two = build_simulation(scenes[1], models[1]);
  for (int k = 0; k < compared_steps; ++k) {
    const StepRecord first = one.step(), second = two.step();
    ASSERT_EQ(one.state().q, two.state().q) << "step " << k;
    ASSERT_EQ(one.state().v, two.state().v) << "step " << k;
    ASSERT_EQ(one.energies().total(), two.energies().total()) << "step " << k;
    EXPECT_EQ(one.damping_loss(), two.damping_loss()) << "step " << k;
    ASSERT_EQ(first.substeps.size(), second.substeps.size()) << "step " << k;
    for (std::size_t i = 0; i < first.substeps.size(); ++i) {
      ASSERT_EQ(first.substeps[i].way, second.substeps[i].way) << "step " << k;
      ASSERT_EQ(first.substeps[i].gain, second.substeps[i].gain) << "step " << k;
    }
    EXPECT_EQ(first.newton_iterations, second.newton_iterations) << "step " << k;
    EXPECT_EQ(first.notes, second.notes) << "step " << k;
    EXPECT_EQ(first.remarks, second.remarks) << "step " << k;
  }
  if (one.modes() != nullptr) {
    EXPECT_EQ(one.modes()->refreshes(), two.modes()->refreshes());
  }
  EXPECT_EQ(one.linear_counts().factorizations, two.linear_counts().factorizations);
  EXPECT_EQ(one.linear_counts().iterations, two.linear_counts().iterations);
}

class FarContact : public ::testing::TestWithParam<std::string> {};

TEST_P(FarContact, ChangesNothing) {
  const json scene = two_bodies(GetParam());
  expect_equal_motions(scene, with_contact(scene));
}

TEST_P(FarContact, ChangesNothingBesideARigidPart) {
  const json scene = with_rigid_part(two_bodies(GetParam()));
  expect_equal_motions(scene, with_contact(scene));
}

TEST_P(FarContact, ChangesNothingOfDampedBodiesWithAConsistentMass) {
  json scene = two_bodies(GetParam());
  for (json& body : scene["bodies"]) {
    body["mass"] = "consistent";
    body["damping"] = {{"stiffness", 0.002}, {"mass", 0.3}, {"at", "current"}};
  }
  expect_equal_motions(scene, with_contact(scene));
}

INSTANTIATE_TEST_SUITE_P(Methods, FarContact, ::testing::ValuesIn(methods_with_contact()), [](const auto& one) {
  std::string name = one.param;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace limber
