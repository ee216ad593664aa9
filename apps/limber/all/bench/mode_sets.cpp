#include <fmt/format.h>

#include <cmath>

#include "bench/beam.hpp"
#include "bench/measurement.hpp"
#include "limber/core/parallel.hpp"
#include "limber/linalg/modes/modes.hpp"

namespace limber::bench {
namespace {

Scene with_method(Scene scene, const std::string& method, const std::string& solver, const Refresh& refresh) {
  scene.method.name = method;
  scene.method.solver = solver;
  scene.method.modes = 10;
  scene.method.refresh = refresh;
  return scene;
}

/// What the modes of a hybrid took since the first steps.
std::function<Counts(double, double)> mode_counts(const std::shared_ptr<Runner>& runner) {
  const auto iterations = runner->simulation().modes()->counts().iterations;
  const auto refreshes = runner->simulation().modes()->refreshes();
  return [=](double, double steps) {
    const auto& modes = *runner->simulation().modes();
    return Counts{{"refreshes", static_cast<double>(modes.refreshes() - refreshes) / steps},
                  {"iterations for modes", static_cast<double>(modes.counts().iterations - iterations) / steps}};
  };
}

std::vector<Row> measure_siere(const Settings& s, const Size& size, const Stiffness& stiffness,
                               const std::string& solver, const Wanted& wanted, const Done& done) {
  set_threads(s.threads);
  const Scene scene = beam(size.cells, stiffness.young, "SI");
  const std::string solver_name = solver == "auto" ? solver : direct_solver();
  std::vector<Entrant> entrants;
  for (const auto& [rule, refresh] :
       {std::pair{"kept", Refresh{Refresh::Rule::once}}, {"each_step", Refresh{Refresh::Rule::every}}}) {
    const std::string name = fmt::format("siere/{}/{}/{}/{}", solver, size.name, stiffness.name, rule);
    if (!wanted(name)) continue;
    const auto runner = std::make_shared<Runner>(with_method(scene, "SIERE", solver_name, refresh), steps_before);
    entrants.push_back({stepping(name, runner, size.steps), mode_counts(runner)});
  }
  const auto si = std::make_shared<Runner>(with_method(scene, "SI", solver_name, {}), steps_before);
  return compare({stepping("SI", si, size.steps)}, entrants, s.rounds, clock_of(s.threads), done);
}

std::vector<Row> measure_modes(const Settings& s, const Size& size, const Done& done) {
  constexpr int count = 20;
  set_threads(s.threads);
  const Model model = build_model(beam(size.cells, 1e5, "SI"));
  Tangent T;
  model.system->tangent(model.start, Definiteness::exact, T);
  const auto factor = make_best_factor(T.K, Symmetry::symmetric);
  factor->analyze(T.K);
  const Contestant factorisation{"factorisation", [&] { factor->factorize(T.K); }, 2};
  const Entrant modes{{fmt::format("modes/{}", size.name), [&] { lowest_modes(T.K, model.system->mass(), count); }}};
  return compare({factorisation}, {modes}, s.rounds, clock_of(s.threads), done);
}

struct StiffnessCase {
  const char *name, *method;
  bool direct;
  Refresh refresh;
};
const StiffnessCase stiffness_cases[] = {{"ERE", "ERE", false, {}},
                                         {"SIERE", "SIERE", false, {}},
                                         {"SIERE_direct", "SIERE", true, {Refresh::Rule::once}},
                                         {"SI_direct", "SI", true, {}}};

std::vector<Row> measure_stiffness(const Settings& s, int exponent, const Wanted& wanted, const Done& done) {
  set_threads(s.threads);
  const auto cells = s.quick ? sizes[0].cells : std::array{80, 11, 11};
  const int steps = s.quick ? 5 : 2;
  const Scene scene = beam(cells, std::pow(10, exponent), "SI");
  std::vector<Entrant> entrants;
  for (const StiffnessCase& c : stiffness_cases) {
    const std::string name = fmt::format("stiffness/E=1e{}/{}", exponent, c.name);
    if (!wanted(name)) continue;
    const auto runner = std::make_shared<Runner>(
        with_method(scene, c.method, c.direct ? direct_solver() : "auto", c.refresh), steps_before);
    const long before = runner->simulation().exponential_counts().products;
    entrants.push_back({stepping(name, runner, steps), [runner, before](double, double n) {
                          const long products = runner->simulation().exponential_counts().products - before;
                          return Counts{{"products of exponentials", static_cast<double>(products) / n}};
                        }});
  }
  const auto si = std::make_shared<Runner>(scene, steps_before);
  return compare({stepping("SI", si, steps)}, entrants, s.rounds, clock_of(s.threads), done);
}

}  // namespace

std::vector<Set> siere_sets(const Settings& s) {
  std::vector<Set> sets;
  for (const char* solver : {"auto", "direct"})
    for (const Size& size : sizes_up_to(solver == std::string("auto") ? 4 : 3, s.quick))
      for (const Stiffness& stiffness : stiffnesses) {
        const std::string base = fmt::format("siere/{}/{}/{}/", solver, size.name, stiffness.name);
        sets.push_back(
            {{base + "kept", base + "each_step"},
             size.cost * 10 * (2 + size.steps * s.rounds),
             [=](const Wanted& w, const Done& d) { return measure_siere(s, size, stiffness, solver, w, d); }});
      }
  return sets;
}

std::vector<Set> mode_sets(const Settings& s) {
  std::vector<Set> sets;
  for (const Size& size : sizes_up_to(3, s.quick))
    sets.push_back({{fmt::format("modes/{}", size.name)}, size.cost * 10 * s.rounds, [=](const Wanted&, const Done& d) {
                      return measure_modes(s, size, d);
                    }});
  return sets;
}

std::vector<Set> stiffness_sets(const Settings& s) {
  std::vector<Set> sets;
  for (const int exponent : s.quick ? std::vector{5, 8} : std::vector{4, 5, 6, 7, 8, 9}) {
    Set set;
    for (const StiffnessCase& c : stiffness_cases)
      set.rows.push_back(fmt::format("stiffness/E=1e{}/{}", exponent, c.name));
    set.cost = (s.quick ? 0.05 : 2) * s.rounds;
    set.measure = [=](const Wanted& w, const Done& d) { return measure_stiffness(s, exponent, w, d); };
    sets.push_back(set);
  }
  return sets;
}

}  // namespace limber::bench
