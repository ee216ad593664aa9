/// What a step costs, as ratios in one run. `limber_bench` measures element loops and the four usual methods;
/// modes_bench.cpp measures hybrids; `--all` measures every method of the catalog. Other options are Google
/// Benchmark's.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "beam.hpp"
#include "limber/core/parallel.hpp"
#include "limber/material/catalog.hpp"
#include "limber/time/stage_matrix.hpp"

namespace limber::bench {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

enum class Part { energy, force, linearize };

/// Energy, force, or force with tangent of one material, in ns a tetrahedron on one core.
void element_loop(benchmark::State& state, const std::string& material, Part part) {
  set_threads(1);
  const Model model = build_model(beam({64, 8, 8}, 1e5, "SI", material));
  auto& system = *model.system;
  State u = model.start;
  for (Index i = 0; i < u.q.size(); ++i) u.q[i] += 1e-2 * std::sin(1.7 * static_cast<double>(i));  // not at rest
  Tangent T;
  const auto start = Clock::now();
  for (auto _ : state) {
    if (part == Part::energy) benchmark::DoNotOptimize(system.potentials(u));
    if (part == Part::force) benchmark::DoNotOptimize(system.force(u));
    if (part == Part::linearize) benchmark::DoNotOptimize(system.linearize(u, Definiteness::exact, T));
  }
  const auto tets = static_cast<double>(model.bodies[0].rest.tets.size());
  state.counters["ns_per_tet"] = 1e9 * seconds_since(start) / (static_cast<double>(state.iterations()) * tets);
  set_threads(0);
}

/// One factorisation and solve of the stage matrix of an SI step by CHOLMOD, its analysis not counted [s].
double factor_and_solve(const Model& model, double h) {
  auto& system = *model.system;
  Tangent T;
  system.tangent(model.start, Definiteness::exact, T);
  SparseMatrix A;
  combine(system, T, h, h, A);
  const auto solver = make_linear_solver("cholmod", Symmetry::symmetric);
  const Vector b = system.force(model.start);
  Vector x;
  solver->set_matrix(A);
  solver->solve(b, x, 1e-10);
  std::vector<double> times;
  for (int i = 0; i < 3; ++i) {
    A.coeffRef(0, 0) *= 1 + 1e-9;  // another matrix: the factor cannot be kept
    const auto start = Clock::now();
    solver->set_matrix(A);
    solver->solve(b, x, 1e-10);
    times.push_back(seconds_since(start));
  }
  return *std::min_element(times.begin(), times.end());
}

void whole_step(benchmark::State& state, const std::string& method, const Size& size, const Stiffness& stiffness) {
  const Scene scene = beam(size.cells, stiffness.young, method);
  const Model model = build_model(scene);
  const double bare = factor_and_solve(model, scene.time.step);
  Simulation simulation = build_simulation(scene, model);
  for (int i = 0; i < 3; ++i) simulation.step();
  const auto before = simulation.linear_counts();
  const auto start = Clock::now();
  for (auto _ : state) simulation.step();
  const double step = seconds_since(start) / static_cast<double>(state.iterations());
  const auto after = simulation.linear_counts();
  const auto n = static_cast<double>(state.iterations());
  state.counters["factor_solve_ms"] = 1000 * bare;
  state.counters["ratio"] = step / bare;
  state.counters["factors_a_step"] = static_cast<double>(after.factorizations - before.factorizations) / n;
  state.counters["its_a_step"] = static_cast<double>(after.iterations - before.iterations) / n;
}

void add_element_loops() {
  for (const auto& m : material_catalog())
    for (const auto& [name, part] :
         {std::pair{"energy", Part::energy}, {"force", Part::force}, {"force+tangent", Part::linearize}})
      benchmark::RegisterBenchmark(fmt::format("elements/{}/{}", m.name, name).c_str(), element_loop, m.name, part)
          ->Unit(benchmark::kMillisecond);
}

void add_steps(const std::vector<std::string>& methods) {
  for (const auto& size : sizes)
    for (const auto& stiffness : stiffnesses)
      for (const auto& method : methods) {
        // Explicit methods are stable at this step on no stiff body.
        if (find_method(method).kind == MethodKind::explicit_) continue;
        benchmark::RegisterBenchmark(fmt::format("step/{}/{}/{}", method, size.name, stiffness.name).c_str(),
                                     whole_step, method, size, stiffness)
            ->Unit(benchmark::kMillisecond)
            ->Iterations(size.steps)
            ->UseRealTime();
      }
}

}  // namespace
}  // namespace limber::bench

int main(int argc, char** argv) {
  std::vector<char*> rest;
  bool all = false;
  for (int i = 0; i < argc; ++i)
    if (std::string(argv[i]) == "--all")
      all = true;
    else
      rest.push_back(argv[i]);
  int count = static_cast<int>(rest.size());
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 2;
  limber::bench::add_element_loops();
  limber::bench::add_steps(all ? limber::method_names() : std::vector<std::string>{"SI", "BE", "TR-BDF2", "SDIRK"});
  limber::bench::add_modes_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
