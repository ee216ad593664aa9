#include <fmt/format.h>

#include "limber/core/errors.hpp"
#include "limber/core/names.hpp"
#include "limber/linalg/solvers/petsc_solver.hpp"
#include "limber/scene/build/build.hpp"

namespace limber {

ModeSearch mode_search(const MethodChoice& choice) {
  if (choice.mode_search == "together") return ModeSearch::together;
  return choice.mode_search == "each" ? ModeSearch::each : ModeSearch::automatic;
}

MethodSettings method_settings(const MethodChoice& choice) {
  MethodSettings s;
  s.name = choice.name;
  s.parameters = choice.parameters;
  s.options.modes.count = choice.modes;
  if (choice.refresh) s.options.modes.refresh = *choice.refresh;
  s.options.modes.search = mode_search(choice);
  s.options.modes.negative = choice.negative_modes == "clamp" ? NegativeModes::clamp : NegativeModes::grow;
  if (choice.krylov_tolerance) s.options.krylov_tolerance = *choice.krylov_tolerance;
  s.options.stages.linear_solver = choice.solver;
  if (choice.linear_tolerance) s.options.stages.linear_tolerance = *choice.linear_tolerance;
  s.options.stages.newton.tolerance = choice.newton_tolerance;
  if (choice.max_iterations) s.options.stages.newton.max_iterations = *choice.max_iterations;
  s.options.stages.newton.merit = choice.merit == "potential"  ? Merit::potential
                                  : choice.merit == "residual" ? Merit::residual
                                                               : Merit::automatic;
  s.options.stages.newton.solver = choice.nonlinear == "lbfgs" ? NonlinearSolver::lbfgs : NonlinearSolver::newton;
  s.options.stages.scaling = choice.residual_scaling == "identity" ? ResidualScaling::identity
                             : choice.residual_scaling == "rows"   ? ResidualScaling::rows
                             : choice.residual_scaling == "stage"  ? ResidualScaling::stage
                                                                   : ResidualScaling::mass;
  return s;
}

Simulation build_simulation(const Scene& scene, const Model& model) {
  if (!scene.method.petsc.empty() && !same_name(scene.method.solver, "petsc") &&
      !same_name(scene.method.solver, "mumps"))
    throw InputError("method.petsc",
                     "is for the solvers \"petsc\" and \"mumps\"; method.solver is \"" + scene.method.solver + "\"");
  set_petsc_options(scene.method.petsc);
  model.system->claim(model.start.q.size());  // as it was made, also after another simulation
  const bool potential = model.system->potentials(model.start).has_value();
  if (scene.method.merit == "potential" && !potential)
    throw InputError("method.merit",
                     "\"potential\" is not possible here: a force has no potential; use \"auto\" or \"residual\"");
  if (scene.method.nonlinear == "lbfgs" && !potential)
    throw InputError("method.nonlinear", "\"lbfgs\" is not possible here: a force has no potential; use \"newton\"");
  if (scene.method.nonlinear == "lbfgs" && scene.method.merit == "residual")
    throw InputError("method.nonlinear",
                     "\"lbfgs\" lowers the potential, not the residual; use \"newton\", or \"merit\": \"auto\"");
  if (model.system->gap_rule() != GapRule::none && !potential)
    throw InputError("contact.formulation", "inequalities need forces with a potential; use \"barrier\"");
  if (model.system->gap_rule() != GapRule::none && !model.cavities.empty())
    throw InputError("contact.formulation",
                     fmt::format("inequalities are not possible beside {}; use \"barrier\"", model.cavities[0].where));
  MethodSettings method = method_settings(scene.method);
  if (model.contact && !scene.method.max_iterations) method.options.stages.newton.max_iterations = 200;
  return Simulation(model.system, method, scene.time.step, model.start);
}

Vector statics(const Scene& scene, const Model& model, StaticsReport& report) {
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
  do u.q = solve_statics(system, u, *linear, options, report);
  while (system.stiffen(u));
  return system.everywhere({u.q, u.v, 0}).q;
}

}  // namespace limber
