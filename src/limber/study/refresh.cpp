/// Section 4 of the survey: how often must the modes of a hybrid be computed anew? Error and time against the policy,
/// on a soft and a stiff beam, and what becomes of a bar in large motion.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "limber/study/claims.hpp"
#include "limber/study/example_scenes.hpp"
#include "limber/study/flung_bar.hpp"
#include "limber/study/studies.hpp"
#include "limber/study/unguarded.hpp"

namespace limber {

namespace {

constexpr double step_length = 0.01;  // [s]
constexpr int mode_count = 11;        // the tenth and the eleventh mode of a square beam are a pair, which is not cut
constexpr int reference_parts = 100;  // steps of the reference, RK4, in one of h
constexpr double noticeable = 1.1;    // errors that differ by this factor count as different

struct Policy {
  std::string name;
  nlohmann::json refresh;
};

const std::vector<Policy>& policies() {
  static const std::vector<Policy> list = {{"every step", {{"every", 1}}},        {"every 2", {{"every", 2}}},
                                           {"every 5", {{"every", 5}}},           {"every 10", {{"every", 10}}},
                                           {"every 50", {{"every", 50}}},         {"once", "once"},
                                           {"residual .01", {{"residual", .01}}}, {"residual .1", {{"residual", .1}}},
                                           {"residual 1", {{"residual", 1}}},     {"auto", "auto"}};
  return list;
}
constexpr std::size_t every_step = 0, once = 5, first_residual = 6, automatic = 9;  // of policies()

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// A motion as positions at multiples of h, and what it took.
struct Followed {
  std::vector<Vector> q;
  double seconds = 0;  // of processors a step, without the first
  long refreshes = 0, steps = 0;
  double lost = 0;  // [J]
  std::optional<std::string> stopped;

  double steps_per_refresh() const { return static_cast<double>(steps) / static_cast<double>(std::max(1L, refreshes)); }
};

Followed follow_policy(const nlohmann::json& scene, int keep_every, const std::function<void(double)>& tell) {
  Followed m;
  double begin = 0;
  const Trial trial = simulate(scene, [&](const Simulation& s, double part) {
    if (s.step_count() == 1) begin = cpu_seconds();
    if (s.step_count() % keep_every == 0) m.q.push_back(s.state().q);
    m.steps = s.step_count();
    if (s.modes()) m.refreshes = s.modes()->refreshes();
    m.seconds = cpu_seconds() - begin;
    tell(part);
  });
  m.seconds /= static_cast<double>(std::max(1L, m.steps - 1));
  m.lost = trial.steps.front().energies.total() - trial.steps.back().energies.total();
  m.stopped = trial.stopped;
  return m;
}

/// Root of the mean square over nodes and times; +∞ where one has stopped early.
double rms_difference(const std::vector<Vector>& a, const std::vector<Vector>& b) {
  if (a.size() != b.size()) return INFINITY;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]).squaredNorm() / static_cast<double>(a[i].size());
  return std::sqrt(sum / static_cast<double>(a.size()));
}

struct Row {
  std::string method;
  double young;
  std::vector<Followed> by_policy;
  std::vector<double> error, change;  // against the reference, and against a refresh at each step; of the motion
  double ratio() const { return error[once] / error[every_step]; }
  double lost_ratio() const { return by_policy[automatic].lost / by_policy[every_step].lost; }
  double time_ratio() const { return by_policy[automatic].seconds / by_policy[every_step].seconds; }
  double refresh_seconds() const { return by_policy[every_step].seconds - by_policy[once].seconds; }
};

nlohmann::json refreshed_beam(const StudyContext& context, double young) {
  nlohmann::json scene = example_scene("beam");
  scene["bodies"][0]["mesh"]["cells"] = context.quick() ? std::vector<int>{16, 2, 2} : std::vector<int>{24, 3, 3};
  scene["bodies"][0]["material"]["young"] = young;
  scene["time"] = {{"step", step_length}, {"duration", 1.5}};
  return scene;
}

/// Seconds of processors that one assembly of f and K takes.
double assembly_seconds(const nlohmann::json& scene) {
  UnguardedMotion motion(under_method(scene, "SI"));
  Tangent tangent;
  constexpr int times = 30;
  double start = 0;
  for (int i = -3; i < times; ++i) {
    if (i == 0) start = cpu_seconds();
    motion.system().linearize(motion.state(), Definiteness::exact, tangent);
  }
  return (cpu_seconds() - start) / times;
}

double longest(const Row& row) { return static_cast<double>(row.by_policy[once].steps); }

std::string body(double young) { return young < 1e6 ? "soft" : young < 1e8 ? "medium" : "stiff"; }

std::string milliseconds(double seconds) { return fmt::format("{:.2f} ms", 1000 * seconds); }

/// What older modes change, and the time of a step, of one beam. assembly: seconds that f and K take.
std::vector<Figure> figures_of(const std::vector<Row>& rows, double young, double assembly) {
  Figure change{"change-" + body(young),
                "What older modes change on the " + body(young) + " beam",
                {"steps per refresh", Scale::logarithmic},
                {"difference to modes of each step / motion", Scale::logarithmic},
                {},
                Legend::below};
  Figure cost{"time-" + body(young),
              "Time of a step on the " + body(young) + " beam",
              {"steps per refresh", Scale::logarithmic},
              {"processor time of a step [ms]"},
              {},
              Legend::below};
  cost.y.from = 0.0;
  int color = 0;
  for (const Row& row : rows) {
    if (row.young != young) continue;
    std::vector<double> x, y, t, rx, ry, rt;
    for (std::size_t p = 0; p < automatic; ++p) {
      const bool residual = p >= first_residual;
      (residual ? rx : x).push_back(row.by_policy[p].steps_per_refresh());
      (residual ? ry : y).push_back(row.change[p]);
      (residual ? rt : t).push_back(1000 * row.by_policy[p].seconds);
    }
    const std::string by_residual = row.method + ", residual .01, .1, 1";
    change.curves.push_back({row.method + ", every k steps, once", x, y, Stroke::line_and_points, color});
    change.curves.push_back({by_residual, rx, ry, Stroke::points, color});
    const Followed& own = row.by_policy[automatic];
    change.curves.push_back({row.method + ", auto",
                             {own.steps_per_refresh()},
                             {row.change[automatic]},
                             Stroke::line_and_points,
                             color + 2});
    cost.curves.push_back(
        {row.method + ", auto", {own.steps_per_refresh()}, {1000 * own.seconds}, Stroke::line_and_points, color + 2});
    change.curves.push_back({row.method + ": its own error",
                             {1, longest(row)},
                             {row.error[every_step], row.error[every_step]},
                             Stroke::dots,
                             color});
    cost.curves.push_back({row.method + ", every k steps, once", x, t, Stroke::line_and_points, color});
    cost.curves.push_back({by_residual, rx, rt, Stroke::points, color++});
  }
  cost.curves.push_back(
      {"assembly of f and K", {1, longest(rows[0])}, {1000 * assembly, 1000 * assembly}, Stroke::dashes, 4});
  return {change, cost};
}

/// SIERE without the driver on a bar in large motion.
struct LargeMotion {
  Figure figure{"large-motion",
                "SIERE alone on a soft bar that is flung at 10 m/s",
                {"time [s]"},
                {"kinetic + elastic energy [J]", Scale::logarithmic, 100.0, 1e8},
                {},
                Legend::below};
  StudyTable table{
      "stability", "SIERE alone and no step tried again: the bar of the study si-diverges", {"policy", "ends"}, {}};
  std::vector<bool> wrecked = {};  // by policy

  void add(const Policy& policy, const Trial& trial, Stroke bounded) {
    wrecked.push_back(trial.diverged());
    figure.curves.push_back(
        {policy.name, trial.times(), trial.moving_energy(), wrecked.back() ? Stroke::line_and_points : bounded});
    table.rows.push_back({policy.name, wrecked.back() ? fmt::format("diverges before {:.2f} s", trial.steps.back().time)
                                                      : "stays bounded"});
  }
  std::string ends() const {
    std::vector<std::string> lost, kept;
    for (std::size_t p = 0; p < wrecked.size(); ++p) (wrecked[p] ? lost : kept).push_back(policies()[p].name);
    return fmt::format("diverges with modes refreshed {}; stays bounded with {}",
                       lost.empty() ? "by no policy" : join(lost), kept.empty() ? "none" : join(kept));
  }
};

std::vector<Claim> claims_of(const std::vector<Row>& rows, double assembly, const LargeMotion& large) {
  const Row &soft = rows[0], &soft2 = rows[1], &stiff = rows[4], &stiff2 = rows[5];
  const double refreshed = soft.refresh_seconds(), rest = soft.by_policy[once].seconds;
  return {
      judged("For stiff objects it is sufficient to perform the spectral decomposition only once (sec. 4).",
             stiff.ratio() < noticeable && stiff2.ratio() < noticeable,
             fmt::format(
                 "On the stiff beam, 100 MPa, the error with modes kept is {:.2f} (SIERE) and {:.2f} (STR-SBDF2ERE) "
                 "times that with modes of each step; at 10 MPa {:.2f} and {:.2f} times.",
                 stiff.ratio(), stiff2.ratio(), rows[2].ratio(), rows[3].ratio()),
             "the beam bends far enough to change its modes."),
      judged("For soft objects one may need to do so more frequently (sec. 4).",
             std::max(soft.ratio(), soft2.ratio()) > noticeable,
             fmt::format("On the soft beam: {:.2f} and {:.2f} times; with a refresh every 10 steps {:.2f} and {:.2f} "
                         "times.",
                         soft.ratio(), soft2.ratio(), soft.error[3] / soft.error[every_step],
                         soft2.error[3] / soft2.error[every_step]),
             "the modes of this beam change too little to matter beside the error of the method."),
      judged(
          "By the rule auto it loses no more energy than a refresh at each step, within a tenth, and costs at most "
          "half of it.",
          std::max(soft.lost_ratio(), soft2.lost_ratio()) < noticeable &&
              soft.by_policy[automatic].seconds < 0.5 * soft.by_policy[every_step].seconds,
          fmt::format("On the soft beam SIERE loses {:.2f} and STR-SBDF2ERE {:.2f} times as much energy, in {:.2f} and "
                      "{:.2f} times the time; the errors are {:.2f} and {:.2f} times as large.",
                      soft.lost_ratio(), soft2.lost_ratio(), soft.time_ratio(), soft2.time_ratio(),
                      soft.error[automatic] / soft.error[every_step], soft2.error[automatic] / soft2.error[every_step]),
          "modes of a body that deforms far are others, and what they would carry the scheme damps."),
      judged("Doing so at every step produces more stable results (sec. 4).",
             large.wrecked[once] && !large.wrecked[every_step],
             fmt::format("On a soft bar in large motion SIERE alone {}.", large.ends()),
             "stability does not depend on the age of the modes in this motion."),
      judged("Computing the first s eigenpairs is significantly more expensive than the other parts of the integrator "
             "(sec. 4).",
             refreshed > rest,
             fmt::format("SIERE on the soft beam: {} for a refresh, {} for all else in a step.",
                         milliseconds(refreshed), milliseconds(rest)),
             "modes are not computed from scratch but followed, a few block iterations with an older factor."),
      judged("Such additional cost is small compared to just assembling the forces and the stiffness matrix (sec. 4).",
             refreshed < 0.5 * assembly,
             fmt::format("A refresh takes {}, assembling {}.", milliseconds(refreshed), milliseconds(assembly)),
             fmt::format("assembling runs over batches of elements into a fixed pattern: it is {:.0f} % of what a step "
                         "takes without a refresh.",
                         100 * assembly / rest))};
}

}  // namespace

StudyResult study_refresh(const StudyContext& context) {
  const auto& list = policies();
  const std::vector<double> youngs = {1e5, 1e7, 1e8};
  const std::vector<std::string> hybrids = {"SIERE", "STR-SBDF2ERE"};
  const double runs = static_cast<double>(youngs.size() * (3 + hybrids.size() * list.size()) + list.size());
  double done = 0;
  StudyTable table{"policies",
                   "Hybrids with 11 modes on the beam: error, time and energy against the policy",
                   {"beam", "method", "policy", "steps per refresh", "error / motion",
                    "change against every step / motion", "CPU ms per step", "energy lost [J]"},
                   {}};
  std::vector<Row> rows;
  std::vector<double> assembly;
  for (const double young : youngs) {
    const nlohmann::json scene = refreshed_beam(context, young);
    nlohmann::json fine = scene;
    fine["time"]["step"] = step_length / reference_parts;
    const Followed reference = follow_policy(under_method(fine, "RK4"), reference_parts, [&](double part) {
      context.tell((done + 3 * part) / runs, "reference, " + body(young));
    });
    done += 3;
    const double moved =
        rms_difference(reference.q, std::vector<Vector>(reference.q.size(), UnguardedMotion(scene).state().q));
    assembly.push_back(assembly_seconds(scene));
    for (const auto& method : hybrids) {
      Row row{method, young, {}, {}, {}};
      for (const Policy& policy : list) {
        row.by_policy.push_back(follow_policy(
            under_method(scene, method, {{"modes", mode_count}, {"refresh", policy.refresh}}), 1, [&](double part) {
              context.tell((done + part) / runs, fmt::format("{}, {}, {}", method, body(young), policy.name));
            }));
        ++done;
        const Followed& m = row.by_policy.back();
        row.error.push_back(rms_difference(m.q, reference.q) / moved);
        row.change.push_back(rms_difference(m.q, row.by_policy[every_step].q) / moved);
        table.rows.push_back({body(young), method, policy.name, fmt::format("{:.1f}", m.steps_per_refresh()),
                              fmt::format("{:.2e}", row.error.back()), fmt::format("{:.2e}", row.change.back()),
                              fmt::format("{:.2f}", 1000 * m.seconds),
                              m.stopped ? "stopped" : fmt::format("{:.1f}", m.lost)});
      }
      rows.push_back(row);
    }
  }

  LargeMotion large;
  for (std::size_t p = 0; p < list.size(); ++p) {
    const Trial trial =
        simulate_unguarded(under_method(flung_bar(10, step_length, context.quick() ? 0.6 : 2), "SIERE",
                                        {{"modes", 10}, {"refresh", list[p].refresh}}),
                           [&](double part) { context.tell((done + part) / runs, "large motion, " + list[p].name); });
    ++done;
    large.add(list[p], trial, p < first_residual ? Stroke::line : Stroke::dots);
  }
  const Row &soft = rows[0], &soft2 = rows[1], &stiff = rows[4], &stiff2 = rows[5];
  StudyResult result;
  result.text = fmt::format(
      "The beam of fig. soft_energy ({} tetrahedra), soft (E = 100 kPa), medium (10 MPa) and stiff (100 MPa), by "
      "hybrids with {} modes "
      "and h = {} s. Modes are found at the start and then refreshed by a policy: every k steps, once, when the "
      "error of the worst mode exceeds a tolerance, or by the rule auto (docs/methods.md). Errors are of "
      "positions, against RK4 with steps {} times smaller, "
      "and relative to the motion; times are of processors, all threads together.\n\n"
      "With modes kept from the start instead of refreshed at each step, the error of SIERE is {:.2f} "
      "times as large on the soft beam and {:.2f} times on the stiff one, that of STR-SBDF2ERE {:.2f} and {:.2f} "
      "times. SIERE loses "
      "{:.0f} J instead of {:.0f} J on the soft beam. A refresh costs {}, the rest of a step of SIERE {}, of which "
      "assembling f and K takes {}.\n\n"
      "In large motion it is about more than errors: SIERE alone, on a soft bar that whips, {}.",
      context.quick() ? 320 : 1080, mode_count, step_length, reference_parts, soft.ratio(), stiff.ratio(),
      soft2.ratio(), stiff2.ratio(), soft.by_policy[once].lost, soft.by_policy[every_step].lost,
      milliseconds(soft.refresh_seconds()), milliseconds(soft.by_policy[once].seconds), milliseconds(assembly[0]),
      large.ends());
  result.claims = claims_of(rows, assembly[0], large);
  for (std::size_t i = 0; i < youngs.size(); ++i)
    for (const Figure& figure : figures_of(rows, youngs[i], assembly[i])) result.figures.push_back(figure);
  result.figures.push_back(large.figure);
  result.tables = {table, large.table};
  return result;
}

}  // namespace limber
