/// Simulations share nothing that changes: each has a model of its own, and another one may follow on the same model.

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "limber/scene/construction/build.hpp"

namespace limber {
namespace {

constexpr int steps = 20;

/// Contact, friction, damping and nodes that are released: all that a system learns or changes during a motion.
Scene tumbling() {
  return read_scene(Document::parse(R"({
    "time": {"step": 0.01, "duration": 0.2},
    "bodies": [{"name": "cube", "mesh": {"shape": "box", "size": [0.5, 0.5, 0.5], "cells": [2, 2, 2]},
                "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.4, "density": 1000},
                "damping": {"stiffness": 0.002, "at": "frozen"},
                "pin": {"nodes": [0], "until": 0.03},
                "position": [0, 0.27, 0], "rotation": [0.1, 0.3, 0], "velocity": [1, -1, 0]}],
    "contact": {"friction": 0.5},
    "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}]})",
                                    "tumbling"),
                    vocabulary(), "");
}

std::vector<Vector> motion(const Scene& scene, const Model& model) {
  Simulation simulation = build_simulation(scene, model);
  std::vector<Vector> states;
  for (int k = 0; k < steps; ++k) {
    simulation.step();
    states.push_back(simulation.state().q);
  }
  EXPECT_GT(simulation.friction_loss(), 0);
  return states;
}

TEST(TwoSimulations, OfTwoModelsStepAtTheSameTime) {
  const Scene scene = tumbling();
  const std::vector<Vector> alone = motion(scene, build_model(scene));
  const Model a = build_model(scene), b = build_model(scene);
  std::vector<Vector> of_a, of_b;
  std::thread other([&] { of_a = motion(scene, a); });
  of_b = motion(scene, b);
  other.join();
  EXPECT_EQ(of_a, alone);
  EXPECT_EQ(of_b, alone);
}

TEST(TwoSimulations, OfOneModelComeOneAfterTheOther) {
  const Scene scene = tumbling();
  const Model model = build_model(scene);
  const std::vector<Vector> first = motion(scene, model);
  EXPECT_EQ(motion(scene, model), first);
  const Simulation lives = build_simulation(scene, model);
  EXPECT_THROW(build_simulation(scene, model), std::logic_error);
}

}  // namespace
}  // namespace limber
