#include "limber/study/validation/impacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "limber/scene/construction/build.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/facts.hpp"
#include "limber/study/example_scenes.hpp"
#include "limber/study/trial.hpp"
#include "limber/study/validation/closed_forms.hpp"

namespace limber {

namespace {

constexpr double bar_thickness = 0.01;  // [m], of the scene
constexpr BouncingBar bouncing_bar = {10, 30, 10, 5};

/// Both problems are linear: the scenes have a tenth of the printed displacements, so that no element is turned inside
/// out where a method rings, and numbers are those of the scenes times this.
constexpr double enlarged = 10;

/// Contact reaches over a tenth of an element, of what is printed.
std::string contact_range(double element) { return fmt::format("contact.delta={}", element / 10 / enlarged); }

/// Of nodes along y that are evenly spaced at rest; the masses of the ends are half of those between them.
double mean_height(const Vector& q) {
  const Index last = q.size() / 3 - 1;
  double sum = (q[1] + q[3 * last + 1]) / 2;
  for (Index i = 1; i < last; ++i) sum += q[3 * i + 1];
  return sum / static_cast<double>(last);
}

std::vector<std::string> released_rod_mesh(int n) {
  const double element = 1.0 / n;
  std::vector<double> masses(ix(n + 1), element);
  masses.front() = masses.back() = element / 2;
  return {fmt::format("bodies[0].mesh.segments={}", n),
          fmt::format(R"(bodies[0].springs={{"stiffness":{},"rest_length":{}}})", n, element),
          "bodies[0].point_mass=" + nlohmann::json(masses).dump(), contact_range(element)};
}

}  // namespace

const ImpactProblem& bouncing_bar_problem() {
  constexpr double section = std::numbers::pi / 4 * bar_thickness * bar_thickness;
  static const ImpactProblem problem = {
      "bouncing_bar",
      "A bar that bounces on a rigid floor",
      "D. Doyen, A. Ern, S. Piperno, Time-integration schemes for the finite element dynamic Signorini problem, SIAM "
      "J. Sci. Comput. 33 (2011) 223–249: L = 10, E = 900, ρ = 1, g = 10, from a height of 5; the scene has a tenth of "
      "g and of the height. D'Alembert's solution is "
      "worked out in `closed_forms.hpp`",
      bouncing_bar.period(),
      bouncing_bar.length / bouncing_bar.wave_speed,
      [](double t) { return bouncing_bar.height(t); },
      [](double t) { return bouncing_bar.pressure(t); },
      [](const Vector& q) { return enlarged * (mean_height(q) - (bouncing_bar.length + bar_thickness) / 2); },
      [](int n) {
        return std::vector<std::string>{fmt::format("bodies[0].mesh.segments={}", n),
                                        contact_range(bouncing_bar.length / n)};
      },
      section / enlarged,
      section * bouncing_bar.length * bouncing_bar.gravity * bouncing_bar.drop / (enlarged * enlarged)};
  return problem;
}

const ImpactProblem& released_rod_problem() {
  static const ImpactProblem problem = {
      "released_rod",
      "A compressed rod that is let go and meets a wall",
      "F. Dabaghi, A. Petrov, J. Pousin, Y. Renard, Convergence of mass redistribution method for the one-dimensional "
      "wave equation with a unilateral constraint at the boundary, ESAIM: M2AN 48 (2014) 1147–1169; F. Chouly, Y. "
      "Renard, Explicit Verlet time-integration for a Nitsche-based approximation of elastodynamic contact problems, "
      "Adv. Model. Simul. Eng. Sci. 5 (2018) 31: u = (1 − x)/2 at the start, of which the scene has a tenth. "
      "D'Alembert's solution is worked out in `closed_forms.hpp`",
      3,
      1,
      released_rod_end,
      released_rod_pressure,
      [](const Vector& q) { return enlarged * q[0]; },
      released_rod_mesh,
      1 / enlarged,
      0};
  return problem;
}

double ImpactMotion::at(const std::vector<double>& values, double t) const {
  constexpr double a_little = 1e-9;  // [s], for rounding
  if (t > times.back() + a_little) return NAN;
  const auto after = std::lower_bound(times.begin(), times.end(), t);
  if (after == times.begin()) return values.front();
  if (after == times.end()) return values.back();
  const auto i = static_cast<std::size_t>(after - times.begin());
  const double part = (t - times[i - 1]) / (times[i] - times[i - 1]);
  return values[i - 1] + part * (values[i] - values[i - 1]);
}

nlohmann::json impact_scene(const ImpactProblem& problem, const std::string& method, const ImpactSteps& steps) {
  nlohmann::json scene = example_scene("validation/" + problem.scene);
  for (const std::string& change : problem.mesh(steps.elements)) apply_override(scene, change);
  const double h = steps.courant * problem.crossing / steps.elements;
  scene["time"] = {{"step", h}, {"duration", h * std::ceil(steps.periods * problem.period / h - 1e-6)}};
  scene.erase("output");
  const nlohmann::json tolerance = scene["method"]["newton_tolerance"];
  return under_method(std::move(scene), method, {{"newton_tolerance", tolerance}});
}

ImpactMotion follow_impacts(const ImpactProblem& problem, const nlohmann::json& json) {
  const Scene scene = read_scene(json, vocabulary(), "");
  const Model model = build_model(scene);
  Simulation simulation = build_simulation(scene, model);
  const MechanicalSystem& system = *model.system;
  const double start = simulation.energies().total(), scale = problem.scale > 0 ? problem.scale : start;
  ImpactMotion motion;
  const auto look = [&] {
    motion.times.push_back(simulation.time());
    motion.place.push_back(problem.measured(system.full(simulation.state()).q));
    motion.energy.push_back(1 - (start - simulation.energies().total()) / scale);
    double force = 0;
    for (const ContactPoint& p : contact_points(*model.contact, system.full(simulation.acting())))
      force += p.normal_force;
    motion.pressure.push_back(force / problem.section);
  };
  look();
  Trial trial;
  trial.run([&] {
    for (long left = step_count(scene.time); left > 0; --left) {
      simulation.step();
      look();
    }
  });
  motion.stopped = trial.stopped;
  return motion;
}

std::vector<const MethodInfo*> contact_methods() {
  std::vector<const MethodInfo*> methods;
  for (const MethodInfo& m : method_catalog())
    if (m.splitting != Splitting::printed) methods.push_back(&m);
  return methods;
}

}  // namespace limber
