#include <fmt/format.h>

#include "bench/beam.hpp"
#include "bench/measurement.hpp"
#include "limber/core/parallel.hpp"

namespace limber::bench {
namespace {

Counts solver_counts(const Runner& runner, double steps) {
  const SolverCounts linear = runner.linear();
  return {{"Newton", static_cast<double>(runner.newton()) / steps},
          {"factors", static_cast<double>(linear.factorizations) / steps},
          {"iterations", static_cast<double>(linear.iterations) / steps}};
}

std::vector<Row> measure_steps(const Settings& s, const Size& size, const Stiffness& stiffness, const Wanted& wanted,
                               const Done& done) {
  set_threads(s.threads);
  std::vector<Entrant> entrants;
  for (const std::string& method : s.methods) {
    const std::string name = fmt::format("step/{}/{}/{}", size.name, stiffness.name, method);
    if (!wanted(name)) continue;
    const auto runner = std::make_shared<Runner>(beam(size.cells, stiffness.young, method), steps_before);
    entrants.push_back(
        {stepping(name, runner, size.steps), [runner](double, double steps) { return solver_counts(*runner, steps); }});
  }
  StageMatrix stage(build_model(beam(size.cells, stiffness.young, "SI")), 0.01);
  return compare({{"factor+solve", [&] { stage.factor_and_solve(); }, size.cost < 0.01 ? 10 : 1},
                  {"product", [&] { stage.multiply(); }, size.cost < 0.1 ? 50 : 10}},
                 entrants, s.rounds, clock_of(s.threads), done);
}

Set step_set(const Settings& s, const Size& size, const Stiffness& stiffness) {
  Set set;
  for (const std::string& method : s.methods)
    set.rows.push_back(fmt::format("step/{}/{}/{}", size.name, stiffness.name, method));
  const double times = (stiffness.young > 1e6 ? 4 : 1) * (2 + size.steps * s.rounds);
  set.cost = size.cost * times * static_cast<double>(s.methods.size());
  set.measure = [=](const Wanted& w, const Done& d) { return measure_steps(s, size, stiffness, w, d); };
  return set;
}

/// The same motion in two simulations, one of which has all threads. Results do not depend on their number.
std::vector<Row> measure_threads(const Settings& s, const Size& size, const Stiffness& stiffness,
                                 const std::string& method, const Done& done) {
  const Scene scene = beam(size.cells, stiffness.young, method);
  set_threads(s.threads);
  const auto one = std::make_shared<Runner>(scene, steps_before), all = std::make_shared<Runner>(scene, steps_before);
  const auto with = [](const std::shared_ptr<Runner>& runner, int threads) {
    return [=] {
      set_threads(threads);
      runner->step();
    };
  };
  const std::string name = fmt::format("threads/{}/{}/{}", size.name, stiffness.name, method);
  const Entrant entrant{{name, with(all, s.threads), size.steps}, [s](double, double) {
                          return Counts{{"threads", static_cast<double>(s.threads)}};
                        }};
  auto rows = compare({{"one thread", with(one, 1), size.steps}}, {entrant}, s.rounds, Clock::wall, done);
  set_threads(s.threads);
  return rows;
}

}  // namespace

std::vector<Set> step_sets(const Settings& s) {
  std::vector<Set> sets;
  for (const Size& size : sizes_up_to(4, s.quick))
    for (const Stiffness& stiffness : stiffnesses) sets.push_back(step_set(s, size, stiffness));
  return sets;
}

std::vector<Set> thread_sets(const Settings& s) {
  std::vector<Set> sets;
  if (s.threads == 1) return sets;
  for (const Size& size : sizes_up_to(3, s.quick))
    for (const Stiffness& stiffness : stiffnesses)
      for (const char* method : {"SI", "BE"})
        sets.push_back({{fmt::format("threads/{}/{}/{}", size.name, stiffness.name, method)},
                        2 * size.cost * (stiffness.young > 1e6 ? 3 : 1) * (2 + size.steps * s.rounds),
                        [=](const Wanted&, const Done& d) { return measure_threads(s, size, stiffness, method, d); }});
  return sets;
}

}  // namespace limber::bench
