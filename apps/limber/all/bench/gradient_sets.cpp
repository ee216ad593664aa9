#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/beam.hpp"
#include "bench/measurement.hpp"
#include "limber/core/parallel.hpp"
#include "limber/scene/gradient/differentiable_run.hpp"
#include "limber/scene/json.hpp"

namespace limber::bench {
namespace {

constexpr int gradient_steps = 25;

Document gradient_beam(const Size& size, const std::string& method) {
  return document_of({{"time", {{"step", .01}, {"duration", .01 * gradient_steps}}},
                      {"method", {{"name", method}}},
                      {"bodies",
                       {{{"mesh", {{"shape", "box"}, {"size", {8, 1, 1}}, {"cells", size.cells}}},
                         {"material", {{"model", "stable_neo_hookean"}, {"young", 1e5}, {"poisson", .4}}},
                         {"pin", {"left", "right"}}}}}});
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

const std::vector<Parameters>& parameter_lists() {
  static const std::vector<Parameters> all{
      {"start", {"initial.velocities"}},
      {"5", {"bodies[0].material.young", "bodies[0].material.density", "gravity"}},
      {"elements", {"bodies[0].element.young"}},
  };
  return all;
}

std::string row_name(const Size& size, const std::string& method, const Parameters& parameters) {
  return fmt::format("gradient/{}/{}/{}", size.name, method, parameters.name);
}

std::vector<Row> measure_gradient(const Settings& s, const Size& size, const std::string& method, const Wanted& wanted,
                                  const Done& done) {
  set_threads(s.threads);
  const Document scene = gradient_beam(size, method);
  const auto plain = std::make_shared<DifferentiableRun>(scene, "", std::vector<std::string>{});
  std::vector<Entrant> entrants;
  for (const Parameters& parameters : parameter_lists()) {
    const std::string name = row_name(size, method, parameters);
    if (!wanted(name)) continue;
    const auto run = std::make_shared<DifferentiableRun>(scene, "", parameters.paths);
    double components = 0;
    for (const RunParameter& p : run->parameters()) components += static_cast<double>(p.values.size());
    entrants.push_back({{name, [run] { run_with_gradient(*run); }}, [components](double, double) {
                          return Counts{{"components", components}};
                        }});
  }
  return compare({{"run", [plain] { plain->run([](long, const State&) {}); }}}, entrants, s.rounds, clock_of(s.threads),
                 done);
}

}  // namespace

std::vector<Set> gradient_sets(const Settings& s) {
  std::vector<Set> sets;
  for (const Size& size : sizes_up_to(2, s.quick))
    for (const char* method : {"SI", "BE", "TR-BDF2"}) {
      Set set;
      for (const Parameters& parameters : parameter_lists()) set.rows.push_back(row_name(size, method, parameters));
      set.cost = size.cost * gradient_steps * 10 * s.rounds;
      set.measure = [=](const Wanted& w, const Done& d) { return measure_gradient(s, size, method, w, d); };
      sets.push_back(std::move(set));
    }
  return sets;
}

}  // namespace limber::bench
