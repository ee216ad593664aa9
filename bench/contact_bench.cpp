/// What a step of backward Euler with contact costs: scenes of scenes/, on one core, with and without friction, and the
/// Newton iterations that it takes; and how the cost grows with the number of bodies.

#include <benchmark/benchmark.h>

#include <cmath>

#include "limber/core/parallel.hpp"
#include "limber/scene/build/build.hpp"
#include "limber/scene/json.hpp"

namespace limber::bench {
namespace {

/// A block of 640 tetrahedra on a plane, downhill is +x: slope .5.
Scene slope() {
  return read_scene(nlohmann::json::parse(R"({
      "time": {"step": 0.01, "duration": 0.5}, "gravity": [4.3871, -8.7743, 0],
      "bodies": [{"name": "block", "mesh": {"shape": "box", "size": [0.4, 0.2, 0.2], "cells": [8, 4, 4]},
                  "position": [0, 0.0004, 0], "damping": {"stiffness": 0.002},
                  "material": {"model": "stable_neo_hookean", "young": 1e6, "poisson": 0.3, "density": 1000}}],
      "contact": {"delta": 0.001},
      "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}]})"),
                    vocabulary(), ".");
}

void contact_step(benchmark::State& state, const std::string& name, double friction) {
  set_threads(1);
  Scene scene = name == "slope" ? slope() : load_scene(std::string(LIMBER_SCENES) + "/" + name + ".json");
  scene.method.name = "BE";
  scene.contact->friction = friction;
  const Model model = build_model(scene);
  Simulation simulation = build_simulation(scene, model);
  long newton = 0;
  for (auto _ : state) newton += simulation.step().newton_iterations;
  state.counters["newton"] = static_cast<double>(newton) / static_cast<double>(state.iterations());
}

/// Pairs of cubes that stand on the floor side by side, one cube on the other.
void stacks_step(benchmark::State& state) {
  set_threads(1);
  const int stacks = static_cast<int>(state.range(0)) / 2, side = static_cast<int>(std::ceil(std::sqrt(stacks)));
  nlohmann::json json = nlohmann::json::parse(R"({
      "time": {"step": 0.01, "duration": 1}, "method": {"name": "BE"}, "bodies": [],
      "contact": {"delta": 0.001, "friction": 0.3},
      "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}]})");
  for (int i = 0; i < 2 * stacks; ++i)
    json["bodies"].push_back(
        {{"name", "cube" + std::to_string(i)},
         {"mesh", {{"shape", "box"}, {"size", {.2, .2, .2}}, {"cells", {4, 4, 4}}}},
         {"position", {.4 * (i / 2 % side) + .02 * (i % 2), .005 + .22 * (i % 2), .4 * (i / 2 / side)}},
         {"material", {{"model", "neo_hookean"}, {"young", 1e5}, {"poisson", .4}, {"density", 1000}}}});
  const Scene scene = read_scene(json, vocabulary(), ".");
  const Model model = build_model(scene);
  Simulation simulation = build_simulation(scene, model);
  for (auto _ : state) simulation.step();
}
BENCHMARK(stacks_step)->Name("contact_bodies")->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond)->Iterations(40);

struct Case {
  const char* name;
  double friction;
  int steps;
};

const int registered = [] {
  for (const Case& c : {Case{"stack", 0, 150},
                        {"stack", .5, 150},
                        {"slope", 0, 50},
                        {"slope", .3, 50},
                        {"twisted_mat", 0, 50},
                        {"gripper", 0, 100},
                        {"gripper", .8, 100},
                        {"drop_pile", .3, 60}})
    benchmark::RegisterBenchmark(
        (std::string("contact_step/") + c.name + (c.friction > 0 ? "/friction" : "/frictionless")).c_str(),
        contact_step, c.name, c.friction)
        ->Unit(benchmark::kMillisecond)
        ->Iterations(c.steps)
        ->UseRealTime();
  return 0;
}();

}  // namespace
}  // namespace limber::bench
