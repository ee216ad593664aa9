/// End of section 3 of the survey: for which number s of modes does one Newton iteration suffice for BDF2ERE and
/// TR-BDF2ERE? It does where what it leaves, ‖q(one iteration) − q(converged)‖, is below the method's own error of the
/// step, ‖q(converged) − q(exact)‖; all from one history, along a run of the converged method.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/study/claims.hpp"
#include "limber/study/example_scenes.hpp"
#include "limber/study/studies.hpp"
#include "limber/study/unguarded.hpp"
#include "limber/time/integrate.hpp"

namespace limber {

namespace {

constexpr double small_step = 0.01, large_step = 1.0 / 30;  // [s]; the latter: one for each picture of a film
constexpr double mostly = 0.9;                              // the part of the steps that "suffices" asks for

/// For each step looked at, squares of lengths in the norm of the mass.
struct Differences {
  std::vector<double> iteration, error, motion;  // one iteration − converged; converged − exact; converged − start

  /// The root of their mean, of that of the motion in a step.
  double of_motion(const std::vector<double>& squares) const {
    double sum = 0, all = 0;
    for (const double x : squares) sum += x;
    for (const double x : motion) all += x;
    return std::sqrt(sum / all);
  }
  /// The part of the steps in which one iteration leaves less than the method's own error.
  double suffices() const {
    long count = 0;
    for (std::size_t i = 0; i < error.size(); ++i) count += iteration[i] < error[i];
    return static_cast<double>(count) / static_cast<double>(error.size());
  }
};

struct Comparison {
  int modes = 0;
  Differences d = {};
  double iterations = 0;              // of the converged method in a step
  double lost = 0, lost_by_one = 0;   // [J] of the total energy in the run
  double kinetic = 0;                 // [J] the largest on the way
  std::optional<std::string> failed;  // the run with one iteration
};

struct Series {
  std::string full, semi;  // hybrids
  std::string without;     // semi-implicit, without modes
  double young, step;      // [Pa], [s]
  std::vector<Comparison> by_modes = {};

  /// The numbers of modes, 0 among them, with which one iteration mostly suffices.
  std::vector<std::string> sufficient() const {
    std::vector<std::string> list;
    for (const auto& c : by_modes)
      if (c.d.suffices() >= mostly) list.push_back(fmt::format("{}", c.modes));
    return list;
  }
  bool with_modes() const {
    return std::any_of(by_modes.begin(), by_modes.end(),
                       [](const Comparison& c) { return c.modes > 0 && c.d.suffices() >= mostly; });
  }
  /// The least that one iteration leaves with modes, over what it leaves without.
  double gain() const {
    double least = INFINITY;
    for (const auto& c : by_modes)
      if (c.modes > 0) least = std::min(least, c.d.of_motion(c.d.iteration));
    return least / by_modes.front().d.of_motion(by_modes.front().d.iteration);
  }
};

std::string pascals(double young) {
  return young < 1e6 ? fmt::format("{:g} kPa", young / 1e3) : fmt::format("{:g} MPa", young / 1e6);
}

double squared(const System& system, const Vector& x) { return x.dot(system.apply_mass(x)); }

/// By steps of at most .65 ms.
State exact_step(System& system, const State& u, double h) {
  const long parts = std::lround(std::ceil(h / 0.65e-3));
  return integrate(system, find_method("TR-BDF2"), {}, {}, History(u), h / static_cast<double>(parts), parts).back();
}

nlohmann::json linearised_beam(const StudyContext& context, double young, double h) {
  nlohmann::json scene = example_scene("beam");
  scene["bodies"][0]["mesh"]["cells"] = context.quick() ? std::vector<int>{8, 1, 1} : std::vector<int>{16, 2, 2};
  scene["bodies"][0]["material"]["young"] = young;
  scene["time"] = {{"step", h}, {"duration", context.quick() ? 0.6 : 1.5}};
  return scene;
}

/// A linearised method takes steps both ways, with the same modes.
Comparison compare_updates(const nlohmann::json& scene, int look_every, const std::function<void(double)>& tell) {
  UnguardedMotion motion(scene);
  MechanicalSystem& system = motion.system();
  Stepper& stepper = motion.stepper();
  History past = motion.past();
  const double h = motion.step_length(), start = motion.energies().total();
  Comparison c;
  for (long k = 0; k < motion.steps(); ++k) {
    State converged = stepper.step_by_newton(system, past, h);
    if (k % look_every == look_every - 1) {  // never the first step, which is of backward Euler for BDF2
      const State once = stepper.step(system, past, h), exact = exact_step(system, past[0], h);
      c.d.iteration.push_back(squared(system, once.q - converged.q));
      c.d.error.push_back(squared(system, converged.q - exact.q));
      c.d.motion.push_back(squared(system, converged.q - past[0].q));
    }
    stepper.accept(past, std::move(converged));
    c.kinetic = std::max(c.kinetic, energies(system, past[0]).kinetic);
    tell(0.9 * static_cast<double>(k + 1) / static_cast<double>(motion.steps()));
  }
  if (stepper.modes()) c.modes = static_cast<int>(stepper.modes()->basis().count());
  c.iterations = static_cast<double>(stepper.newton_iterations()) / static_cast<double>(motion.steps());
  c.lost = start - energies(system, past[0]).total();
  const Trial one = simulate_unguarded(scene, [&](double part) { tell(0.9 + 0.1 * part); });
  c.lost_by_one = start - one.steps.back().energies.total();
  c.failed = one.stopped;
  return c;
}

Figure figure_of(const std::vector<Series>& all, const std::string& full, double step) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const Series& s) { return s.full == full; });
  Figure figure{full + (step == small_step ? "" : "-large-step"),
                fmt::format("What one Newton iteration leaves: {} against {}, h = {:.3g} s", it->semi, full, step),
                {"number of modes s"},
                {"difference of positions / motion in a step", Scale::logarithmic},
                {},
                Legend::below};
  int color = 0;
  for (const Series& s : all) {
    if (s.full != full || s.step != step) continue;
    std::vector<double> modes, iteration, error;
    for (const Comparison& c : s.by_modes) {
      modes.push_back(c.modes);
      iteration.push_back(c.d.of_motion(c.d.iteration));
      error.push_back(c.d.of_motion(c.d.error));
    }
    const std::string body = "E = " + pascals(s.young);
    figure.curves.push_back({body + ": left by one iteration", modes, iteration, Stroke::line_and_points, color});
    figure.curves.push_back({body + ": error of the converged step", modes, error, Stroke::dashes, color});
    ++color;
  }
  return figure;
}

/// With which s one iteration suffices.
StudyTable sufficient_table(const std::vector<Series>& all) {
  StudyTable table{
      "sufficient",
      fmt::format("Numbers of modes with which one iteration suffices in at least {:.0f} % of the steps", 100 * mostly),
      {"method", "E", fmt::format("h = {:.3g} s", small_step), fmt::format("h = {:.3g} s", large_step)},
      {}};
  const auto text = [](const Series& s) { return s.sufficient().empty() ? "none" : join(s.sufficient()); };
  for (const Series& s : all) {
    if (s.step != small_step) continue;
    const auto large = std::find_if(all.begin(), all.end(), [&](const Series& other) {
      return other.step == large_step && other.full == s.full && other.young == s.young;
    });
    table.rows.push_back({s.full, pascals(s.young), text(s), text(*large)});
  }
  return table;
}

/// In how many of the cases of one step there is a number of modes with which one iteration suffices.
std::string cases(const std::vector<Series>& all, double step) {
  long with = 0, count = 0;
  for (const Series& s : all) {
    count += s.step == step;
    with += s.step == step && s.with_modes();
  }
  return fmt::format("in {} of {} cases at h = {:.3g} s", with, count, step);
}

}  // namespace

StudyResult study_one_newton(const StudyContext& context) {
  // The lowest modes of a square beam are pairs, which are not cut: with s = 1, two are taken.
  const std::vector<int> counts = {0, 2, 5, 11, 20, 40};
  std::vector<Series> all;
  for (const double step : {small_step, large_step})
    for (const double young : {1e5, 1e7}) {
      all.push_back({"BDF2ERE", "SBDF2ERE", "SBDF2", young, step});
      all.push_back({"TR-BDF2ERE", "STR-SBDF2ERE", "STR-SBDF2", young, step});
    }
  StudyTable table{"iterations",
                   "Steps of the converged method, and of one Newton iteration from the same history",
                   {"method", "E [Pa]", "h [s]", "s", "left by one iteration / motion in a step",
                    "error of the converged step / motion in a step", "suffices in [%] of the steps",
                    "iterations in a step", "energy lost by the converged method [J]", "by one iteration [J]"},
                   {}};
  double done = 0;
  const double runs = static_cast<double>(all.size() * counts.size());
  for (Series& s : all)
    for (const int count : counts) {
      const auto scene = linearised_beam(context, s.young, s.step);
      const nlohmann::json tight = {{"newton_tolerance", 1e-10}};
      nlohmann::json hybrid = tight;
      hybrid.update({{"modes", count}, {"refresh", {{"every", 1}}}});
      const Comparison c = compare_updates(
          count == 0 ? under_method(scene, s.without, tight) : under_method(scene, s.semi, hybrid),
          s.step == small_step ? 5 : 2,
          [&](double part) { context.tell((done + part) / runs, fmt::format("{}, {} modes", s.full, count)); });
      ++done;
      table.rows.push_back(
          {s.full, fmt::format("{:g}", s.young), fmt::format("{:.4g}", s.step), fmt::format("{}", c.modes),
           fmt::format("{:.2e}", c.d.of_motion(c.d.iteration)), fmt::format("{:.2e}", c.d.of_motion(c.d.error)),
           fmt::format("{:.0f}", 100 * c.d.suffices()), fmt::format("{:.1f}", c.iterations),
           fmt::format("{:.2f}", c.lost), c.failed ? "fails: " + *c.failed : fmt::format("{:.2f}", c.lost_by_one)});
      s.by_modes.push_back(c);
    }

  bool at_small = true;
  double gain = INFINITY, apart = 0;
  bool failed = false;
  for (const Series& s : all) {
    gain = std::min(gain, s.gain());
    for (const Comparison& c : s.by_modes) failed = failed || c.failed;
    if (s.step != small_step) continue;
    at_small = at_small && s.with_modes();
    for (const Comparison& c : s.by_modes) apart = std::max(apart, std::abs(c.lost - c.lost_by_one) / c.kinetic);
  }
  StudyResult result;
  result.text = fmt::format(
      "The beam of fig. soft_energy ({} tetrahedra), soft (E = 100 kPa) and stiff (10 MPa), is stepped by the "
      "converged hybrids, with modes refreshed at each step. Now and then the same step is also taken from the same "
      "history with one Newton iteration, which is the semi-implicit method, and by many small steps of TR-BDF2, "
      "which stand for the exact motion. s = 0 is the scheme without modes. One iteration suffices where it leaves "
      "less than the error that the converged step has anyway.\n\n"
      "There are numbers of modes with which that is so in at least {:.0f} % of the steps {}, and {} (first table). "
      "What one iteration leaves hardly depends on s (at best {:.2f} times what it leaves without modes). What falls "
      "with s is the error of the converged step, and where it has fallen far enough, one iteration is no longer "
      "good enough for it. So it is few modes, or none, and small steps for which one iteration suffices.",
      5 * (context.quick() ? 8 : 64), 100 * mostly, cases(all, small_step), cases(all, large_step), gain);
  result.claims = {
      judged("With an appropriate s, one Newton iteration suffices: SBDF2ERE for BDF2ERE (end of sec. 3); here "
             "STR-SBDF2ERE for TR-BDF2ERE too.",
             at_small,
             fmt::format("It leaves less than the error of the converged step, in at least {:.0f} % of the steps, with "
                         "some number of modes {}, and {}.",
                         100 * mostly, cases(all, small_step), cases(all, large_step)),
             "the motion of a step is too large for a linear force."),
      judged("It is the choice of s that makes û so good an approximation that one iteration suffices (end of sec. 3).",
             gain < 0.5,
             fmt::format("What one iteration leaves with modes is at best {:.2f} times what it leaves without.", gain),
             "an iteration neglects the curvature of the force along the whole motion of the step, whichever part of "
             "that motion the modes carry. Modes make the converged step more exact, not the iteration."),
      judged("Semi-implicit hybrids can be used effectively, which eliminates the need for solving nonlinear equations "
             "(conclusion).",
             !failed && apart < 0.01,
             fmt::format("At h = {:.3g} s the energies lost by one iteration and by the converged methods differ by at "
                         "most {:.2g} % of the largest kinetic energy; {}.",
                         small_step, 100 * apart, failed ? "some runs fail" : "no run fails"),
             "one iteration moves differently here.")};
  for (const double step : {small_step, large_step})
    for (const char* full : {"BDF2ERE", "TR-BDF2ERE"}) result.figures.push_back(figure_of(all, full, step));
  result.tables = {sufficient_table(all), table};
  return result;
}

}  // namespace limber
