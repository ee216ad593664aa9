#include <fmt/format.h>

#include <cmath>

#include "bench/beam.hpp"
#include "bench/measurement.hpp"
#include "limber/core/parallel.hpp"
#include "limber/material/catalog.hpp"

namespace limber::bench {
namespace {

struct Displaced {
  Model model;
  State u;
  Tangent T;
};

/// A beam away from rest.
std::shared_ptr<Displaced> displaced(const std::array<int, 3>& cells, const std::string& material) {
  auto d = std::make_shared<Displaced>(Displaced{build_model(beam(cells, 1e5, "SI", material)), {}, {}});
  d->u = d->model.start;
  for (Index i = 0; i < d->u.q.size(); ++i) d->u.q[i] += 1e-2 * std::sin(1.7 * static_cast<double>(i));
  return d;
}

std::vector<Row> measure_elements(const Settings& s, const std::string& material, const Wanted& wanted,
                                  const Done& done) {
  set_threads(1);
  const auto d = displaced(sizes[s.quick ? 0 : 1].cells, material);
  auto& system = *d->model.system;
  StageMatrix stage(d->model, 0.01);
  const auto tets = static_cast<double>(d->model.bodies[0].rest.tets.size());
  const auto counts = [tets](double seconds, double) { return Counts{{"ns a tetrahedron", 1e9 * seconds / tets}}; };
  const int times = s.quick ? 20 : 10;
  std::vector<Entrant> entrants;
  const auto add = [&](const char* part, std::function<void()> run) {
    const std::string name = fmt::format("elements/{}/{}", material, part);
    if (wanted(name)) entrants.push_back({{name, std::move(run), times}, counts});
  };
  add("energy", [&] { system.potentials(d->u); });
  add("force", [&] { system.force(d->u); });
  add("force+tangent", [&] { system.linearize(d->u, Definiteness::exact, d->T); });
  for (const Entrant& e : entrants) e.contestant.run();  // memory that is touched for the first time is slow
  return compare({{"product", [&] { stage.multiply(); }, 5 * times}}, entrants, s.rounds, Clock::processor, done);
}

}  // namespace

std::vector<Set> element_sets(const Settings& s) {
  std::vector<Set> sets;
  for (const auto& m : material_catalog()) {
    const std::string base = fmt::format("elements/{}/", m.name), material = m.name;
    sets.push_back({{base + "energy", base + "force", base + "force+tangent"},
                    s.quick ? 0.2 : 1.5,
                    [s, material](const Wanted& w, const Done& d) { return measure_elements(s, material, w, d); }});
  }
  return sets;
}

}  // namespace limber::bench
