/// Ball joints between rigid parts.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "limber/core/nodes.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/json.hpp"
#include "samples.hpp"

namespace limber {
namespace {

using nlohmann::json;

/// A brick that is rigid all over, its nearer end in the middle of its width at `end`.
json jointed_brick(const std::string& name, const Vec3& origin) {
  return {
      {"name", name},
      {"mesh",
       {{"shape", "box"}, {"size", {.1, 1, .1}}, {"cells", {2, 6, 2}}, {"origin", {origin[0], origin[1], origin[2]}}}},
      {"material", {{"young", 1e6}, {"poisson", .3}, {"density", 500}}},
      {"mass", "consistent"},
      {"rigid", {"all"}}};
}

json jointed_scene(double step) {
  return {{"time", {{"step", step}, {"duration", 10}}}, {"method", {{"name", "TR-BDF2"}, {"newton_tolerance", 1e-10}}}};
}

/// The node of a body that was placed at x.
Vec3 now_at(const Model& model, const Vector& q, std::size_t b, const Vec3& x) {
  const Body& body = model.bodies[b];
  for (std::size_t i = 0; i < body.rest.nodes.size(); ++i)
    if ((body.rest.nodes[i] - x).norm() < 1e-9) return block(q, body.first_node + static_cast<int>(i));
  ADD_FAILURE() << "no node there";
  return {};
}

/// From a ceiling that springs hold in its place. T = 2π √(I/(m g d))/M(1, cos θ₀/2) with the arithmetic-geometric
/// mean; I/m = L²/3 + w²/12.
TEST(Joints, APendulumHasItsPeriod) {
  constexpr double length = 1, width = .1, g = 9.81, start = 1;
  json scene = jointed_scene(.004);
  scene["gravity"] = {0, -g, 0};
  json ceiling = jointed_brick("ceiling", {-.05, 0, -.05});
  ceiling["targets"] = {{{"stiffness", 1e9}, {"keys", {{{"time", 0}}}}}};
  json rod = jointed_brick("rod", {-.05, -1, -.05});
  rod["rotation"] = {0, 0, start};
  scene["bodies"] = {ceiling, rod};
  scene["joints"] = {{{"between", {"ceiling", "rod"}}, {"at", {0, 0, 0}}}};
  const Scene read = read_scene(scene, vocabulary(), "");
  const Model model = build_model(read);
  Simulation simulation = build_simulation(read, model);
  const Vec3 end = Eigen::AngleAxisd(start, Vec3::UnitZ()) * Vec3(0, -length, 0);
  const auto angle = [&] {
    const Vector q = model.system->full(simulation.state()).q;
    const Vec3 top = now_at(model, q, 1, Vec3::Zero()), low = now_at(model, q, 1, end);
    EXPECT_LE((top - now_at(model, q, 0, Vec3::Zero())).norm(), 1e-14);
    EXPECT_LE(top.norm(), 1e-6) << "the springs are stiff";
    return std::atan2((low - top)[0], (top - low)[1]);
  };
  std::vector<double> crossings;
  double before = angle();
  EXPECT_NEAR(before, start, 1e-12);
  while (crossings.size() < 3) {
    const double t = simulation.state().t;
    simulation.step();
    const double now = angle();
    if (before * now < 0) crossings.push_back(t + .004 * before / (before - now));
    before = now;
    ASSERT_LT(t, 5);
  }
  double a = 1, b = std::cos(start / 2);
  for (int k = 0; k < 6; ++k) std::tie(a, b) = std::pair((a + b) / 2, std::sqrt(a * b));
  const double inertia = length * length / 3 + width * width / 12;
  const double period = 2 * std::numbers::pi * std::sqrt(inertia / (g * length / 2)) / a;
  EXPECT_NEAR(crossings[2] - crossings[0], period, 1e-3 * period);
}

/// Three bricks that tumble: two joints, of which the second ties a node that the first one refers to.
TEST(Joints, AChainStaysTogetherAndKeepsItsMomenta) {
  json scene = jointed_scene(.01);
  scene["gravity"] = {0, 0, 0};
  json first = jointed_brick("first", {-.05, 0, -.05}), second = jointed_brick("second", {-.05, -1, -.05}),
       third = jointed_brick("third", {-.05, -2, -.05});
  third["angular_velocity"] = {3, 0, 4};
  third["velocity"] = {2, 0, -1.5};  // the joint stands still at first
  scene["bodies"] = {first, second, third};
  scene["joints"] = {{{"between", {"first", "second"}}, {"at", {0, 0, 0}}},
                     {{"between", {"third", "second"}}, {"at", {0, -1, 0}}}};
  const Scene read = read_scene(scene, vocabulary(), "");
  const Model model = build_model(read);
  Simulation simulation = build_simulation(read, model);
  struct Momenta {
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  };
  const auto momenta = [&] {
    const State u = model.system->full(simulation.state());
    Momenta m;
    for (const NodalMass& e : model.system->masses().list)
      for (const auto& [i, j] : {std::pair{e.a, e.b}, {e.b, e.a}}) {
        const Vec3 p = (e.a == e.b ? .5 : 1) * e.m * block(u.v, j);
        m.linear += p;
        m.angular += Vec3(block(u.q, i)).cross(p);
      }
    return m;
  };
  const Momenta start = momenta();
  const double energy = simulation.energies().total();
  EXPECT_GT(start.angular.norm(), 1);
  double turned = 0;
  for (int k = 0; k < 100; ++k) {
    simulation.step();
    const Vector q = model.system->full(simulation.state()).q;
    EXPECT_LE((now_at(model, q, 0, {0, 0, 0}) - now_at(model, q, 1, {0, 0, 0})).norm(), 1e-13);
    EXPECT_LE((now_at(model, q, 1, {0, -1, 0}) - now_at(model, q, 2, {0, -1, 0})).norm(), 1e-13);
    const Vec3 along = now_at(model, q, 2, {0, -1, 0}) - now_at(model, q, 2, {0, -2, 0});
    turned = std::max(turned, std::acos(along[1] / along.norm()));
  }
  EXPECT_GT(turned, .5) << "the third one swings out";
  const Momenta end = momenta();
  EXPECT_LE((end.linear - start.linear).norm(), 1e-8 * start.linear.norm());
  EXPECT_LE((end.angular - start.angular).norm(), 1e-3 * start.angular.norm());
  EXPECT_NEAR(simulation.energies().total(), energy, 1e-2 * energy);
}

TEST(Joints, WhatCannotBeJoinedIsNamed) {
  json scene = jointed_scene(.01);
  scene["bodies"] = {jointed_brick("a", {0, 0, 0}), jointed_brick("b", {0, 1, 0})};
  const json good = {{"between", {"a", "b"}}, {"at", {0, 1, 0}}};
  scene["joints"] = {good};
  const auto message = [](const json& all) {
    return error_of([&] { build_model(read_scene(all, vocabulary(), "")); });
  };
  EXPECT_EQ(message(scene), "");
  scene["joints"] = {good, good};
  EXPECT_EQ(message(scene), "joints[1]: holds together what is together already");
  scene["joints"] = {{{"between", {"a", "c"}}, {"at", {0, 1, 0}}}};
  EXPECT_NE(message(scene).find("joints[0].between"), std::string::npos);
  scene["joints"] = {{{"between", {"a", "a"}}, {"at", {0, 1, 0}}}};
  EXPECT_NE(message(scene).find("names a body twice"), std::string::npos);
  scene["joints"] = {good};
  scene["bodies"][1].erase("rigid");
  EXPECT_EQ(message(scene), "joints[0].between: each body needs one rigid part, not 0");
}

}  // namespace
}  // namespace limber
