#include "bench/measurement.hpp"

namespace limber::bench {

const std::vector<Group>& groups() {
  static const std::vector<Group> all{
      {"elements", "Element loops on one thread, over a product of the stiffness matrix with a vector", element_sets},
      {"step", "One step of a beam, over a factorisation and solve of its stage matrix and over a product with it",
       step_sets},
      {"threads", "One step with all threads, over the same with one", thread_sets},
      {"siere", "One step of SIERE with 10 modes, kept or computed in each step, over one of SI", siere_sets},
      {"modes", "The 20 lowest modes from scratch, over a factorisation of the stiffness matrix", mode_sets},
      {"stiffness", "One step against Young's modulus, over one of SI", stiffness_sets},
      {"friction", "One step of a block that slides on a slope with friction, over one without", friction_sets},
      {"far", "One step of a beam a kilometre above a floor, over one without contact", far_sets},
      {"bodies", "One step of pairs of cubes, one on the other, over one of a tenth of them", body_sets},
      {"gradient", "A run of 25 steps with a gradient, over the run alone", gradient_sets},
  };
  return all;
}

std::vector<Row> compare(const std::vector<Contestant>& references, const std::vector<Entrant>& entrants, int rounds,
                         Clock clock, const Done& done) {
  std::vector<Contestant> all = references;
  for (const Entrant& e : entrants) all.push_back(e.contestant);
  const Times times = take_turns(all, rounds, clock, done);
  std::vector<Row> rows;
  for (std::size_t k = 0; k < entrants.size(); ++k) {
    const Contestant& c = entrants[k].contestant;
    const auto& mine = times[references.size() + k];
    Row row{c.name, median(mine), {}, {}};
    for (std::size_t j = 0; j < references.size(); ++j)
      row.over.push_back({references[j].name, median(times[j]), ratio(mine, times[j])});
    if (entrants[k].counts) row.counts = entrants[k].counts(row.seconds, static_cast<double>(rounds) * c.times);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace limber::bench
