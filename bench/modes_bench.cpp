/// What modes cost: hybrid against semi-implicit steps, exponential steps against stiffness, the eigen-solve against
/// one factorisation. Ratios of times taken in turn in one run.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "beam.hpp"
#include "limber/linalg/modes/modes.hpp"
#include "limber/linalg/solvers/factor.hpp"

namespace limber::bench {
namespace {

using Clock = std::chrono::steady_clock;

template <class Work>
double seconds_of(const Work& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Simulation simulation_of(const Model& model, Scene scene, const std::string& method, const Refresh& refresh) {
  scene.method.name = method;
  scene.method.modes = 10;
  scene.method.refresh = refresh;
  return build_simulation(scene, model);
}

/// A SIERE step over an SI step, taken in turn on two copies of one body.
void siere_step(benchmark::State& state, const Size& size, const Stiffness& stiffness, const Refresh& refresh,
                const std::string& solver) {
  Scene scene = beam(size.cells, stiffness.young, "SI");
  scene.method.solver = solver;
  const Model one = build_model(scene), other = build_model(scene);
  Simulation plain = simulation_of(one, scene, "SI", refresh), split = simulation_of(other, scene, "SIERE", refresh);
  for (int i = 0; i < 3; ++i) plain.step(), split.step();
  const auto before = split.modes()->counts();
  const long refreshes = split.modes()->refreshes();
  double si = 0, siere = 0;
  for (auto _ : state) {
    si += seconds_of([&] { plain.step(); });
    siere += seconds_of([&] { split.step(); });
  }
  const auto after = split.modes()->counts();
  const auto n = static_cast<double>(state.iterations());
  state.counters["si_ms"] = 1000 * si / n;
  state.counters["siere_ms"] = 1000 * siere / n;
  state.counters["ratio"] = siere / si;
  state.counters["refreshes"] = static_cast<double>(split.modes()->refreshes() - refreshes) / n;
  state.counters["mode_its"] = static_cast<double>(after.iterations - before.iterations) / n;
}

struct StiffnessCase {
  const char *name, *method, *solver;
  Refresh refresh;
  int steps;
};

/// Seconds of a step against Young's modulus, on 50k tetrahedra (fig. ere_cost).
void stiffness_cost(benchmark::State& state, const StiffnessCase& c, double young) {
  Scene scene = beam({80, 11, 11}, young, c.method);
  scene.method.solver = c.solver;
  const Model model = build_model(scene);
  Simulation simulation = simulation_of(model, scene, c.method, c.refresh);
  for (int i = 0; i < 2; ++i) simulation.step();
  const auto before = simulation.exponential_counts();
  for (auto _ : state) simulation.step();
  const auto after = simulation.exponential_counts();
  state.counters["products"] =
      static_cast<double>(after.products - before.products) / static_cast<double>(state.iterations());
}

/// The s lowest modes from scratch, over one numerical factorisation of K.
void modes_from_scratch(benchmark::State& state, const Size& size, int s) {
  const Model model = build_model(beam(size.cells, 1e5, "SI"));
  auto& system = *model.system;
  Tangent T;
  system.tangent(model.start, Definiteness::exact, T);
  const auto factor = make_best_factor(T.K, Symmetry::symmetric);
  double analysis = seconds_of([&] { factor->analyze(T.K); }), factorization = 1e300;
  for (int i = 0; i < 2; ++i) factorization = std::min(factorization, seconds_of([&] { factor->factorize(T.K); }));
  double modes = 0;
  for (auto _ : state) modes += seconds_of([&] { lowest_modes(T.K, system.mass(), s); });
  modes /= static_cast<double>(state.iterations());
  state.counters["analysis_ms"] = 1000 * analysis;
  state.counters["factor_ms"] = 1000 * factorization;
  state.counters["modes_ms"] = 1000 * modes;
  state.counters["ratio"] = modes / factorization;
}

}  // namespace

void add_modes_benchmarks() {
  for (const char* solver : {"auto", "cholmod"})
    for (const auto& size : sizes)
      for (const auto& stiffness : stiffnesses)
        for (const auto& [name, refresh] :
             {std::pair{"kept", Refresh{Refresh::Rule::once}}, {"every_step", Refresh{Refresh::Rule::every}}})
          benchmark::RegisterBenchmark(
              fmt::format("siere_{}/{}/{}/{}", solver, size.name, stiffness.name, name).c_str(), siere_step, size,
              stiffness, refresh, solver)
              ->Unit(benchmark::kMillisecond)
              ->Iterations(size.steps)
              ->UseRealTime();
  // With a direct solver, as in the survey's figure, and with the default one, which is quicker where a body is soft.
  const StiffnessCase cases[] = {{"ERE", "ERE", "auto", {}, 4},
                                 {"SIERE_direct", "SIERE", "cholmod", {Refresh::Rule::once}, 6},
                                 {"SIERE", "SIERE", "auto", {}, 10},
                                 {"SI_direct", "SI", "cholmod", {}, 6},
                                 {"SI", "SI", "auto", {}, 10}};
  for (const auto& c : cases)
    for (int exponent = 4; exponent <= 9; ++exponent)
      benchmark::RegisterBenchmark(fmt::format("stiffness/{}/E=1e{}", c.name, exponent).c_str(), stiffness_cost, c,
                                   std::pow(10, exponent))
          ->Unit(benchmark::kMillisecond)
          ->Iterations(c.steps)
          ->UseRealTime();
  for (const auto& size : {sizes[1], sizes[2], Size{"100k", {110, 14, 13}, 1}})
    benchmark::RegisterBenchmark(fmt::format("modes/20/{}", size.name).c_str(), modes_from_scratch, size, 20)
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1)
        ->UseRealTime();
}

}  // namespace limber::bench
