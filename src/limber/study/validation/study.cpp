/// Limber's numbers beside published ones and closed forms, mesh by mesh.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "limber/core/errors.hpp"
#include "limber/study/claims.hpp"
#include "limber/study/studies.hpp"
#include "limber/study/validation/closed_forms.hpp"
#include "limber/study/validation/impact_report.hpp"
#include "limber/study/validation/rows.hpp"

namespace limber {

namespace {

/// A case with what was measured.
struct DoneCase {
  ValidationCase row;
  std::vector<Refinement> refinements;       // those that were run
  std::vector<std::vector<double>> numbers;  // of each of them

  double deviation(std::size_t refinement, std::size_t i) const {
    return numbers[refinement][i] / row.expected[i].value - 1;
  }
  double last_deviation(std::size_t i) const { return deviation(numbers.size() - 1, i); }
  bool within(std::size_t i) const { return std::abs(last_deviation(i)) <= row.expected[i].tolerance; }
  double worst(std::size_t refinement) const {
    double most = 0;
    for (std::size_t i = 0; i < row.expected.size(); ++i) most = std::max(most, std::abs(deviation(refinement, i)));
    return most;
  }
};

/// What is below 10⁻⁶ % is rounding.
std::string deviation_text(double part) {
  return std::abs(part) < 1e-8 ? "< 10⁻⁶ %" : fmt::format("{:+.2g} %", 100 * part);
}

std::vector<DoneCase> cases_of(const std::vector<DoneCase>& cases, CaseKind kind) {
  std::vector<DoneCase> some;
  std::copy_if(cases.begin(), cases.end(), std::back_inserter(some),
               [&](const DoneCase& c) { return c.row.kind == kind; });
  return some;
}

/// The coarser meshes stand before the one that is judged.
StudyTable numbers_table(const std::string& name, const std::string& title, const std::vector<DoneCase>& cases) {
  StudyTable table{
      name, title, {"case", "number", "source", "Limber", "deviation", "coarser", "allowed", "verdict"}, {}};
  for (const DoneCase& c : cases)
    for (std::size_t i = 0; i < c.row.expected.size(); ++i) {
      const ExpectedNumber& e = c.row.expected[i];
      std::vector<std::string> coarser;
      for (std::size_t r = 0; r + 1 < c.numbers.size(); ++r) coarser.push_back(deviation_text(c.deviation(r, i)));
      table.rows.push_back({c.row.name, e.what, fmt::format("{:.5g}", e.value),
                            fmt::format("{:.5g}", c.numbers.back()[i]), deviation_text(c.last_deviation(i)),
                            join(coarser, ", "), fmt::format("{:.2g} %", 100 * e.tolerance),
                            c.within(i) ? "agrees" : "differs"});
    }
  return table;
}

/// Where each case comes from, and how to see it again. Neighbours with one scene and one source share a row.
StudyTable cases_table(const std::vector<DoneCase>& cases) {
  StudyTable table{"cases", "The cases", {"case", "what", "scene", "finest", "source"}, {}};
  const DoneCase* before = nullptr;
  for (const DoneCase& c : cases) {
    if (before && before->row.scene == c.row.scene && before->row.source == c.row.source) {
      table.rows.back()[0] += ", " + c.row.name;
      table.rows.back()[1] += "; " + c.row.title;
    } else {
      table.rows.push_back({c.row.name, c.row.title, "`scenes/validation/" + c.row.scene + ".json`",
                            c.refinements.back().label, c.row.source});
    }
    before = &c;
  }
  for (std::vector<std::string>& row : impact_case_rows()) table.rows.push_back(std::move(row));
  return table;
}

/// The largest deviation of each case against its meshes, for those cases that `chosen` names.
Figure convergence_figure(const std::string& name, const std::string& title, const std::vector<DoneCase>& cases,
                          const std::vector<std::string>& chosen) {
  Figure figure{name, title,        {"mesh or step, 1: the coarsest"}, {"largest deviation [%]", Scale::logarithmic},
                {},   Legend::below};
  for (const std::string& wanted : chosen)
    for (const DoneCase& c : cases)
      if (c.row.name == wanted) {
        Curve curve{c.row.name, {}, {}, Stroke::line_and_points};
        for (std::size_t r = 0; r < c.numbers.size(); ++r) {
          curve.x.push_back(static_cast<double>(r + 1));
          curve.y.push_back(100 * c.worst(r));
        }
        figure.curves.push_back(curve);
      }
  return figure;
}

/// The elastica: the exact tip over the load, and the cases of solids and of rods.
Figure elastica_figure(const std::vector<DoneCase>& cases) {
  Figure figure{"elastica",          "Tip of a cantilever under a dead force", {"P L²/EI"}, {"of its length"}, {},
                Legend::bottom_right};
  Curve deflection{"deflection, exact", {}, {}, Stroke::line}, shortening{"shortening, exact", {}, {}, Stroke::dashes};
  for (int i = 1; i <= 50; ++i) {
    const double load = i / 5.0;
    const ElasticaTip tip = elastica_tip(load);
    deflection.x.push_back(load), deflection.y.push_back(tip.deflection);
    shortening.x.push_back(load), shortening.y.push_back(tip.shortening);
  }
  Curve solid{"solid", {}, {}, Stroke::points}, rod{"rod", {}, {}, Stroke::points};
  for (const DoneCase& c : cases) {
    const auto at = c.row.name.find("elastica-");
    if (at == std::string::npos) continue;
    Curve& curve = at == 0 ? solid : rod;
    for (const double y : c.numbers.back()) {
      curve.x.push_back(std::stod(c.row.name.substr(at + 9)));
      curve.y.push_back(y);
    }
  }
  figure.curves = {deflection, shortening, solid, rod};
  return figure;
}

/// The deviations of what depends on a mesh, in the order of their size.
Figure deviations_figure(const std::vector<DoneCase>& cases) {
  Figure figure{"deviations", "All deviations, the smallest first",
                {"numbers"},  {"deviation [%]", Scale::logarithmic, 1e-4},
                {},           Legend::bottom_right};
  std::vector<double> coarse, fine;
  for (const DoneCase& c : cases)
    for (std::size_t i = 0; i < c.row.expected.size(); ++i) {
      coarse.push_back(100 * std::abs(c.deviation(0, i)));
      fine.push_back(100 * std::abs(c.last_deviation(i)));
    }
  const auto sorted = [](const std::string& label, std::vector<double> values, Stroke stroke) {
    std::sort(values.begin(), values.end());
    Curve curve{label, {}, values, stroke};
    for (std::size_t i = 0; i < values.size(); ++i) curve.x.push_back(static_cast<double>(i + 1));
    return curve;
  };
  figure.curves = {sorted("coarsest mesh or step", coarse, Stroke::dashes),
                   sorted("finest", fine, Stroke::line_and_points),
                   {"1 %", {1, static_cast<double>(fine.size())}, {1, 1}, Stroke::dots}};
  return figure;
}

/// A displacement of the Princeton beam against the angle, at both forces: measured, and Limber's.
Figure princeton_figure(const std::string& name, const std::string& title, const std::string& what,
                        const std::vector<DoneCase>& cases) {
  Figure figure{name,   title, {"angle between the force and the wide sides [°]", Scale::linear, 0, 90},
                {what}, {},    Legend::below};
  for (const char* force : {"8.896", "13.345"}) {
    const std::string start = fmt::format("princeton-{}-", force);
    Curve measured{fmt::format("{} N, measured", force), {}, {}, Stroke::points},
        computed{fmt::format("{} N, Limber", force), {}, {}, Stroke::line};
    for (const DoneCase& c : cases)
      for (std::size_t i = 0; i < c.row.expected.size(); ++i) {
        if (!c.row.name.starts_with(start) || c.row.expected[i].what != what) continue;
        measured.x.push_back(std::stod(c.row.name.substr(start.size())));
        measured.y.push_back(c.row.expected[i].value);
        computed.y.push_back(c.numbers.back()[i]);
      }
    computed.x = measured.x;
    measured.color = computed.color = static_cast<int>(figure.curves.size()) / 2;
    figure.curves.push_back(std::move(measured));
    figure.curves.push_back(std::move(computed));
  }
  return figure;
}

std::size_t good_numbers(const std::vector<DoneCase>& cases) {
  std::size_t good = 0;
  for (const DoneCase& c : cases)
    for (std::size_t i = 0; i < c.row.expected.size(); ++i) good += c.within(i);
  return good;
}

std::size_t all_numbers(const std::vector<DoneCase>& cases) {
  std::size_t all = 0;
  for (const DoneCase& c : cases) all += c.row.expected.size();
  return all;
}

Claim uniform_verdict(const std::vector<DoneCase>& cases) {
  double most = 0;
  for (const DoneCase& c : cases)
    for (std::size_t r = 0; r < c.numbers.size(); ++r) most = std::max(most, c.worst(r));
  return judged("Materials in uniaxial, equibiaxial and planar tension", good_numbers(cases) == all_numbers(cases),
                fmt::format("{} of {} within what is allowed; the largest deviation on any mesh is {:.1g} %.",
                            good_numbers(cases), all_numbers(cases), 100 * most),
                "");
}

/// Why numbers of a case lie outside, each reason once.
void add_reasons(const DoneCase& c, std::set<std::string>& reasons) {
  for (std::size_t i = 0; i < c.row.expected.size(); ++i)
    if (!c.within(i) && !c.row.expected[i].if_outside.empty()) reasons.insert(c.row.expected[i].if_outside);
}

std::string joined(const std::set<std::string>& reasons) {
  return join(std::vector<std::string>(reasons.begin(), reasons.end()), " ");
}

Claim experiment_verdict(const std::vector<DoneCase>& cases) {
  double most = 0;
  std::set<std::string> reasons;
  for (const DoneCase& c : cases) {
    most = std::max(most, c.worst(c.numbers.size() - 1));
    add_reasons(c, reasons);
  }
  return judged("The Princeton beam, two forces at seven angles", good_numbers(cases) == all_numbers(cases),
                fmt::format("{} of {} within what is allowed; the largest deviation is {:.2g} %.", good_numbers(cases),
                            all_numbers(cases), 100 * most),
                joined(reasons));
}

Claim case_verdict(const DoneCase& c) {
  std::size_t good = 0, worst = 0;
  std::set<std::string> reasons;
  for (std::size_t i = 0; i < c.row.expected.size(); ++i) {
    good += c.within(i);
    if (std::abs(c.last_deviation(i)) > std::abs(c.last_deviation(worst))) worst = i;
  }
  add_reasons(c, reasons);
  const std::string seen =
      fmt::format("{} of {} within what is allowed; the largest deviation is {} ({}).", good, c.row.expected.size(),
                  deviation_text(c.last_deviation(worst)), c.row.expected[worst].what);
  return judged(c.row.title + " (" + c.row.name + ")", good == c.row.expected.size(), seen, joined(reasons));
}

}  // namespace

StudyResult study_validation(const StudyContext& context) {
  const std::vector<ValidationCase> rows = validation_cases();
  std::vector<DoneCase> done;
  std::set<std::string> sources;
  constexpr double cases_share = 0.5;  // of the time; the rest is that of bars that meet walls
  for (std::size_t k = 0; k < rows.size(); ++k) {
    DoneCase c{rows[k], rows[k].refinements, {}};
    if (context.quick() && c.refinements.size() > 1) c.refinements.pop_back();
    for (std::size_t r = 0; r < c.refinements.size(); ++r) {
      context.tell(cases_share *
                       (static_cast<double>(k) + static_cast<double>(r) / static_cast<double>(c.refinements.size())) /
                       static_cast<double>(rows.size()),
                   c.row.name);
      c.numbers.push_back(measured(c.row, c.refinements[r]));
    }
    sources.insert(c.row.source);
    done.push_back(std::move(c));
  }
  const std::vector<DoneCase> refined = cases_of(done, CaseKind::refined),
                              uniform = cases_of(done, CaseKind::uniform_strain),
                              experiments = cases_of(done, CaseKind::experiment);
  const auto share = [](const std::vector<DoneCase>& cases) {
    return fmt::format(
        "{} of {} ({:.0f} %)", good_numbers(cases), all_numbers(cases),
        std::floor(100.0 * static_cast<double>(good_numbers(cases)) / static_cast<double>(all_numbers(cases))));
  };
  StudyResult result;
  result.claimed = "case";
  result.text = fmt::format(
      "{} cases from {} sources (a book counts once for each of its formulas): {} numbers lie within 1 % of the "
      "source, or within its own uncertainty where that is "
      "more. Of those that depend on a mesh or a time step, each computed with two or three, it is {}; of those that "
      "were "
      "measured in an experiment {}; the others are "
      "materials in uniform strains, which check formulas. Nothing is fitted: what is compared, and on which meshes, "
      "is "
      "written down in `src/limber/study/validation/`. The scenes are files that can be run: `limber modes`, `limber "
      "statics` or `limber run`, as their descriptions say. Where a number differs, the verdict says why.\n\n"
      "Not among the cases: plates of a hundredth of their length and less, which tetrahedra as flat as that resolve "
      "slowly. A beam of silicone that was filmed has its own tests and is told of in `docs/materials.md`.\n\n"
      "Elements are quadratic tetrahedra where nothing else is said. Closed forms are evaluated when the study runs, "
      "by "
      "code that knows nothing of Limber's elements.\n\n"
      "The Princeton beam is computed without its own weight. With it (2810 kg/m³, 64 × 2 × 1 cells), and "
      "displacements from where the beam hangs without the load, u_z is .4 to .7 % less from 60° on, but hardly "
      "changes at 15° and 30°, where it deviates most, and u_y is up to 1 % more: the weight does not explain the "
      "differences. A still finer mesh (64 × 4 × 2 cells, 13.345 N at 45°) has .5 % more of u_y and .1 % more of u_z.",
      done.size(), sources.size(), share(done), share(refined), share(experiments));
  result.tables = {
      numbers_table(
          "numbers",
          "The numbers; the deviation is that of the finest mesh or step, with those of the coarser ones after it",
          refined),
      numbers_table("materials", "Materials in uniform strains", uniform),
      numbers_table("experiments", "Beside measured numbers", experiments)};
  result.figures = {
      deviations_figure(refined),
      convergence_figure("vibrations", "Frequencies: the largest deviation of each case", done,
                         {"deep-beam", "deep-beam-axial", "thick-plate", "plate-on-edges", "tapered-membrane", "sphere",
                          "string", "drum"}),
      convergence_figure("equilibria", "Equilibria: the largest deviation of each case", done,
                         {"straight-beam-out-of-plane", "twisted-beam-along", "cook", "torsion-1", "thick-sphere",
                          "balloon-1.5", "rod-elastica-10", "membrane-0.3"}),
      convergence_figure("contacts", "Contacts: the largest deviation of each case", done,
                         {"hertz-cylinder", "hertz-ball", "partial-slip"}),
      convergence_figure("motions", "Motions: the largest deviation of each case", done,
                         {"pendulum-60", "pendulum-150", "falling-sheet", "oscillator", "pulled-bar", "bollard-0.3",
                          "bars", "spinning-bar"}),
      elastica_figure(done),
      princeton_figure("princeton-z", "The Princeton beam: tip along its thickness", "u_z of the tip [mm]",
                       experiments),
      princeton_figure("princeton-y", "The Princeton beam: tip along its width", "u_y of the tip [mm]", experiments)};
  for (const DoneCase& c : refined) result.claims.push_back(case_verdict(c));
  result.claims.push_back(uniform_verdict(uniform));
  result.claims.push_back(experiment_verdict(experiments));
  StudyContext impacts = context;
  impacts.progress = [&](double part, const std::string& what) {
    context.tell(cases_share + (1 - cases_share) * part, what);
  };
  add_impacts(impacts, result);
  result.tables.push_back(cases_table(done));
  return result;
}

}  // namespace limber
