#include "limber/time/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/time/other_names.hpp"
#include "limber/time/schemes/a1.hpp"
#include "limber/time/schemes/a_search.hpp"
#include "limber/time/schemes/backward_euler.hpp"
#include "limber/time/schemes/bdf2.hpp"
#include "limber/time/schemes/blend.hpp"
#include "limber/time/schemes/explicit.hpp"
#include "limber/time/schemes/exponential_rosenbrock.hpp"
#include "limber/time/schemes/generalized_alpha.hpp"
#include "limber/time/schemes/midpoint.hpp"
#include "limber/time/schemes/tr_bdf2.hpp"
#include "limber/time/schemes/trapezoidal.hpp"

namespace limber {
namespace {

using Parameters = const MethodParameters&;

template <class Scheme, auto... arguments>
std::unique_ptr<TimeIntegrator> scheme(Parameters) {
  return std::make_unique<Scheme>(arguments...);
}
std::unique_ptr<TimeIntegrator> tr_bdf2(Parameters) { return std::make_unique<TrBdf2>(0.5); }
std::unique_ptr<TimeIntegrator> sdirk(Parameters p) {
  const auto freeze = p.find("freeze");
  const bool frozen = freeze != p.end() && freeze->second != 0;
  return std::make_unique<TrBdf2>(2 - std::sqrt(2.0), frozen ? TrBdf2::Tangents::frozen : TrBdf2::Tangents::each_stage);
}
std::unique_ptr<TimeIntegrator> blend(Parameters p) { return std::make_unique<Blend>(p.at("theta")); }
std::unique_ptr<TimeIntegrator> newmark(Parameters p) {
  return std::make_unique<GeneralizedAlpha>(GeneralizedAlpha::newmark(p.at("beta"), p.at("gamma")));
}
std::unique_ptr<TimeIntegrator> generalized_alpha(Parameters p) {
  return std::make_unique<GeneralizedAlpha>(GeneralizedAlpha::chung_hulbert(p.at("rho_inf")));
}
std::unique_ptr<TimeIntegrator> hht(Parameters p) {
  return std::make_unique<GeneralizedAlpha>(GeneralizedAlpha::hht(p.at("alpha")));
}
std::unique_ptr<TimeIntegrator> a_search(Parameters p) {
  return std::make_unique<ASearch>(p.at("keep"), p.at("alpha_max"));
}

const std::vector<MethodParameter> newmark_parameters = {
    {"beta", 0.25, 0, 1, "weight of the new acceleration in the position"},
    {"gamma", 0.5, 1e-3, 1, "weight of the new acceleration in the velocity; order 2 only at 1/2"}};
const std::vector<MethodParameter> rho_inf = {
    {"rho_inf", 0.5, 0, 1, "spectral radius at infinite frequency: 1 damps nothing, 0 kills the highest modes"}};
const std::vector<MethodParameter> alpha = {{"alpha", -0.1, -1.0 / 3, 0, "numerical damping: 0 none, -1/3 most"}};
const std::vector<MethodParameter> theta = {{"theta", 0.5, 0, 1, "weight of BDF2; 0 is trapezoidal"}};
const std::vector<MethodParameter> energy_target = {
    {"keep", 1, 0, 1, "share of its kinetic energy that a free flight keeps per second"},
    {"alpha_max", 10, 0, 1000, "largest weight of the velocity of A-1; 0 is BE"}};
const std::vector<MethodParameter> freeze = {{"freeze", 0, 0, 1,
                                              "both stages use the tangent at the step's start and one factor",
                                              MethodParameter::Takes::flag}};

/// A row of the catalog whose scheme is that of `base`, with modes split off.
MethodInfo with_modes(const std::string& name, const MethodInfo& base, Splitting splitting, int order,
                      const std::string& stability, const std::string& good_for) {
  MethodInfo info = base;
  info.name = name;
  info.order = order;
  info.kind = MethodKind::hybrid;
  info.stability = stability;
  info.good_for = good_for;
  info.parameters = {};
  info.splitting = splitting;
  return info;
}

ErrorEstimate estimate_of(const TimeIntegrator& scheme) {
  using From = ErrorFormula::From;
  const auto formula = scheme.error_formula(History(State()), 1);
  if (!formula) return ErrorEstimate::doubling;
  if (formula->from == From::stage) return ErrorEstimate::embedded;
  return formula->from == From::accelerations ? ErrorEstimate::zienkiewicz_xie : ErrorEstimate::differences;
}

void add_hybrids(std::vector<MethodInfo>& catalog) {
  const auto base = [&](const std::string& name) {
    return *std::find_if(catalog.begin(), catalog.end(), [&](const MethodInfo& m) { return m.name == name; });
  };
  const std::string exact = "modes exact, the rest L-stable", linear = exact + " on linear systems",
                    grows = "amplifies its modes";
  struct Hybrid {
    const char *name, *base;
    Splitting splitting;
    int order;
    const std::string& stability;
    const char* good_for;
  };
  const Hybrid hybrids[] = {
      {"BEERE", "BE", Splitting::first_order, 1, exact,
       "small vibrations of low modes alive, the rest calm; full Newton"},
      {"SIERE", "SI", Splitting::first_order, 1, linear,
       "small vibrations of low modes alive, the rest calm, at one linear solve a step"},
      {"BDF2ERE", "BDF2", Splitting::second_order, 2, exact, "small vibrations of low modes alive, smooth rest"},
      {"SBDF2ERE", "SBDF2", Splitting::second_order, 2, linear,
       "small vibrations of low modes alive, smooth rest, one linear solve a step"},
      {"TR-BDF2ERE", "TR-BDF2", Splitting::second_order, 2, exact,
       "the least damping of small vibrations with L-stability"},
      {"STR-SBDF2ERE", "STR-SBDF2", Splitting::second_order, 2, linear,
       "small vibrations of soft bodies, two linear solves a step"},
      {"SDIRKERE", "SDIRK", Splitting::second_order, 2, exact, "as TR-BDF2ERE, one matrix for both stages"},
      {"SSDIRKERE", "SSDIRK", Splitting::second_order, 2, linear, "as STR-SBDF2ERE, one matrix for both stages"},
      {"BDF2ERE-printed", "BDF2", Splitting::printed, 1, grows, "reproducing the survey only"},
      {"SBDF2ERE-printed", "SBDF2", Splitting::printed, 1, grows, "reproducing the survey only"},
      {"TR-BDF2ERE-printed", "TR-BDF2", Splitting::printed, 1, grows, "reproducing the survey only"},
      {"STR-SBDF2ERE-printed", "STR-SBDF2", Splitting::printed, 1, grows, "reproducing the survey only"},
  };
  for (const auto& h : hybrids)
    catalog.push_back(with_modes(h.name, base(h.base), h.splitting, h.order, h.stability, h.good_for));
}

}  // namespace

std::string to_string(MethodKind k) {
  switch (k) {
    case MethodKind::implicit:
      return "implicit";
    case MethodKind::semi_implicit:
      return "semi-implicit";
    case MethodKind::explicit_:
      return "explicit";
    case MethodKind::exponential:
      return "exponential";
    case MethodKind::hybrid:
      return "hybrid";
  }
  return "";
}

const std::vector<MethodInfo>& method_catalog() {
  static const std::vector<MethodInfo> catalog = [] {
    constexpr auto implicit = MethodKind::implicit, semi = MethodKind::semi_implicit, expl = MethodKind::explicit_;
    std::vector<MethodInfo> rows = {
        {"BE", 1, implicit, 1, "L-stable", "contact and rough motion; kills vibration", {}, scheme<BackwardEuler>},
        {"SI", 1, semi, 1, "L-stable on linear systems", "cheap previews; kills vibration", {}, scheme<BackwardEuler>},
        {"BDF2", 2, implicit, 1, "L-stable", "smooth motion at one solve a step", {}, scheme<Bdf2>},
        {"SBDF2",
         2,
         semi,
         1,
         "L-stable on linear systems",
         "smooth motion at one linear solve a step",
         {},
         scheme<Bdf2>},
        {"TR", 2, implicit, 1, "A-stable, no damping", "energy studies; high modes ring", {}, scheme<Trapezoidal>},
        {"STR",
         2,
         semi,
         1,
         "A-stable on linear systems, no damping",
         "small vibrations; may diverge",
         {},
         scheme<Trapezoidal>},
        {"blend", 2, implicit, 1, "A-stable; L-stable at theta = 1", "damping between TR's and BDF2's", theta, blend},
        {"midpoint",
         2,
         implicit,
         1,
         "A-stable, no damping, symplectic",
         "long conservative motion; high modes ring",
         {},
         scheme<Midpoint>},
        {"S-midpoint",
         2,
         semi,
         1,
         "A-stable on linear systems, no damping",
         "small vibrations; may diverge",
         {},
         scheme<Midpoint>},
        {"TR-BDF2", 2, implicit, 2, "L-stable", "lively motion that stays stable: the default", {}, tr_bdf2},
        {"STR-SBDF2",
         2,
         semi,
         2,
         "L-stable on linear systems",
         "lively motion at two linear solves a step",
         {},
         tr_bdf2},
        {"SDIRK", 2, implicit, 2, "L-stable", "as TR-BDF2, one matrix for both stages", {}, sdirk},
        {"SSDIRK", 2, semi, 2, "L-stable on linear systems", "as STR-SBDF2; with freeze one factor a step", freeze,
         sdirk},
        {"newmark", 2, implicit, 1, "A-stable for 2 beta >= gamma >= 1/2",
         "structural mechanics; beta 1/4 damps nothing", newmark_parameters, newmark},
        {"S-newmark", 2, semi, 1, "as newmark on linear systems", "structural mechanics, one linear solve a step",
         newmark_parameters, newmark},
        {"gen-alpha", 2, implicit, 1, "A-stable; damping by rho_inf", "a knob for the damping of high modes", rho_inf,
         generalized_alpha},
        {"S-gen-alpha", 2, semi, 1, "as gen-alpha on linear systems", "the knob, at one linear solve a step", rho_inf,
         generalized_alpha},
        {"HHT", 2, implicit, 1, "A-stable; damping by alpha", "structural mechanics with some damping", alpha, hht},
        {"S-HHT", 2, semi, 1, "as HHT on linear systems", "structural mechanics, one linear solve a step", alpha, hht},
        {"A-1", 1, implicit, 1, "A-stable, no damping; energy swings", "comparison with A-search", {}, scheme<A1>},
        {"A-search", 1, implicit, 1, "no more energy than the target", "keeping energy at the cost of BE",
         energy_target, a_search},
        {"symplectic-euler",
         1,
         expl,
         1,
         "stable for omega h < 2",
         "comparison; soft bodies and tiny steps",
         {},
         scheme<SymplecticEuler>},
        {"verlet", 2, expl, 2, "stable for omega h < 2", "comparison; soft bodies and tiny steps", {}, scheme<Verlet>},
        {"RK4",
         4,
         expl,
         4,
         "stable for omega h < 2.83",
         "reference solutions with tiny steps",
         {},
         scheme<RungeKutta4>},
        {"ERE",
         2,
         MethodKind::exponential,
         1,
         "exact on linear systems",
         "soft bodies: all modes alive; its cost grows with the stiffness",
         {},
         scheme<ExponentialRosenbrockEuler>},
    };
    for (auto& row : rows)
      if (row.kind == MethodKind::semi_implicit) row.solution = StageSolution::linearized;
    add_hybrids(rows);
    for (auto& row : rows) {
      const auto scheme = row.make(complete_parameters(row, {}));
      row.memory = scheme->memory();
      if (row.splitting == Splitting::none) row.estimate = estimate_of(*scheme);
      row.linear = scheme->linear();
    }
    return rows;
  }();
  return catalog;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const auto& m : method_catalog()) names.push_back(m.name);
  return names;
}

const char* const newmark_splits_no_modes =
    "a Newmark-type scheme cannot split off modes: its position and velocity advance by different formulas "
    "(tau_q differs from tau_v) around an acceleration of its own, so there is no first-order frame that could move "
    "with the modes; use BEERE, BDF2ERE, TR-BDF2ERE, SDIRKERE or their semi-implicit forms";

namespace {

/// "newmarkERE", "gen-alpha-ERE", …
void refuse_newmark_hybrid(const std::string& name) {
  for (const auto& m : method_catalog())
    if (m.memory.acceleration && (same_name(name, m.name + "ERE") || same_name(name, m.name + "-ERE")))
      throw InputError("method.name", fmt::format("there is no '{}': {}", name, newmark_splits_no_modes));
}

}  // namespace

const MethodInfo& find_method(const std::string& name) {
  const auto same = [&](const MethodInfo& m) { return same_name(m.name, name); };
  const auto& all = method_catalog();
  if (const auto it = std::find_if(all.begin(), all.end(), same); it != all.end()) return *it;
  refuse_newmark_hybrid(name);
  const auto names = method_names();
  const auto called = method_called(name);
  const auto near = called.empty() ? nearest_name(name, names) : called;
  throw InputError("method.name",
                   fmt::format("unknown method '{}'{}; the methods are {}", name,
                               near.empty() ? "" : fmt::format("; did you mean '{}'?", near), join(names)));
}

MethodParameters complete_parameters(const MethodInfo& info, const MethodParameters& given) {
  MethodParameters all;
  std::vector<std::string> known;
  for (const auto& p : info.parameters) all[p.name] = p.standard, known.push_back(p.name);
  for (const auto& [key, value] : given) {
    const std::string& name = key;  // a lambda cannot capture a structured binding
    const auto it =
        std::find_if(info.parameters.begin(), info.parameters.end(), [&](const auto& p) { return p.name == name; });
    if (it == info.parameters.end())
      throw InputError("method." + name, known.empty()
                                             ? fmt::format("{} takes no parameters", info.name)
                                             : fmt::format("{} does not take it; it takes {}", info.name, join(known)));
    if (!(value >= it->least && value <= it->most))
      throw InputError("method." + name, fmt::format("{} is outside [{}, {}]", value, it->least, it->most));
    all[name] = value;
  }
  return all;
}

std::unique_ptr<StageSolver> make_stage_solver(StageSolution solution, System& system, const StageOptions& options) {
  if (system.gap_rule() != GapRule::none) return make_constrained(system, options, solution);
  return solution == StageSolution::linearized ? make_linearized(system, options) : make_implicit(system, options);
}

}  // namespace limber
