/// Section 1 of the survey: SI "has long been known to occasionally diverge wildly" where backward Euler does not.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/study/claims.hpp"
#include "limber/study/flung_bar.hpp"
#include "limber/study/studies.hpp"
#include "limber/study/unguarded.hpp"

namespace limber {

namespace {

constexpr double fling = 10, step = 0.01;  // [m/s], [s]

/// The largest kinetic and elastic energy, of that at the start; +∞ where it is not finite.
double largest(const Trial& trial) {
  double most = 0;
  for (const double e : trial.moving_energy()) most = std::max(most, std::isfinite(e) ? e : INFINITY);
  return most / trial.moving_energy().front();
}

std::string times(double ratio) { return ratio < 100 ? fmt::format("{:.2f}", ratio) : fmt::format("{:.1e}", ratio); }

long most_iterations(const Trial& trial) {
  long most = 0;
  for (const auto& s : trial.steps) most = std::max(most, s.newton_iterations);
  return most;
}

/// The time from which on the energy is beyond `wild`; −1: never.
double went_wild(const Trial& trial) {
  const std::vector<double> e = trial.moving_energy();
  for (std::size_t i = 0; i < e.size(); ++i)
    if (!(e[i] < wild * e[0])) return trial.steps[i].time;
  return -1;
}

std::string outcome(const Trial& trial) {
  const double since = went_wild(trial);
  std::string text = since < 0 ? "stays bounded" : fmt::format("diverges at {:.2f} s", since);
  if (trial.stopped) text += fmt::format(" and stops at {:.2f} s", trial.steps.back().time);
  return text;
}

struct Sweep {
  double speed;                   // [m/s]
  std::vector<double> si, be;     // largest energy, of that at the start, for each step
  std::vector<bool> si_diverges;  // for each step
  long count() const { return std::count(si_diverges.begin(), si_diverges.end(), true); }
};

}  // namespace

StudyResult study_si_diverges(const StudyContext& context) {
  const double duration = context.quick() ? 1 : 2;  // [s]
  StudyResult result;
  Figure energy{"energy",     fmt::format("A soft bar flung at {} m/s, h = {} s", fling, step),
                {"time [s]"}, {"kinetic + elastic energy [J]", Scale::logarithmic, 100.0, 1e8},
                {},           Legend::below};
  StudyTable table{
      "methods",
      fmt::format("The same bar, flung at {} m/s, h = {} s, by each method alone and under the driver", fling, step),
      {"method", "alone: largest energy over that at the start", "alone", "driver: steps by full Newton",
       "driver: halved steps", "driver: largest energy over that at the start"},
      {}};
  const std::vector<std::string> methods = {"SI", "BE", "SIERE", "SBDF2", "STR-SBDF2", "TR-BDF2"};
  const std::vector<double> lengths =
      context.quick() ? std::vector<double>{0.005, 0.01, 0.02, 0.04, 0.08}
                      : std::vector<double>{0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.08};
  const std::vector<double> speeds = {4, 6, 8, 10};
  const double runs = 2.0 * static_cast<double>(methods.size() + speeds.size() * lengths.size());
  double done = 0;
  const auto tell = [&](const std::string& what) {
    return [&context, &done, runs, what](double part) { context.tell((done + part) / runs, what); };
  };
  std::vector<Trial> alone, driven;
  for (const std::string& name : methods) {
    const auto scene = under_method(flung_bar(fling, step, duration), name);
    alone.push_back(simulate_unguarded(scene, tell(name)));
    ++done;
    const auto report = tell(name + " with the driver");
    driven.push_back(simulate(scene, [&](const Simulation&, double part) { report(part); }));
    ++done;
    const Trial &a = alone.back(), &d = driven.back();
    energy.curves.push_back(
        {name, a.times(), a.moving_energy(), name == "SI" ? Stroke::line_and_points : Stroke::line});
    table.rows.push_back({name, times(largest(a)), outcome(a), fmt::format("{}", d.escalated),
                          fmt::format("{}", d.halved), times(largest(d)) + (d.stopped ? " (stopped)" : "")});
  }
  energy.curves.push_back({"SI with the driver", driven[0].times(), driven[0].moving_energy(), Stroke::dashes});

  Figure map{"steps",
             "The largest energy of SI against the step",
             {"step h [s]", Scale::linear, 0.0},
             {"largest kinetic + elastic energy / that at the start", Scale::logarithmic},
             {},
             Legend::top_right};
  StudyTable sweeps{"sweep", "Largest energy over that at the start: SI / BE", {"speed [m/s]"}, {}};
  for (const double h : lengths) sweeps.columns.push_back(fmt::format("h = {} s", h));
  std::vector<Sweep> found;
  for (const double speed : speeds) {
    Sweep sweep{speed, {}, {}, {}};
    std::vector<std::string> row{fmt::format("{}", speed)};
    for (const double h : lengths) {
      const std::string what = fmt::format("{} m/s, h = {} s", speed, h);
      const Trial si = simulate_unguarded(under_method(flung_bar(speed, h, 2), "SI"), tell(what));
      ++done;
      const Trial be = simulate_unguarded(under_method(flung_bar(speed, h, 2), "BE"), tell(what));
      ++done;
      sweep.si.push_back(largest(si));
      sweep.be.push_back(largest(be));
      sweep.si_diverges.push_back(si.diverged());
      row.push_back(times(sweep.si.back()) + " / " + times(sweep.be.back()));
    }
    map.curves.push_back({fmt::format("SI, {} m/s", speed), lengths, sweep.si, Stroke::line_and_points});
    sweeps.rows.push_back(row);
    found.push_back(sweep);
  }
  map.curves.push_back({fmt::format("BE, {} m/s", fling), lengths, found.back().be, Stroke::dashes});

  const Trial &si = alone[0], &be = alone[1], &rescued = driven[0];
  bool be_bounded = true, monotone = true;
  for (const Sweep& s : found)
    for (const double e : s.be) be_bounded = be_bounded && e < wild;
  std::string list;
  for (const Sweep& s : found) {
    monotone = monotone && std::is_sorted(s.si_diverges.begin(), s.si_diverges.end());
    std::vector<std::string> at;
    for (std::size_t i = 0; i < lengths.size(); ++i)
      if (s.si_diverges[i]) at.push_back(fmt::format("{}", lengths[i]));
    list += fmt::format("{}{} m/s: {}", list.empty() ? "" : "; ", s.speed, at.empty() ? "none" : join(at) + " s");
  }
  result.text = fmt::format(
      "A bar of soft rubber (1 × .2 × .2 m, E = 100 kPa, ν = .4, stable neo-Hookean, 200 tetrahedra) is held at its "
      "left end while the rest is flung upwards; it bends over, whips back and swings under its weight. Nothing "
      "damps but the methods, and nothing but the methods is there: no step is tried again. At {} m/s and h = {} s "
      "backward Euler is calm throughout (at most {} times the energy at the start), and needs up to {} Newton "
      "iterations a step. SI, which is the first of them, {}; its energy comes to {} times that at the start.\n\n"
      "{}: it diverges, of the steps tried, at these, by the speed of the fling: {}. Backward Euler {} bounded at "
      "all of them. Where SI has run away it may come back, since it damps: a bounded end is no proof of a good "
      "run.\n\n"
      "The driver of Limber looks at the energy after each step of SI, and takes a step that gained too much again "
      "with the full Newton: here {} of {} steps, and the largest energy is {} times that at the start.",
      fling, step, times(largest(be)), most_iterations(be), outcome(si), times(largest(si)),
      monotone ? "Large steps are too large for SI" : "SI is not simply unstable from some step on", list,
      be_bounded ? "stays" : "does not stay", rescued.escalated, rescued.steps.size() - 1, times(largest(rescued)));
  result.claims = {judged("SI occasionally diverges wildly where BE still yields acceptable results (sec. 1).",
                          si.diverged() && largest(si) > 1000 && !be.diverged(),
                          fmt::format("At h = {} s SI reaches {} times the energy at the start, BE at most {} times.",
                                      step, times(largest(si)), times(largest(be))),
                          "this bar at this step is no such case."),
                   judged("It may exhibit divergence for large steps when BE is not approximated well (sec. SIERE).",
                          found.back().si_diverges.back() && !found.back().si_diverges.front(),
                          fmt::format("SI diverges at these steps, by the speed of the fling: {}.", list),
                          "at this speed the size of the step does not decide."),
                   judged("SI allows for stable simulations even when large time steps are used (sec. 1).",
                          found.front().count() == 0,
                          fmt::format("At {} m/s {} of {} steps up to {} s diverge.", speeds.front(),
                                      found.front().count(), lengths.size(), lengths.back()),
                          "already the slowest fling is too fast for some of the steps.")};
  result.figures = {energy, map};
  result.tables = {table, sweeps};
  return result;
}

}  // namespace limber
