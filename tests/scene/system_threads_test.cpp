/// A whole system, asked by several threads at once: below System what is const is pure.

#include <gtest/gtest.h>

#include "limber/scene/construction/build.hpp"
#include "limber/scene/json.hpp"
#include "support/several_threads.hpp"

namespace limber::test {
namespace {

using nlohmann::json;

/// A viscous block that slides on a floor, and a damped one on it.
json blocks(const std::string& damping, const std::string& surface) {
  json scene = json::parse(R"({"time": {"step": 0.01, "duration": 1}, "method": "BE", "bodies": [
    {"mesh": {"shape": "box", "size": [0.3, 0.2, 0.3], "cells": [4, 3, 4]}, "position": [0, 0.0008, 0],
     "velocity": [0.5, 0, 0], "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3,
     "viscosity": [{"share": 0.4, "time": 0.02}]}},
    {"mesh": {"shape": "box", "size": [0.2, 0.2, 0.2], "cells": [3, 3, 3]}, "position": [0.06, 0.2015, 0.05],
     "material": {"young": 2e5, "poisson": 0.3}, "mass": "consistent"}],
    "contact": {"friction": 0.3, "delta": 0.001},
    "obstacles": [{"shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}]})");
  scene["bodies"][1]["damping"] = {{"stiffness", 0.01}, {"at", damping}};
  scene["contact"]["surface"] = surface;
  if (surface == "smooth") scene["bodies"][1]["position"][1] = .2235;  // smooth surfaces stand off beside edges
  return scene;
}

void expect_equal_answers(const json& blocks) {
  const Scene scene = read_scene(blocks, vocabulary(), "");
  const Model model = build_model(scene);
  Simulation simulation = build_simulation(scene, model);
  for (int k = 0; k < 3; ++k) simulation.step();
  const MechanicalSystem& system = *model.system;
  const State start = simulation.state();
  struct Question {
    State u;
    Vector way;
    Vector answer;
  };
  const auto ask = [&](const State& u, const Vector& way) {
    const Vector f = system.force(u);
    const Energies e = energies(system, u);
    Vector all(f.size() + 6);
    all << f, e.elastic, e.contact, damping_power(system, u), friction_power(system, u),
        system.max_step(u.q, way, u.t, u.t + .01), system.max_step(u.q, way, u.t, u.t);
    return all;
  };
  std::vector<Question> questions;
  for (int k = 0; k < 6; ++k) {
    State u = start;
    const Vector way = Vector::LinSpaced(u.q.size(), 1, 2 + k).array().sin();
    u.q += 1e-5 * k * way;
    u.v += .1 * k * way;
    u.t += 1e-3 * (k % 3);
    questions.push_back({u, .05 * way, {}});
    questions.back().answer = ask(u, questions.back().way);
    ASSERT_TRUE(questions.back().answer.allFinite());
  }
  EXPECT_GT(energies(system, start).contact, 0);
  EXPECT_NE(questions[0].answer, questions[1].answer);
  on_several_threads([&](int thread) {
    for (int i = 0; i < 18; ++i) {
      const Question& q = questions[static_cast<std::size_t>(5 * i + thread) % questions.size()];
      EXPECT_EQ(ask(q.u, q.way), q.answer) << "thread " << thread << ", question " << i;
    }
  });
}

TEST(SystemThreads, GetTheBitsOfOneAlone) {
  for (const char* damping : {"corotated", "current"}) expect_equal_answers(blocks(damping, "triangles"));
  expect_equal_answers(blocks("frozen", "smooth"));
}

}  // namespace
}  // namespace limber::test
