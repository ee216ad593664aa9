/// Fig. ere_cost of the survey: seconds per step against Young's modulus, on a swinging creature.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/linalg/solvers/factor.hpp"
#include "limber/study/claims.hpp"
#include "limber/study/example_scenes.hpp"
#include "limber/study/studies.hpp"
#include "limber/study/trial.hpp"

namespace limber {

namespace {

struct CostLine {
  std::string label, method, solver;
  Stroke stroke = Stroke::line_and_points;
};

/// The slope of log y over log x, between the first and the last point.
double growth(const Curve& c) { return std::log(c.y.back() / c.y.front()) / std::log(c.x.back() / c.x.front()); }

/// What was measured.
struct Costs {
  std::vector<Curve> time;  // of a step [s] against E [Pa], in the order of lines()
  Curve products;           // of ERE, a step
  StudyTable helped;
};

double largest_ratio(const Curve& c) {
  return *std::max_element(c.y.begin(), c.y.end()) / *std::min_element(c.y.begin(), c.y.end());
}

std::vector<CostLine> lines() {
  const std::string direct = make_cholmod_factor() ? "cholmod" : "ldlt";
  return {{"ERE", "ERE", "auto"},
          {"SIERE", "SIERE", direct},
          {"SI", "SI", direct},
          {"BE", "BE", direct},
          {"TR-BDF2", "TR-BDF2", direct},
          {"SDIRK", "SDIRK", direct},
          {"SIERE, solver by cost", "SIERE", "auto", Stroke::dashes},
          {"SI, solver by cost", "SI", "auto", Stroke::dashes}};
}

Costs measure(const StudyContext& context, nlohmann::json scene, const std::vector<double>& moduli, int steps) {
  Costs costs{{}, {"ERE", {}, {}, Stroke::line_and_points}, {"escalated", {}, {"method"}, {}}};
  costs.helped.title = "Steps that were left to the full Newton, or halved, of " + std::to_string(steps);
  for (const double E : moduli) costs.helped.columns.push_back(fmt::format("E = {:.0e} Pa", E));
  const std::vector<CostLine> all = lines();
  for (std::size_t k = 0; k < all.size(); ++k) {
    Curve curve{all[k].label, {}, {}, all[k].stroke};
    if (all[k].stroke == Stroke::dashes) curve.color = all[k].method == "SIERE" ? 1 : 2;
    costs.helped.rows.push_back({all[k].label});
    for (std::size_t i = 0; i < moduli.size(); ++i) {
      scene["bodies"][0]["material"]["young"] = moduli[i];
      nlohmann::json parameters{{"solver", all[k].solver}};
      if (all[k].method == "SIERE") parameters["modes"] = 10;
      const double share = 1.0 / static_cast<double>(all.size() * moduli.size());
      const Trial trial = simulate(under_method(scene, all[k].method, parameters), [&](const Simulation&, double part) {
        context.tell((static_cast<double>(k * moduli.size() + i) + part) * share,
                     fmt::format("{}, E = {:.0e} Pa", all[k].label, moduli[i]));
      });
      curve.x.push_back(moduli[i]);
      curve.y.push_back(trial.stopped ? NAN : trial.seconds_per_step());
      costs.helped.rows.back().push_back(trial.stopped ? "stopped" : fmt::format("{}", trial.escalated + trial.halved));
      if (all[k].method != "ERE") continue;
      costs.products.x.push_back(moduli[i]);
      costs.products.y.push_back(static_cast<double>(trial.exponential.products) /
                                 static_cast<double>(trial.steps.size() - 1));
    }
    costs.time.push_back(std::move(curve));
  }
  return costs;
}

StudyResult report(const Costs& costs, const std::vector<double>& moduli, std::size_t tets, int steps) {
  Figure cost{"cost",
              fmt::format("Time of a step of a swinging creature, {} tetrahedra", tets),
              {"Young's modulus [Pa]", Scale::logarithmic},
              {"time per step [s]", Scale::logarithmic},
              costs.time,
              Legend::top_left};
  Figure products{"products",
                  "Matrix-vector products of ERE in a step",
                  {"Young's modulus [Pa]", Scale::logarithmic},
                  {"products per step", Scale::logarithmic},
                  {},
                  Legend::top_left};
  const Curve& krylov = costs.products;
  Curve root{"√E", krylov.x, {}, Stroke::dashes, 7};
  for (const double E : root.x) root.y.push_back(krylov.y.back() * std::sqrt(E / root.x.back()));
  products.curves = {krylov, root};
  const double ere = costs.time[0].y.back() / costs.time[0].y.front(), siere = largest_ratio(costs.time[1]);
  const double slope = std::log(krylov.y.back() / krylov.y[krylov.y.size() - 2]) /
                       std::log(krylov.x.back() / krylov.x[krylov.x.size() - 2]);
  StudyResult result;
  result.text = fmt::format(
      "A creature of {} tetrahedra, 50 cm tall, hangs by one hand and swings; h = .01 s, {} steps, Young's modulus "
      "from {:.0e} to {:.0e} Pa. ERE takes the exponential of the whole stiff system by a Krylov method: its products "
      "with the matrix grow like E^{:.2f} at the stiff end, a step becomes {:.0f} times as expensive, and {} of its "
      "steps need help at {:.0e} Pa. SIERE needs the exponential of ten modes only, and its one sparse solve does not "
      "care how stiff the matrix is (largest over smallest time: {:.1f}; the stiffer the body, the more rarely its "
      "modes are computed anew).\n\n"
      "The solid lines factorise a matrix in each step. The dashed ones show the solver that Limber takes by default, "
      "which goes without factors where it expects to be faster: a step of SIERE then varies by a factor of {:.1f} "
      "with E, of SI by {:.1f}.",
      tets, steps, moduli.front(), moduli.back(), slope, ere, costs.helped.rows[0].back(), moduli.back(), siere,
      largest_ratio(costs.time[6]), largest_ratio(costs.time[7]));
  result.claims = {
      judged("The cost of ERE becomes prohibitive as the stiffness increases (fig. ere_cost).", ere > 5,
             fmt::format("{:.0f} times the time of a step from E = {:.0e} to {:.0e} Pa; products grow like E^{:.2f}.",
                         ere, moduli.front(), moduli.back(), slope),
             "the range of moduli is short."),
      judged("The cost of SIERE does not grow significantly with stiffness.", siere < 2,
             fmt::format("Largest over smallest time: {:.1f}; it changes like E^{:.2f}.", siere, growth(costs.time[1])),
             "soft bodies refresh their modes more often.")};
  result.figures = {cost, products};
  result.tables = {costs.helped};
  return result;
}

}  // namespace

StudyResult study_ere_cost(const StudyContext& context) {
  const int steps = context.quick() ? 4 : 20;
  const double h = 0.01;
  nlohmann::json scene = example_scene("swinging_creature");
  scene["bodies"][0]["mesh"]["tets"] = context.quick() ? 5000 : 10000;
  scene["time"] = {{"step", h}, {"duration", h * steps}};
  std::vector<double> moduli;
  for (double E = 1e5; E < 2e9; E *= context.quick() ? 100 : 10) moduli.push_back(E);
  return report(measure(context, scene, moduli, steps), moduli, tetrahedra(scene), steps);
}

}  // namespace limber
