#include <fmt/format.h>

#include <cmath>

#include "bench/beam.hpp"
#include "bench/measurement.hpp"
#include "limber/core/parallel.hpp"
#include "limber/scene/json.hpp"

namespace limber::bench {
namespace {

/// A block of 640 tetrahedra on a plane, downhill is +x: slope .5.
Scene slope(double friction) {
  Scene scene = read_scene(nlohmann::json::parse(R"({
      "time": {"step": 0.01, "duration": 0.5}, "gravity": [4.3871, -8.7743, 0], "method": {"name": "BE"},
      "bodies": [{"name": "block", "mesh": {"shape": "box", "size": [0.4, 0.2, 0.2], "cells": [8, 4, 4]},
                  "position": [0, 0.0004, 0], "damping": {"stiffness": 0.002},
                  "material": {"model": "stable_neo_hookean", "young": 1e6, "poisson": 0.3, "density": 1000}}],
      "contact": {"delta": 0.001},
      "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}]})"),
                           vocabulary(), ".");
  scene.contact->friction = friction;
  return scene;
}

/// Pairs of cubes that stand on the floor side by side, one cube on the other.
Scene pairs_of_cubes(int bodies) {
  const int pairs = bodies / 2, side = static_cast<int>(std::ceil(std::sqrt(pairs)));
  nlohmann::json json = nlohmann::json::parse(R"({
      "time": {"step": 0.01, "duration": 1}, "method": {"name": "BE"}, "bodies": [],
      "contact": {"delta": 0.001, "friction": 0.3},
      "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}]})");
  for (int i = 0; i < bodies; ++i) {
    const int column = i / 2 % side, row = i / 2 / side;
    json["bodies"].push_back(
        {{"name", "cube" + std::to_string(i)},
         {"mesh", {{"shape", "box"}, {"size", {.2, .2, .2}}, {"cells", {4, 4, 4}}}},
         {"position", {.4 * column + .02 * (i % 2), .005 + .22 * (i % 2), .4 * row}},
         {"material", {{"model", "neo_hookean"}, {"young", 1e5}, {"poisson", .4}, {"density", 1000}}}});
  }
  return read_scene(json, vocabulary(), ".");
}

/// The beam above a floor that it never comes near.
Scene above_floor(Scene scene) {
  scene.contact.emplace();
  ObstacleChoice floor;
  floor.where = "obstacles[0]";
  floor.name = "floor";
  floor.point = {0, -1000, 0};
  scene.obstacles.push_back(floor);
  return scene;
}

/// From the start of both.
std::vector<Row> measure_contact(const Settings& s, const std::string& name, const Scene& scene,
                                 const std::string& reference, const Scene& other, int steps, const Done& done) {
  set_threads(s.threads);
  const auto one = std::make_shared<Runner>(scene, 0), two = std::make_shared<Runner>(other, 0);
  const auto counts = [one, two](double, double n) {
    return Counts{{"Newton", static_cast<double>(one->newton()) / n},
                  {"of the reference", static_cast<double>(two->newton()) / n},
                  {"patterns", static_cast<double>(one->linear().analyses) / n}};
  };
  return compare({stepping(reference, two, steps)}, {{stepping(name, one, steps), counts}}, s.rounds,
                 clock_of(s.threads), done);
}

}  // namespace

std::vector<Set> friction_sets(const Settings& s) {
  return {{{"friction/slope"}, 0.3, [s](const Wanted&, const Done& d) {
             return measure_contact(s, "friction/slope", slope(.3), "frictionless", slope(0), 10, d);
           }}};
}

std::vector<Set> far_sets(const Settings& s) {
  std::vector<Set> sets;
  for (const Size& size : sizes_up_to(2, s.quick))
    for (const char* method : {"SI", "TR-BDF2", "SIERE"}) {
      const std::string name = fmt::format("far/{}/{}", size.name, method);
      sets.push_back({{name}, 4 * size.cost * size.steps * s.rounds, [=](const Wanted&, const Done& d) {
                        const Scene scene = beam(size.cells, stiffnesses[0].young, method);
                        return measure_contact(s, name, above_floor(scene), "without contact", scene, size.steps, d);
                      }});
    }
  return sets;
}

std::vector<Set> body_sets(const Settings& s) {
  const int bodies = s.quick ? 20 : 100;
  const std::string name = fmt::format("bodies/{}", bodies);
  return {{{name}, s.quick ? 2.0 : 40, [=](const Wanted&, const Done& d) {
             return measure_contact(s, name, pairs_of_cubes(bodies), "a tenth", pairs_of_cubes(bodies / 10),
                                    s.quick ? 4 : 8, d);
           }}};
}

}  // namespace limber::bench
