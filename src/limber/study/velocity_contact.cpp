/// Fig. contact of the survey: velocity-based contact (conb) against position-based (cona) on a convex obstacle. A rod
/// slides off the top of a cylinder without friction; on the surface, with θ its angle from the top and R the radius,
///
///     θ̈ = (g/R) sin θ,   and it leaves where cos θ = 2/3 + v₀²/(3gR).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "limber/core/errors.hpp"
#include "limber/solve/interior_point.hpp"
#include "limber/study/claims.hpp"
#include "limber/study/exact_slide.hpp"
#include "limber/study/studies.hpp"
#include "limber/study/trial.hpp"

namespace limber {

namespace {

constexpr double radius = 0.1, speed = 0.3, thickness = 1e-3;           // [m], [m/s] at the top, [m] of the rod
constexpr double duration = 0.16;                                       // [s], a little less than it takes to leave
constexpr double large_contact_step = 0.04, small_contact_step = 0.01;  // [s]
constexpr double thick_layer = 2e-3, thin_layer = 2e-5;                 // δ [m]: below it (conb) acts, and the barrier

/// The rod's lower side starts .8 δ above the top.
nlohmann::json sliding_rod(const std::string& formulation, double h, double delta) {
  return {{"time", {{"step", h}, {"duration", duration}}},
          {"method", {{"name", "BE"}, {"newton_tolerance", 1e-8}}},
          {"gravity", {0, -standard_gravity, 0}},
          {"bodies",
           {{{"name", "rod"},
             {"mesh", {{"nodes", {{0, 0, -0.05}, {0, 0, 0.05}}}, {"edges", {{0, 1}}}}},
             {"springs", {{"edges", "mesh"}, {"stiffness", 100}}},
             {"point_mass", 0.1},
             {"thickness", thickness},
             {"position", {0, 0.8 * delta + thickness / 2, 0}},
             {"velocity", {speed, 0, 0}}}}},
          {"obstacles",
           {{{"name", "cylinder"},
             {"shape", "cylinder"},
             {"a", {0, -radius, -1}},
             {"b", {0, -radius, 1}},
             {"radius", radius}}}},
          {"contact", {{"formulation", formulation}, {"delta", delta}}}};
}

/// Of the rod's axis.
struct Path {
  std::vector<double> t, x, y;  // [s], [m]
  std::vector<double> gap() const {
    std::vector<double> g;
    for (std::size_t i = 0; i < x.size(); ++i) g.push_back(std::hypot(x[i], y[i] + radius) - radius - thickness / 2);
    return g;
  }
};

/// By formulation and step.
using Runs = std::map<std::string, std::map<double, Path>>;

void note(Path& path, const Simulation& simulation) {
  const Vector q = simulation.system().full(simulation.state()).q;
  path.t.push_back(simulation.time());
  path.x.push_back(q[0]);
  path.y.push_back(q[1]);
}

Path slide(const std::string& formulation, double h, double delta) {
  Path path{{0}, {0}, {0.8 * delta + thickness / 2}};
  const Trial trial = simulate(sliding_rod(formulation, h, delta),
                               [&](const Simulation& simulation, double) { note(path, simulation); });
  if (trial.stopped) throw StepFailure(formulation + ": " + *trial.stopped);
  return path;
}

double mean_gap(const Path& path) {
  const std::vector<double> g = path.gap();
  double sum = 0;
  for (std::size_t i = 1; i < g.size(); ++i) sum += g[i];
  return sum / static_cast<double>(g.size() - 1);
}

/// How far the end of the path is from where the rod should be [m].
double end_error(const Path& path) {
  const SlidePoint p = exact_slide(radius + thickness / 2, speed, path.t.back());
  return std::hypot(path.x.back() - p.x, path.y.back() + radius - p.y);
}

std::vector<double> in_millimetres(std::vector<double> metres) {
  for (double& x : metres) x *= 1000;
  return metres;
}

Curve path_curve(const std::string& label, const Path& path, Stroke stroke) {
  return {label, in_millimetres(path.x), in_millimetres(path.y), stroke};
}

/// Where the axis of the rod is when it touches.
Curve surface_curve() {
  Curve curve{"touching", {}, {}, Stroke::dots, 7};
  const double R = radius + thickness / 2;
  for (int i = 0; i <= 100; ++i) {
    const double angle = 0.01 * i * 60 * std::numbers::pi / 180;
    curve.x.push_back(1000 * R * std::sin(angle));
    curve.y.push_back(1000 * (R * std::cos(angle) - radius));
  }
  return curve;
}

/// What is seen of the three formulations, in words and claims. fine: the smallest step.
void compare_thickness(const Runs& thick, const Runs& thin, double fine, StudyResult& result) {
  const auto velocity = thick.at("velocity");
  const auto position = thick.at("nonpenetration");
  const auto barrier = thick.at("barrier");
  // After one large step: below the tangent plane through the start, yet outside the obstacle.
  const auto plausible = [&](const Path& p) { return p.y[1] < p.y[0] && p.gap()[1] >= -1e-7; };
  const Path &v = velocity.at(large_contact_step), &n = position.at(large_contact_step),
             &b = barrier.at(large_contact_step);
  const double opened = std::pow(speed * large_contact_step, 2) / (2 * radius);
  const auto apart = [&](const Runs& at, double h) {
    return std::abs(mean_gap(at.at("velocity").at(h)) - mean_gap(at.at("nonpenetration").at(h)));
  };
  constexpr double down_to = 0.0025;  // [s]; below, what is left is that the rod starts above the top
  const auto order = [&](const std::string& name) {
    const auto& paths = thin.at(name);
    return std::log(end_error(paths.at(large_contact_step)) / end_error(paths.at(down_to))) /
           std::log(large_contact_step / down_to);
  };
  const double ahead = b.x.back() - exact_slide(radius + thickness / 2, speed, duration).x;
  result.text += fmt::format(
      "With h = {:g} s the rod moves {:g} mm in the first step. (cona) and the barrier take it down with the "
      "surface, to {:.2f} and {:.2f} mm above it; (conb) holds it on the tangent plane through where it was, {:.2f} "
      "mm above the surface. (cona) is linearised too: a step s along a tangent opens a gap of s²/2R, {:.2f} mm for "
      "the first, and steps get longer on the way. In the mean over the slide the gaps are {:.2f} mm (conb), {:.2f} "
      "mm (cona) and {:.2f} mm (barrier).\n\n"
      "With small steps and δ = {:g} mm, (cona) and the barrier come to the exact position: from h = {:g} to {:g} s "
      "the error falls with the power {:.1f} and {:.1f} of h. The barrier pushes along the normal where a step ends, "
      "which has a part along the way down; with h = {:g} s the rod ends {:.1f} mm ahead for it. (conb) keeps "
      "hovering: at h = {:g} s its mean gap is still {:.2f} mm, against {:.3f} mm with (cona), since it lets nothing "
      "come closer that is within δ = {:g} mm. With δ = {:g} mm it is {:.4f} mm, against {:.4f} mm.",
      large_contact_step, 1000 * speed * large_contact_step, 1000 * n.gap()[1], 1000 * b.gap()[1], 1000 * v.gap()[1],
      1000 * opened, 1000 * mean_gap(v), 1000 * mean_gap(n), 1000 * mean_gap(b), 1000 * thin_layer, large_contact_step,
      down_to, order("nonpenetration"), order("barrier"), large_contact_step, 1000 * ahead, fine,
      1000 * mean_gap(velocity.at(fine)), 1000 * mean_gap(position.at(fine)), 1000 * thick_layer, 1000 * thin_layer,
      1000 * mean_gap(thin.at("velocity").at(fine)), 1000 * mean_gap(thin.at("nonpenetration").at(fine)));
  result.claims = {
      judged("With large enough steps velocity-based contact may reject plausible steps on a convex surface (fig. "
             "contact).",
             plausible(n) && plausible(b) && v.y[1] >= v.y[0] - 1e-7,
             fmt::format("After one step of {:g} s (cona) and the barrier are {:.2f} and {:.2f} mm below the tangent "
                         "plane through the start, and outside the cylinder; (conb) is {:.2f} mm above it.",
                         large_contact_step, 1000 * (n.y[0] - n.y[1]), 1000 * (b.y[0] - b.y[1]),
                         1000 * std::max(0.0, v.y[1] - v.y[0])),
             "the step is not large enough."),
      judged("Linearised non-penetration may cause artifacts, typically in highly curved areas and with large steps "
             "(sec. contact).",
             mean_gap(n) > 2 * mean_gap(position.at(small_contact_step)),
             fmt::format("The mean gap of (cona) is {:.2f} mm at h = {:g} s and {:.2f} mm at h = {:g} s, where it "
                         "should be 0; that of the barrier {:.2f} and {:.2f} mm.",
                         1000 * mean_gap(n), large_contact_step, 1000 * mean_gap(position.at(small_contact_step)),
                         small_contact_step, 1000 * mean_gap(b), 1000 * mean_gap(barrier.at(small_contact_step))),
             "the gap that a straight step opens is too small here."),
      judged("It takes large enough steps for velocities to reject what is plausible (fig. contact).",
             apart(thick, fine) < 0.1 * apart(thick, large_contact_step),
             fmt::format("The mean gaps of (conb) and (cona) differ by {:.2f} mm at h = {:g} s and by {:.2f} mm at "
                         "h = {:g} s with δ = {:g} mm; by {:.4f} mm at h = {:g} s with δ = {:g} mm.",
                         1000 * apart(thick, large_contact_step), large_contact_step, 1000 * apart(thick, fine), fine,
                         1000 * thick_layer, 1000 * apart(thin, fine), fine, 1000 * thin_layer),
             "(conb) lets nothing come closer that counts as in contact, at any step: what is left of it is δ.")};
}

}  // namespace

StudyResult study_velocity_contact(const StudyContext& context) {
  const std::vector<std::string> formulations = has_interior_point()
                                                    ? std::vector<std::string>{"velocity", "nonpenetration", "barrier"}
                                                    : std::vector<std::string>{"barrier"};
  std::vector<double> steps = {0.04, 0.02, 0.01, 0.005, 0.0025};
  if (!context.quick()) steps.insert(steps.end(), {0.00125, 0.000625});
  const std::map<std::string, std::string> names = {{"velocity", "velocity (conb)"},
                                                    {"nonpenetration", "non-penetration, linearised (cona)"},
                                                    {"barrier", "barrier on the true distance"}};
  StudyTable table{"slide",
                   fmt::format("A rod that slides off a cylinder for {} s", duration),
                   {"formulation", "δ [mm]", "h [s]", "mean gap [mm]", "largest gap [mm]", "error of the end [mm]"},
                   {}};
  Figure convergence{"convergence",
                     fmt::format("Where the rod is after {} s", duration),
                     {"step h [s]", Scale::logarithmic},
                     {"distance to the exact position [mm]", Scale::logarithmic},
                     {},
                     Legend::below};
  Figure hover{"gaps",
               "How far the rod stays from the cylinder",
               {"step h [s]", Scale::logarithmic},
               {"mean gap [mm]", Scale::logarithmic},
               {},
               Legend::below};
  Runs thick, thin;
  double done = 0;
  const double runs = 2.0 * static_cast<double>(formulations.size() * steps.size());
  for (const double delta : {thick_layer, thin_layer})
    for (std::size_t f = 0; f < formulations.size(); ++f) {
      const std::string& name = formulations[f];
      Curve error{fmt::format("{}, δ = {:g} mm", name, 1000 * delta),
                  {},
                  {},
                  delta == thick_layer ? Stroke::line_and_points : Stroke::dashes,
                  static_cast<int>(f)};
      Curve gap = error;
      for (const double h : steps) {
        const Path path = slide(name, h, delta);
        const std::vector<double> g = path.gap();
        const double most = *std::max_element(g.begin() + 1, g.end());
        table.rows.push_back({name, fmt::format("{:g}", 1000 * delta), fmt::format("{:g}", h),
                              fmt::format("{:.3g}", 1000 * mean_gap(path)), fmt::format("{:.3g}", 1000 * most),
                              fmt::format("{:.3g}", 1000 * end_error(path))});
        error.x.push_back(h);
        error.y.push_back(1000 * end_error(path));
        gap.x.push_back(h);
        gap.y.push_back(1000 * mean_gap(path));
        (delta == thick_layer ? thick : thin)[name].emplace(h, path);
        context.tell(++done / runs, fmt::format("{}, h = {} s", name, h));
      }
      convergence.curves.push_back(error);
      hover.curves.push_back(gap);
    }
  StudyResult result;
  Figure heights{"heights",    fmt::format("How far the rod is from the cylinder, δ = {:g} mm", 1000 * thick_layer),
                 {"time [s]"}, {"gap [mm]", Scale::linear, 0.0},
                 {},           Legend::below};
  for (const double h : {large_contact_step, small_contact_step}) {
    Figure paths{fmt::format("paths-{:g}ms", 1000 * h),
                 fmt::format("A rod slides off a cylinder of radius {:g} mm, h = {:g} s, δ = {:g} mm", 1000 * radius, h,
                             1000 * thick_layer),
                 {"x [mm]"},
                 {"height of the rod's axis above the top [mm]"},
                 {},
                 Legend::bottom_left};
    for (std::size_t f = 0; f < formulations.size(); ++f) {
      const Path& path = thick.at(formulations[f]).at(h);
      paths.curves.push_back(path_curve(names.at(formulations[f]), path, Stroke::line_and_points));
      heights.curves.push_back({fmt::format("{}, h = {:g} s", formulations[f], h), path.t, in_millimetres(path.gap()),
                                h == large_contact_step ? Stroke::line_and_points : Stroke::dashes,
                                static_cast<int>(f)});
    }
    paths.curves.push_back(surface_curve());
    result.figures.push_back(paths);
  }
  result.figures.push_back(heights);
  result.figures.push_back(hover);
  result.figures.push_back(convergence);
  result.tables = {table};
  const double leaves = std::acos(2.0 / 3 + speed * speed / (3 * standard_gravity * radius)) * 180 / std::numbers::pi;
  result.text = fmt::format(
      "A rod is pushed off the top of a cylinder of radius {:g} mm at {} m/s and slides down without friction; "
      "exactly, it keeps to the surface until {:.1f}° from the top. Backward Euler, with contact by inequalities on "
      "the velocity (conb), by inequalities on linearised gaps (cona), and by the barrier, which sees the true "
      "distance. δ is the distance below which (conb) and the barrier act.\n\n",
      1000 * radius, speed, leaves);
  if (!has_interior_point()) {
    result.text +=
        "This program is built without IPOPT, which the two formulations by inequalities need: only the barrier is "
        "shown, and nothing can be said of the survey's comparison.";
    return result;
  }
  compare_thickness(thick, thin, steps.back(), result);
  return result;
}

}  // namespace limber
