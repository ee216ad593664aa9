#include <fmt/format.h>

#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/core/names.hpp"
#include "limber/core/nodes.hpp"
#include "limber/linalg/solvers/petsc_solver.hpp"
#include "limber/model/gather_state.hpp"
#include "limber/scene/abrupt_times.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/solve/free_motions.hpp"

namespace limber {

MethodSettings method_settings(const MethodChoice& choice) {
  MethodSettings s;
  s.name = choice.name;
  s.parameters = choice.parameters;
  s.options.modes.count = choice.modes;
  if (choice.refresh) s.options.modes.refresh = *choice.refresh;
  s.options.modes.search = choice.mode_search;
  s.options.modes.negative = choice.negative_modes;
  if (choice.krylov_tolerance) s.options.krylov_tolerance = *choice.krylov_tolerance;
  s.options.stages.linear_solver = choice.solver;
  if (choice.linear_tolerance) s.options.stages.linear_tolerance = *choice.linear_tolerance;
  s.options.stages.newton.tolerance = choice.newton_tolerance;
  if (choice.max_iterations) s.options.stages.newton.max_iterations = *choice.max_iterations;
  s.options.stages.newton.merit = choice.merit;
  s.options.stages.newton.solver = choice.nonlinear;
  s.options.stages.scaling = choice.residual_scaling;
  return s;
}

namespace {

/// Whether some stage solves for velocities at positions that are known.
bool leaves_positions(const MethodChoice& choice) {
  const MethodInfo& info = find_method(choice.name);
  const auto parameters = complete_parameters(info, choice.parameters);
  const auto beta = parameters.find("beta");
  return info.kind == MethodKind::explicit_ || (beta != parameters.end() && beta->second == 0);
}

/// What the line search is to lower has to be there.
void require_merit(const MethodChoice& choice, const MechanicalSystem& system, bool potential) {
  const bool lbfgs = choice.nonlinear == NonlinearSolver::lbfgs;
  if (choice.merit == Merit::potential && !potential)
    throw InputError("method.merit",
                     "\"potential\" is not possible here: a force has no potential; use \"auto\" or \"residual\"");
  if (lbfgs && !potential)
    throw InputError("method.nonlinear", "\"lbfgs\" is not possible here: a force has no potential; use \"newton\"");
  if (lbfgs && choice.merit == Merit::residual)
    throw InputError("method.nonlinear",
                     "\"lbfgs\" lowers the potential, not the residual; use \"newton\", or \"merit\": \"auto\"");
  if (!system.velocity_dependent() || !leaves_positions(choice)) return;
  const std::string why = "is not possible with " + find_method(choice.name).name +
                          " where forces depend on velocities: it solves for velocities alone, which have no potential";
  if (lbfgs) throw InputError("method.nonlinear", "\"lbfgs\" " + why + "; use \"newton\"");
  if (choice.merit == Merit::potential) throw InputError("method.merit", "\"potential\" " + why + "; use \"auto\"");
}

/// Vibrations that such a scheme amplifies, the faster ones the more, come with each impact.
void refuse_growth_with_contact(const MethodChoice& choice) {
  const auto parameters = complete_parameters(find_method(choice.name), choice.parameters);
  if (const auto gamma = parameters.find("gamma"); gamma != parameters.end() && gamma->second < .5)
    throw InputError("method.gamma", fmt::format("{} amplifies vibrations, the fastest most, and impacts bring these: "
                                                 "with contact it has to be at least 0.5",
                                                 gamma->second));
}

/// The modes of a hybrid are sought with all entries of what a cavity couples.
void require_modes(const MethodChoice& choice, const Model& model) {
  const MethodInfo& info = find_method(choice.name);
  if (info.splitting == Splitting::none || choice.modes == 0 || model.cavities.empty()) return;
  Tangent at_start;
  model.system->tangent(model.start, Definiteness::exact, at_start);
  try {
    require_entries(at_start.low_rank);
  } catch (const InputError& e) {
    throw InputError("method.name", info.name + ": " + e.message());
  }
}

/// Newton's tolerance, relative to the accuracy asked of steps.
constexpr double solved_to = 1e-3;

ErrorControl error_control(const Scene& scene, const Model& model) {
  const TimeSettings& time = scene.time;
  const double size = model.system->length_scale(), least = 1e-9 * size;
  if (time.accuracy->accuracy < least)
    throw InputError("time.step.accuracy", fmt::format("{:.3g} m cannot be told from rounding in a scene of {:.3g} m; "
                                                       "the least possible is {:.3g} m",
                                                       time.accuracy->accuracy, size, least));
  const double start = model.start.t, end = start + time.duration;
  const double typical = time.typical_step(), in_contact = time.accuracy->shortest ? 0 : typical / 64;
  ErrorControl control{time.accuracy->accuracy, time.step, time.shortest_step(), time.duration, in_contact, typical};
  for (const double t : abrupt_times(scene))
    if (t > start + time_rounding(control) && t < end - time_rounding(control)) control.ends.push_back(t);
  control.ends.push_back(end);
  return control;
}

}  // namespace

Simulation build_simulation(const Scene& scene, const Model& model, StageRecords records) {
  if (scene.method.name == MethodChoice::to_be_decided)
    throw InputError("method", "\"auto\" is not possible here; `limber advise` says which method to name");
  if (!scene.method.petsc.empty() && !same_name(scene.method.solver, "petsc") &&
      !same_name(scene.method.solver, "mumps"))
    throw InputError("method.petsc",
                     "is for the solvers \"petsc\" and \"mumps\"; method.solver is \"" + scene.method.solver + "\"");
  set_petsc_options(scene.method.petsc);
  model.system->claim(model.start);  // as it was made, also after another simulation
  const bool potential = model.system->potentials(model.start).has_value();
  require_merit(scene.method, *model.system, potential);
  if (scene.contact) refuse_growth_with_contact(scene.method);
  if (model.system->gap_rule() != GapRule::none && !potential)
    throw InputError("contact.formulation", "inequalities need forces with a potential; use \"barrier\"");
  if (model.system->gap_rule() != GapRule::none && !model.cavities.empty())
    throw InputError("contact.formulation",
                     fmt::format("inequalities are not possible beside {}; use \"barrier\"", model.cavities[0].where));
  require_modes(scene.method, model);
  MethodSettings method = method_settings(scene.method);
  method.options.record_stages = records == StageRecords::kept;
  if (!scene.method.max_iterations) {
    constexpr int with_contact = 200;
    method.options.stages.iterations_with_contact = with_contact;
    if (model.system->gap_rule() != GapRule::none) method.options.stages.newton.max_iterations = with_contact;
  }
  if (!scene.time.accuracy) return Simulation(model.system, method, scene.time.step, model.start);
  const ErrorControl control = error_control(scene, model);
  double& tolerance = method.options.stages.newton.tolerance;
  tolerance = std::min(tolerance, solved_to * control.accuracy / model.system->length_scale());
  return Simulation(model.system, method, control, model.start);
}

namespace {

/// Of each unknown node, the body that it belongs to.
std::vector<int> body_of_unknowns(const Model& model) {
  Vector body(3 * static_cast<Index>(model.system->nodes()));
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    body.segment(3 * static_cast<Index>(model.bodies[b].first_node), 3 * static_cast<Index>(model.bodies[b].nodes))
        .setConstant(static_cast<double>(b));
  const Vector unknowns = model.system->restrict_to_free(body);
  std::vector<int> of_node;
  for (Index i = 0; i < unknowns.size(); i += 3) of_node.push_back(static_cast<int>(unknowns[i]));
  return of_node;
}

}  // namespace

std::vector<std::string> free_bodies(const Model& model) {
  constexpr std::size_t most = 64;  // groups that are looked at: each costs a few products
  MechanicalSystem& system = *model.system;
  if (system.space().shared()) return {};
  const std::vector<int> body_of = body_of_unknowns(model);
  std::vector<std::vector<int>> groups(std::min(most, model.bodies.size()));
  std::vector<std::string> names;
  for (std::size_t b = 0; b < groups.size(); ++b) names.push_back("\"" + model.bodies[b].name + "\"");
  for (std::size_t i = 0; i < body_of.size(); ++i)
    if (ix(body_of[i]) < groups.size()) groups[ix(body_of[i])].push_back(static_cast<int>(i));
  for (const auto& part : *system.traits().nodes.parts) {
    std::vector<std::string> bodies;
    for (const int i : part)
      if (const auto& name = model.bodies[ix(body_of[ix(i)])].name;
          std::find(bodies.begin(), bodies.end(), name) == bodies.end())
        bodies.push_back(name);
    if (bodies.size() < 2 || groups.size() >= most) continue;
    groups.push_back(part);
    names.push_back("\"" + join(bodies, "\" with \"") + "\"");
  }
  const std::vector<FreeMotions> free = free_motions(system, model.start, groups);
  std::vector<std::string> lines;
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (free[g].any())
      lines.push_back(fmt::format("{} can {}: nothing holds it there{}", names[g], free[g].text(),
                                  model.contact ? " but contact" : ""));
  return lines;
}

Vector statics(const Scene& scene, const Model& model, StaticsReport& report, const StaticsWatch& watch) {
  auto& system = *model.system;
  if (system.gap_rule() != GapRule::none)
    throw InputError("contact.formulation", "an equilibrium is found with \"barrier\" only");
  NewtonOptions options = method_settings(scene.method).options.stages.newton;
  options.tolerance *= system.length_scale();
  options.scale *= system.length_scale();
  if (model.contact && !scene.method.max_iterations) options.max_iterations = 200;
  const auto linear = make_linear_solver(
      scene.method.solver, system.symmetric() ? Symmetry::symmetric : Symmetry::general, system.traits().nodes);
  State u{model.start.q, Vector::Zero(model.start.q.size()), model.start.t};
  const auto failed = failure_of([&] {
    do u.q = solve_statics(system, u, *linear, options, report, watch);
    while (system.stiffen(u));
    u = gather_state(system, u);
  });
  if (!failed) return u.q;
  const auto free = free_bodies(model);
  if (free.empty()) failed->again();
  throw StepFailure(failed->reason + "; " + join(free, "; "), failed->iterations, failed->residual);
}

}  // namespace limber
