/// Time against error for every method, on the beam and on a creature: which method to take.

#include "limber/study/work_precision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "limber/core/errors.hpp"
#include "limber/scene/json.hpp"
#include "limber/study/claims.hpp"
#include "limber/study/example_scenes.hpp"
#include "limber/study/studies.hpp"
#include "limber/study/trial.hpp"

namespace limber {

std::optional<double> seconds_for(const std::vector<WorkPoint>& points, double error) {
  std::optional<double> best;
  const auto offer = [&](double seconds) { best = best ? std::min(*best, seconds) : seconds; };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const WorkPoint& a = points[i];
    if (a.error <= error) offer(a.seconds);
    if (i + 1 == points.size()) break;
    const WorkPoint& b = points[i + 1];
    if (!(a.error > error && b.error < error)) continue;
    const double s = std::log(error / a.error) / std::log(b.error / a.error);
    offer(std::exp((1 - s) * std::log(a.seconds) + s * std::log(b.seconds)));
  }
  return best;
}

namespace {

constexpr double wanted = 0.01;  // the error that the table is about

struct Test {
  std::string name, title;
  nlohmann::json scene;
  double duration, reference_step;  // [s]
  std::vector<double> steps;        // [s], falling; explicit methods go on to shorter ones

  std::vector<double> steps_of(const MethodInfo& method) const {
    std::vector<double> all = steps;
    while (method.kind == MethodKind::explicit_ && all.back() > 3 * reference_step) all.push_back(all.back() / 2);
    return all;
  }
};

std::vector<Test> tests(const StudyContext& context) {
  const bool quick = context.quick();
  nlohmann::json beam = example_scene("beam"), creature = example_scene("swinging_creature");
  if (quick) beam["bodies"][0]["mesh"]["cells"] = {16, 2, 2};
  creature["bodies"][0]["mesh"]["tets"] = 5000;
  const auto falling = [](double from, int count) {
    std::vector<double> steps;
    for (int i = 0; i < count; ++i) steps.push_back(from / std::pow(2.0, i));
    return steps;
  };
  return {{"beam", quick ? "Soft beam, 320 tetrahedra" : "Soft beam, 2560 tetrahedra", beam, 0.64, 5e-4,
           falling(0.04, quick ? 4 : 6)},
          {"creature", fmt::format("Swinging creature, {} tetrahedra, E = 1 MPa", tetrahedra(creature)), creature,
           quick ? 0.04 : 0.16, 5e-5, falling(0.02, quick ? 2 : 4)}};
}

/// ‖q − r‖ / ‖r − q₀‖ in the norm of the masses.
double relative_error(const MechanicalSystem& system, const Vector& q, const Vector& r, const Vector& start) {
  const auto norm = [&](const Vector& d) { return std::sqrt(d.dot(system.apply_mass(d))); };
  return norm(q - r) / norm(r - start);
}

Trial run_test(const Test& test, const std::string& method, double step) {
  nlohmann::json scene = under_method(test.scene, method);
  scene["time"] = {{"step", step}, {"duration", test.duration}};
  return simulate(scene);
}

struct Reference {
  Vector end, start;
  double error;  // of itself, estimated: a sixteenth of what halving its step changes
};

Reference reference(const Test& test, const MechanicalSystem& system, const Vector& start) {
  const Trial coarse = run_test(test, "RK4", 2 * test.reference_step),
              fine = run_test(test, "RK4", test.reference_step);
  if (fine.stopped || coarse.stopped)
    throw StepFailure("the reference motion stops: " + fine.stopped.value_or("twice the step"));
  return {fine.last.q, start, relative_error(system, coarse.last.q, fine.last.q, start) / 15};
}

struct Measured {
  std::vector<WorkPoint> points;
  std::vector<double> failed;  // steps that could not be taken without help, or with an error above 1
};

Measured measure(const Test& test, const MethodInfo& method, const MechanicalSystem& system, const Reference& r) {
  Measured m;
  for (const double step : test.steps_of(method)) {
    const Trial trial = run_test(test, method.name, step);
    const double error = relative_error(system, trial.last.q, r.end, r.start);
    double seconds = 0;
    for (const TrialStep& s : trial.steps) seconds += s.seconds;
    if (trial.stopped || trial.escalated + trial.halved > 0 || !(error < 1))
      m.failed.push_back(step);
    else
      m.points.push_back({step, error, seconds / test.duration});
  }
  return m;
}

Curve work_curve(const std::string& label, const Measured& m, Stroke stroke, int color) {
  Curve curve{label, {}, {}, stroke, color};
  for (const WorkPoint& p : m.points) {
    curve.x.push_back(p.error);
    curve.y.push_back(p.seconds);
  }
  return curve;
}

/// One figure for the methods that the survey compares, and one for each kind of method.
const std::vector<std::pair<std::string, std::vector<std::string>>>& groups() {
  static const std::vector<std::pair<std::string, std::vector<std::string>>> all = {
      {"overview",
       {"BE", "SI", "BDF2", "TR-BDF2", "SDIRK", "gen-alpha", "ERE", "SIERE", "STR-SBDF2", "STR-SBDF2ERE", "verlet"}},
      {"implicit", {"BE", "BDF2", "TR", "blend", "midpoint", "TR-BDF2", "SDIRK", "newmark", "gen-alpha", "HHT"}},
      {"energy", {"BE", "A-1", "A-search", "BDF2", "TR-BDF2", "newmark"}},
      {"semi-implicit",
       {"SI", "SBDF2", "STR", "S-midpoint", "STR-SBDF2", "SSDIRK", "S-newmark", "S-gen-alpha", "S-HHT"}},
      {"hybrid", {"BEERE", "SIERE", "BDF2ERE", "SBDF2ERE", "TR-BDF2ERE", "STR-SBDF2ERE", "SDIRKERE", "SSDIRKERE"}},
      {"printed", {"BDF2ERE-printed", "SBDF2ERE-printed", "TR-BDF2ERE-printed", "STR-SBDF2ERE-printed"}},
      {"explicit", {"symplectic-euler", "verlet", "RK4", "ERE"}}};
  return all;
}

std::string group_title(const std::string& group) {
  if (group == "overview") return "the survey's methods";
  if (group == "printed") return "hybrids as printed";
  if (group == "energy") return "methods that follow the energy, and others";
  return group == "explicit" ? "explicit and exponential methods" : group + " methods";
}

using Results = std::map<std::string, Measured>;

std::string two_digits(double x) { return fmt::format("{:.2g}", x); }

Figure group_figure(const Test& test, const std::string& group, const std::vector<std::string>& members,
                    const Results& results) {
  Figure figure{test.name + "-" + group,
                test.title + ": " + group_title(group),
                {"relative error of the positions at the end", Scale::logarithmic},
                {"computing time for a second of motion [s]", Scale::logarithmic},
                {},
                Legend::below};
  int number = 0;
  for (const std::string& method : members) {
    if (results.at(method).points.empty()) continue;
    const Stroke stroke = number < 8 ? Stroke::line_and_points : Stroke::dashes_and_points;
    figure.curves.push_back(work_curve(method, results.at(method), stroke, number++ % 8));
  }
  if (std::find(members.begin(), members.end(), "TR-BDF2") == members.end())
    figure.curves.push_back(work_curve("TR-BDF2", results.at("TR-BDF2"), Stroke::dots, 7));
  return figure;
}

StudyTable ranking(const Test& test, const Results& results) {
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [method, m] : results) order.emplace_back(seconds_for(m.points, wanted).value_or(HUGE_VAL), method);
  std::sort(order.begin(), order.end());
  StudyTable table{test.name,
                   fmt::format("{}: computing time for a second of motion with an error of {} %, and the errors",
                               test.title, 100 * wanted),
                   {"method", "time [s]", "error at the longest step", "at the shortest", "steps that failed [s]"},
                   {}};
  for (const auto& [seconds, method] : order) {
    const Measured& m = results.at(method);
    std::vector<std::string> failed;
    for (const double h : m.failed) failed.push_back(fmt::format("{:g}", h));
    const auto error = [&](const WorkPoint& p) { return fmt::format("{:.1e}", p.error); };
    table.rows.push_back({method, std::isfinite(seconds) ? two_digits(seconds) : "not reached",
                          m.points.empty() ? "-" : error(m.points.front()),
                          m.points.empty() ? "-" : error(m.points.back()), failed.empty() ? "-" : join(failed, " ")});
  }
  return table;
}

/// The points of two methods with the same step, the longest that both take.
std::pair<WorkPoint, WorkPoint> with_one_step(const Measured& a, const Measured& b) {
  for (const WorkPoint& p : a.points)
    for (const WorkPoint& q : b.points)
      if (p.step == q.step) return {p, q};
  throw StepFailure("two methods have no step in common that both can take");
}

/// "0.026 s by symplectic-euler (explicit)": the cheapest of a group.
std::optional<std::string> cheapest_text(const std::string& group, const Results& results) {
  const auto& all = groups();
  const auto& members = std::find_if(all.begin(), all.end(), [&](const auto& g) { return g.first == group; })->second;
  std::optional<double> least;
  std::string best;
  for (const std::string& method : members)
    if (const auto seconds = seconds_for(results.at(method).points, wanted); seconds && (!least || *seconds < *least))
      least = seconds, best = method;
  if (!least) return std::nullopt;
  return fmt::format("{} s by {} ({})", two_digits(*least), best, to_string(find_method(best).kind));
}

/// Error and time of some methods over those of TR-BDF2, with the longest step that both take.
StudyTable beside_default(const Test& test, const Results& results) {
  StudyTable table{test.name + "-beside",
                   test.title + ": beside TR-BDF2, with the longest step that both take",
                   {"method", "h [s]", "error / that of TR-BDF2", "time / that of TR-BDF2"},
                   {}};
  for (const char* method : {"SDIRK", "STR-SBDF2", "midpoint", "S-midpoint", "gen-alpha", "BDF2", "ERE", "SDIRKERE",
                             "STR-SBDF2ERE", "BEERE", "SIERE", "A-search", "BE", "SI"}) {
    const auto [other, own] = with_one_step(results.at(method), results.at("TR-BDF2"));
    table.rows.push_back({method, fmt::format("{:g}", own.step), two_digits(other.error / own.error),
                          two_digits(other.seconds / own.seconds)});
  }
  return table;
}

/// What a user who must choose can read off one test.
std::string advice(const Test& test, double reference_error, const Results& results) {
  std::vector<std::string> cheapest, explicit_steps;
  for (const char* group : {"implicit", "semi-implicit", "hybrid", "explicit"})
    if (const auto text = cheapest_text(group, results)) cheapest.push_back(*text);
  for (const char* method : {"verlet", "RK4"})
    if (const auto& points = results.at(method).points; !points.empty())
      explicit_steps.push_back(fmt::format("{} {} s", method, two_digits(points.front().step)));
  return fmt::format(
      "{}: {:g} s of motion, steps from {:g} s to {:g} s; the reference's own error is about {:.0e}. An error of {} % "
      "costs, for a second of motion, {}. The longest steps that explicit methods take here: {}.",
      test.title, test.duration, test.steps.front(), test.steps.back(), reference_error, 100 * wanted, join(cheapest),
      explicit_steps.empty() ? "none" : join(explicit_steps));
}

Claim soft_claim(const Results& results) {
  const auto [be, siere] = with_one_step(results.at("BE"), results.at("SIERE"));
  const WorkPoint dirk = with_one_step(results.at("TR-BDF2"), results.at("BE")).first;
  const WorkPoint sdirk = with_one_step(results.at("SDIRK"), results.at("BE")).first;
  return judged(
      "Soft bodies: the DIRK methods are more accurate for the whole motion than SIERE, which damps less than BE "
      "(sec. soft).",
      std::max(dirk.error, sdirk.error) < siere.error && siere.error < be.error,
      fmt::format("With h = {:g} s the errors are TR-BDF2 {:.2g}, SDIRK {:.2g}, SIERE {:.2g}, BE {:.2g}.", be.step,
                  dirk.error, sdirk.error, siere.error, be.error),
      "the order of these errors is another one.");
}

/// Modes of SIERE and BEERE are the same: what BEERE gains over BE is what they carry; what SIERE lacks of that, its
/// one Newton iteration loses.
Claim stiff_claim(const Results& results) {
  constexpr double clearly = 5;
  const auto [si, siere] = with_one_step(results.at("SI"), results.at("SIERE"));
  const auto [be, beere] = with_one_step(results.at("BE"), results.at("BEERE"));
  const WorkPoint &si_short = results.at("SI").points.back(), &siere_short = results.at("SIERE").points.back();
  const bool modes_carry = beere.error < be.error / clearly;
  return judged("Stiffer bodies: SI is lethargic, SIERE moves the lowest modes as they should (sec. siere).",
                siere.error < si.error / clearly,
                fmt::format("With h = {:g} s the error of SI is {:.2g}, that of SIERE {:.2g}, for {:.1f} times the "
                            "computing time; with h = {:g} s {:.2g} and {:.2g}.",
                            si.step, si.error, siere.error, siere.seconds / si.seconds, siere_short.step,
                            si_short.error, siere_short.error),
                modes_carry ? fmt::format("one Newton iteration is not enough for so long a step: the modes do carry "
                                          "the motion, and BEERE, which iterates, has an error of {:.2g} where BE has "
                                          "{:.2g}.",
                                          beere.error, be.error)
                            : std::string("the motion is not in the lowest modes."));
}

/// Over all steps that both take.
Claim dirk_claim(const Test& test, const Results& results) {
  std::vector<double> error, time;
  for (const WorkPoint& p : results.at("TR-BDF2").points)
    for (const WorkPoint& q : results.at("SDIRK").points)
      if (p.step == q.step) {
        error.push_back(q.error / p.error);
        time.push_back(q.seconds / p.seconds);
      }
  if (error.empty()) throw StepFailure("TR-BDF2 and SDIRK have no step in common that both can take");
  const auto [least_error, most_error] = std::minmax_element(error.begin(), error.end());
  const auto [least_time, most_time] = std::minmax_element(time.begin(), time.end());
  double product = 1;
  for (const double t : time) product *= t;
  const double mean_time = std::pow(product, 1 / static_cast<double>(time.size()));
  return judged(
      "The two DIRK methods perform generally similarly, and SDIRK can potentially be more efficient (sec. "
      "conclusion).",
      *least_error > 0.8 && *most_error < 1.25 && mean_time < 1.25,
      fmt::format("{}: SDIRK has {:.2f} to {:.2f} times the error of TR-BDF2 in {:.2f} to {:.2f} times the time.",
                  test.title, *least_error, *most_error, *least_time, *most_time),
      "one of them is clearly better here.");
}

constexpr const char* first_words =
    "Each method moves the body with several steps; the error is that of the positions at the end, in the norm of the "
    "masses, relative to how far they went, against a converged motion (RK4). Left and below is better; times that "
    "differ by a tenth are equal, as far as a clock can tell. Points where a method needed help (full Newton, halved "
    "steps) or has an error above 1 are left out, and listed.";

constexpr const char* beyond_errors =
    "Errors are not all that matters. Methods that damp nothing (midpoint, TR, newmark, verlet) let fast vibrations "
    "ring "
    "for ever, and BE and SI bring a body to rest too early (see `damping` and `soft-energy`); one Newton iteration "
    "may "
    "run away where a motion is fast (`si-diverges`). TR-BDF2 is Limber's default because it takes long steps, keeps "
    "the "
    "motion that one sees and lets the rest die, not because it is the cheapest in every figure.";

void add_report(const Test& test, double reference_error, const Results& results, StudyResult& report) {
  for (const auto& [group, members] : groups()) {
    const bool any =
        std::any_of(members.begin(), members.end(), [&](const auto& m) { return !results.at(m).points.empty(); });
    if (any) report.figures.push_back(group_figure(test, group, members, results));
  }
  report.tables.push_back(beside_default(test, results));
  report.tables.push_back(ranking(test, results));
  report.text += "\n\n" + advice(test, reference_error, results);
  report.claims.push_back(test.name == "beam" ? soft_claim(results) : stiff_claim(results));
  report.claims.push_back(dirk_claim(test, results));
}

}  // namespace

StudyResult study_work_precision(const StudyContext& context) {
  StudyResult result;
  result.text = first_words;
  const auto all_tests = tests(context);
  std::size_t count = 0;
  for (const auto& m : method_catalog()) count += !m.name.empty();
  for (std::size_t t = 0; t < all_tests.size(); ++t) {
    const Test& test = all_tests[t];
    const Model model = build_model(read_scene(test.scene, vocabulary(), ""));
    const auto tell = [&](std::size_t done, const std::string& what) {
      context.tell((static_cast<double>(t) + static_cast<double>(done) / static_cast<double>(count + 1)) /
                       static_cast<double>(all_tests.size()),
                   test.name + ", " + what);
    };
    tell(0, "reference");
    const Reference r = reference(test, *model.system, model.start.q);
    Results results;
    for (const auto& method : method_catalog()) {
      tell(results.size() + 1, method.name);
      results[method.name] = measure(test, method, *model.system, r);
    }
    add_report(test, r.error, results, result);
  }
  result.text += std::string("\n\n") + beyond_errors;
  return result;
}

}  // namespace limber
