#include "limber/study/validation/impact_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/study/claims.hpp"
#include "limber/study/validation/impacts.hpp"

namespace limber {

namespace {

constexpr double allowed_deviation = 0.01;  // relative, as in the tables of the other cases
constexpr const char* standard_method = "TR-BDF2";
constexpr int bar_elements = 50, rod_elements = 100, few_elements = 25;  // the last of a quick study
constexpr double implicit_courant = 1.5, explicit_courant = 0.9;

/// Explicit methods are stable where a wave takes longer than a step through an element.
double courant_number(const MethodInfo& method) {
  return method.kind == MethodKind::explicit_ ? explicit_courant : implicit_courant;
}

struct ImpactRun {
  const MethodInfo* method;
  ImpactMotion motion;
};

/// A problem by every method, with the numbers of periods after which it is looked at.
struct ImpactComparison {
  const ImpactProblem* problem;
  int elements;
  std::vector<int> after;
  std::vector<ImpactRun> runs;
};

struct BesideExact {
  std::string cell;
  bool within;
};

/// A number of Limber's beside the exact one.
BesideExact beside_exact(double value, double exact) {
  const double off = value / exact - 1;
  if (!std::isfinite(value)) return {"–", false};
  return {fmt::format("{:.4g} ({:+.3g} %)", value, 100 * off), std::abs(off) <= allowed_deviation};
}

/// Of the time of the n-th contact of the released rod, (n − 1) P + 1 to (n − 1) P + 2: the mean pressure [Pa].
double mean_pressure(const ImpactMotion& m, double from, double to) {
  constexpr int parts = 1000;
  double sum = 0;
  for (int i = 0; i < parts; ++i) sum += m.at(m.pressure, from + (to - from) * (i + 0.5) / parts);
  return sum / parts;
}

/// What is compared of a motion, in the order of the columns.
std::vector<BesideExact> compared_numbers(const ImpactComparison& c, const ImpactMotion& motion) {
  const ImpactProblem& p = *c.problem;
  std::vector<BesideExact> numbers;
  for (const int n : c.after)
    numbers.push_back(beside_exact(motion.at(motion.place, n * p.period), p.place(n * p.period)));
  for (const int n : c.after) numbers.push_back(beside_exact(motion.at(motion.energy, n * p.period), 1));
  if (p.scale == 0)
    for (const int n : c.after) {
      const double start = (n - 1) * p.period;
      numbers.push_back(beside_exact(mean_pressure(motion, start + 1, start + 2), p.pressure(start + 1.5)));
    }
  return numbers;
}

std::vector<std::string> impact_columns(const ImpactComparison& c) {
  const bool rod = c.problem->scale == 0;
  std::vector<std::string> columns, whats = {rod ? "end [m]" : "height [m]", "energy"};
  if (rod) whats.emplace_back("pressure [Pa]");
  for (const std::string& what : whats)
    for (const int n : c.after) columns.push_back(fmt::format("{}, {} P", what, n));
  return columns;
}

/// The exact numbers stand in the first row.
StudyTable impact_table(const ImpactComparison& c, const std::string& name, const std::string& title) {
  StudyTable table{name, title, impact_columns(c), {}};
  table.columns.insert(table.columns.begin(), "method");
  table.columns.push_back("within 1 %");
  const ImpactProblem& p = *c.problem;
  std::vector<std::string> exact = {"exact"};
  for (const int n : c.after) exact.push_back(fmt::format("{:.4g}", p.place(n * p.period)));
  exact.insert(exact.end(), c.after.size(), "1");
  if (p.scale == 0) exact.insert(exact.end(), c.after.size(), fmt::format("{:.4g}", p.pressure(1.5)));
  exact.emplace_back("");
  table.rows.push_back(std::move(exact));
  for (const ImpactRun& f : c.runs) {
    std::vector<std::string> row = {f.method->name};
    std::size_t good = 0;
    const std::vector<BesideExact> numbers = compared_numbers(c, f.motion);
    for (const BesideExact& number : numbers) {
      row.push_back(number.cell);
      good += number.within;
    }
    row.push_back(fmt::format("{} of {}", good, numbers.size()));
    table.rows.push_back(std::move(row));
  }
  return table;
}

ImpactComparison by_every_method(const ImpactProblem& problem, int elements, std::vector<int> after,
                                 const StudyContext& context, double from, double to) {
  ImpactComparison c{&problem, elements, std::move(after), {}};
  const std::vector<const MethodInfo*> methods = contact_methods();
  for (std::size_t k = 0; k < methods.size(); ++k) {
    context.tell(from + (to - from) * static_cast<double>(k) / static_cast<double>(methods.size()),
                 problem.scene + ": " + methods[k]->name);
    const ImpactSteps steps = {elements, courant_number(*methods[k]), static_cast<double>(c.after.back())};
    c.runs.push_back({methods[k], follow_impacts(problem, impact_scene(problem, methods[k]->name, steps))});
  }
  return c;
}

/// At evenly spaced times [periods], rounded: the numbers are kept beside the figure.
Curve evenly_sampled(const std::string& label, double periods, double period, const std::function<double(double)>& at) {
  constexpr int each = 48;
  constexpr double digits = 1e4;
  Curve curve{label, {}, {}, Stroke::line};
  for (int i = 0; i <= each * periods; ++i) {
    curve.x.push_back(std::round(digits * i / each) / digits);
    curve.y.push_back(std::round(digits * at(period * i / each)) / digits);
  }
  return curve;
}

Figure heights_figure(const ImpactComparison& c) {
  const ImpactProblem& p = *c.problem;
  const double periods = c.after.back();
  Figure figure{"bouncing-bar-heights",
                "The bouncing bar: height of its centre of mass [m] against periods; grey: exact",
                {"periods", Scale::linear, 0, periods},
                {"", Scale::linear, -2.5, 5.5},
                {}};
  figure.panels_across = 4;
  Curve exact = evenly_sampled("exact", periods, p.period, p.place);
  exact.in_all_panels = true;
  figure.curves.push_back(std::move(exact));
  for (const ImpactRun& f : c.runs)
    figure.curves.push_back(
        evenly_sampled(f.method->name, periods, p.period, [&](double t) { return f.motion.at(f.motion.place, t); }));
  return figure;
}

/// The exact curve and some methods.
Figure rod_figure(const ImpactComparison& c, const std::string& name, const std::string& title, const Axis& up,
                  const std::function<double(double)>& exact, std::vector<double> ImpactMotion::*values) {
  Figure figure{name, title, {"time [s]"}, up, {}, Legend::below};
  Curve line{"exact", {}, {}, Stroke::dashes, 4};
  const double end = c.after.back() * c.problem->period;
  constexpr int parts = 720;
  for (int i = 0; i <= parts; ++i) {
    line.x.push_back(end * i / parts);
    line.y.push_back(exact(line.x.back()));
  }
  figure.curves.push_back(std::move(line));
  for (const ImpactRun& f : c.runs)
    if (f.method->name == "BE" || f.method->name == "BDF2" || f.method->name == "TR" ||
        f.method->name == standard_method)
      figure.curves.push_back({f.method->name, f.motion.times, f.motion.*values, Stroke::line});
  return figure;
}

Claim impact_verdict(const ImpactComparison& c, const std::string& because) {
  std::size_t good = 0, all = 0;
  std::vector<std::string> best;
  std::vector<double> energies;
  for (const ImpactRun& f : c.runs) {
    const std::vector<BesideExact> numbers = compared_numbers(c, f.motion);
    const auto met = static_cast<std::size_t>(
        std::count_if(numbers.begin(), numbers.end(), [](const BesideExact& n) { return n.within; }));
    good += met, all += numbers.size();
    if (met == numbers.size()) best.push_back(f.method->name);
    energies.push_back(f.motion.at(f.motion.energy, c.problem->period));
  }
  const auto [least, most] = std::minmax_element(energies.begin(), energies.end());
  return judged(fmt::format("{} ({}), by each of {} methods for {} periods", c.problem->title, c.problem->scene,
                            c.runs.size(), c.after.back()),
                good == all,
                fmt::format("{} of {} numbers within 1 %; after one period between {:.3g} and {:.3g} of the energy are "
                            "left. {}",
                            good, all, *least, *most,
                            best.empty() ? "No method has all of its numbers within 1 %."
                                         : "All of their numbers within 1 %: " + join(best) + "."),
                because);
}

/// The standard method on finer and finer meshes, over one period.
StudyTable meshes_table(const StudyContext& context, double from, double to) {
  StudyTable table{"bouncing-bar-meshes",
                   fmt::format("The bouncing bar with {} after one period, on several meshes", standard_method),
                   {"elements", "h [ms]", "height [m]", "energy"},
                   {}};
  const ImpactProblem& p = bouncing_bar_problem();
  const std::vector<int> meshes = context.quick() ? std::vector<int>{25, 50} : std::vector<int>{25, 50, 100, 200};
  for (std::size_t k = 0; k < meshes.size(); ++k) {
    context.tell(from + (to - from) * static_cast<double>(k) / static_cast<double>(meshes.size()),
                 fmt::format("{}: {} elements", p.scene, meshes[k]));
    const nlohmann::json scene = impact_scene(p, standard_method, {meshes[k], implicit_courant, 1});
    const ImpactMotion motion = follow_impacts(p, scene);
    table.rows.push_back({fmt::format("{}", meshes[k]), fmt::format("{:g}", 1000 * scene["time"]["step"].get<double>()),
                          beside_exact(motion.at(motion.place, p.period), p.place(p.period)).cell,
                          beside_exact(motion.at(motion.energy, p.period), 1).cell});
  }
  return table;
}

/// The share of the fall's energy that each method has left after one period.
std::map<std::string, double> left_after_a_period(const ImpactComparison& c) {
  std::map<std::string, double> left;
  for (const ImpactRun& r : c.runs) left[r.method->name] = r.motion.at(r.motion.energy, c.problem->period);
  return left;
}

std::string impacts_text(const ImpactComparison& bar, const ImpactComparison& rod) {
  const std::map<std::string, double> of_bar = left_after_a_period(bar), of_rod = left_after_a_period(rod);
  return fmt::format(
      "\n\nTwo bars meet a wall again and again: one falls on a floor, the other is let go under pressure. Without "
      "losses both would do so for ever, with the periods P = 16/3 and 3 s; the exact motions are sums of waves. Each "
      "of the {} methods that take contact computes them: {} and {} linear elements with lumped masses, the barrier "
      "over a tenth of an element, Newton's tolerance 1e-8, else all defaults; Courant number {:g}, of explicit "
      "methods {:g}, since not all of them are stable beyond 1. These numbers are counted by themselves, in the tables "
      "of the two bars. After one period, two impacts of the bar, TR has {:.1f} % of the energy of the fall left, {} "
      "{:.1f} %, BDF2 {:.1f} % and BE {:.1f} %; of the rod's, after one impact, {:.1f}, {:.1f}, {:.1f} and {:.1f} %. "
      "Explicit methods, ERE and those that go beyond their last stage (midpoint, gen-alpha, HHT) leave impacts to "
      "backward Euler, and lose more than TR-BDF2. A bar that has lost energy comes back earlier, so that heights at "
      "the same time soon have nothing in common.",
      bar.runs.size(), bar.elements, rod.elements, implicit_courant, explicit_courant, 100 * of_bar.at("TR"),
      standard_method, 100 * of_bar.at(standard_method), 100 * of_bar.at("BDF2"), 100 * of_bar.at("BE"),
      100 * of_rod.at("TR"), 100 * of_rod.at(standard_method), 100 * of_rod.at("BDF2"), 100 * of_rod.at("BE"));
}

}  // namespace

std::vector<std::vector<std::string>> impact_case_rows() {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [p, elements] :
       {std::pair{&bouncing_bar_problem(), bar_elements}, {&released_rod_problem(), rod_elements}})
    rows.push_back({p->scene, p->title, "`scenes/validation/" + p->scene + ".json`",
                    fmt::format("{} elements", elements), p->source});
  return rows;
}

void add_impacts(const StudyContext& context, StudyResult& result) {
  const ImpactComparison bar = by_every_method(bouncing_bar_problem(), context.quick() ? few_elements : bar_elements,
                                               context.quick() ? std::vector<int>{1, 3} : std::vector<int>{1, 3, 10},
                                               context, 0, 0.8),
                         rod = by_every_method(released_rod_problem(), context.quick() ? few_elements : rod_elements,
                                               {1, 3}, context, 0.8, 0.95);
  result.text += impacts_text(bar, rod);
  result.tables.push_back(impact_table(
      bar, "bouncing-bar",
      "The bouncing bar by every method: after n periods P, with the deviation from the exact motion (energy 1: "
      "that of the fall; 0: of the bar that stands unstrained; at rest, under its weight, it is -.037)"));
  result.tables.push_back(meshes_table(context, 0.95, 1));
  result.tables.push_back(impact_table(rod, "released-rod",
                                       "The released rod by every method: its end at the wall, energy, and the mean "
                                       "pressure while it should be in contact"));
  result.figures.push_back(heights_figure(bar));
  result.figures.push_back(rod_figure(rod, "released-rod-end", "The released rod: its end at the wall",
                                      {"displacement [m]"}, rod.problem->place, &ImpactMotion::place));
  result.figures.push_back(rod_figure(rod, "released-rod-pressure", "The released rod: pressure of the wall",
                                      {"pressure [Pa]", Scale::linear, 0, 1.5}, rod.problem->pressure,
                                      &ImpactMotion::pressure));
  const std::string because =
      "an impact sends a jump of stress through the bar, which meshes disperse and methods damp, and what "
      "is lost stays lost.";
  result.claims.push_back(impact_verdict(bar, because));
  result.claims.push_back(impact_verdict(rod, because));
}

}  // namespace limber
