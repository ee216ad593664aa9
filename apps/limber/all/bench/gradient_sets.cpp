#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/beam.hpp"
#include "bench/measurement.hpp"
#include "limber/core/parallel.hpp"
#include "limber/scene/gradient/differentiable_run.hpp"
#include "limber/scene/json.hpp"

namespace limber::bench {
namespace {

/// A motion whose gradient is taken.
struct GradientCase {
  std::string name, method;
  int steps;
  double cost;  // of a step, roughly [s]
  std::function<nlohmann::json()> bodies_and_surroundings;

  Document scene() const {
    nlohmann::json json = bodies_and_surroundings();
    json["time"] = {{"step", .01}, {"duration", .01 * steps}};
    json["method"] = {{"name", method}};
    return document_of(std::move(json));
  }
};

nlohmann::json gradient_beam(const Size& size) {
  return {{"bodies",
           {{{"mesh", {{"shape", "box"}, {"size", {8, 1, 1}}, {"cells", size.cells}}},
             {"material", {{"model", "stable_neo_hookean"}, {"young", 1e5}, {"poisson", .4}}},
             {"pin", {"left", "right"}}}}}};
}

/// A block of 640 tetrahedra slides down a slope on a soft slab of 1000, with coupled friction.
nlohmann::json gradient_slope() {
  return nlohmann::json::parse(R"({
      "gravity": [4.3871, -8.7743, 0],
      "bodies": [{"name": "block", "mesh": {"shape": "box", "size": [0.4, 0.2, 0.2], "cells": [8, 4, 4]},
                  "position": [0.1, 0.1004, 0.1],
                  "material": {"model": "stable_neo_hookean", "young": 1e6, "poisson": 0.3, "density": 1000}},
                 {"name": "slab", "mesh": {"shape": "box", "size": [1, 0.1, 0.4], "cells": [10, 2, 10]},
                  "material": {"model": "stable_neo_hookean", "young": 1e6, "poisson": 0.3, "density": 1000},
                  "pin": ["bottom"]}],
      "contact": {"delta": 0.001, "stiffness": 1e6, "friction": 0.3}})");
}

/// Of the sum of all positions at the end.
void run_with_gradient(DifferentiableRun& run) {
  run.run([](long, const State&) {});
  const Index n = 3 * static_cast<Index>(run.model().system->nodes());
  run.gradient([&](long k) { return k == run.steps() ? FullAdjoint{Vector::Ones(n), {}} : FullAdjoint{}; });
}

struct Parameters {
  const char* name;
  std::vector<std::string> paths;
};

std::string row_name(const GradientCase& of, const Parameters& parameters) {
  return fmt::format("gradient/{}/{}/{}", of.name, of.method, parameters.name);
}

/// Backwards all steps but those of the last block are computed again; the rest of the ratio, beyond these and the run,
/// is the sweep.
Counts gradient_counts(const DifferentiableRun& run) {
  double components = 0;
  for (const RunParameter& p : run.parameters()) components += static_cast<double>(p.values.size());
  const GradientEffort effort = run.effort();
  const auto steps = static_cast<double>(run.steps());
  return {{"components", components},
          {"computed again", static_cast<double>(effort.computed_again) / steps},
          {"snapshots and steps kept", static_cast<double>(effort.kept)},
          {"2 sqrt N", 2 * std::sqrt(steps)}};
}

std::vector<Row> measure_gradient(const Settings& s, const GradientCase& of, const std::vector<Parameters>& lists,
                                  const Wanted& wanted, const Done& done) {
  set_threads(s.threads);
  const Document scene = of.scene();
  const auto plain = std::make_shared<DifferentiableRun>(scene, "", std::vector<std::string>{});
  std::vector<Entrant> entrants;
  for (const Parameters& parameters : lists) {
    const std::string name = row_name(of, parameters);
    if (!wanted(name)) continue;
    const auto run = std::make_shared<DifferentiableRun>(scene, "", parameters.paths);
    entrants.push_back(
        {{name, [run] { run_with_gradient(*run); }}, [run](double, double) { return gradient_counts(*run); }});
  }
  return compare({{"run", [plain] { plain->run([](long, const State&) {}); }}}, entrants, s.rounds, clock_of(s.threads),
                 done);
}

Set gradient_set(const Settings& s, const GradientCase& of, const std::vector<Parameters>& lists) {
  Set set;
  for (const Parameters& parameters : lists) set.rows.push_back(row_name(of, parameters));
  set.cost = of.cost * of.steps * 3 * static_cast<double>(lists.size() + 1) * s.rounds;
  set.measure = [=](const Wanted& w, const Done& d) { return measure_gradient(s, of, lists, w, d); };
  return set;
}

}  // namespace

std::vector<Set> gradient_sets(const Settings& s) {
  const Parameters start{"start", {"initial.velocities"}},
      five{"5", {"bodies[0].material.young", "bodies[0].material.density", "gravity"}},
      elements{"elements", {"bodies[0].element.young"}}, friction{"friction", {"contact.friction"}};
  std::vector<Set> sets;
  for (const Size& size : sizes_up_to(2, s.quick))
    for (const char* method : {"SI", "BE", "TR-BDF2"})
      sets.push_back(gradient_set(s, {size.name, method, 25, size.cost, [size] { return gradient_beam(size); }},
                                  {start, five, elements}));
  for (const char* method : {"SI", "BE", "TR-BDF2"})
    sets.push_back(gradient_set(s, {"contact", method, 25, .02, gradient_slope}, {start, friction, elements}));
  if (s.quick) return sets;
  const Size& large = sizes[3];  // 163840 elements, each with a modulus
  for (const char* method : {"SI", "BE"})
    sets.push_back(
        gradient_set(s, {large.name, method, 4, large.cost, [large] { return gradient_beam(large); }}, {elements}));
  return sets;
}

}  // namespace limber::bench
