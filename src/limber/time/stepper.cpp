#include "limber/time/stepper.hpp"

#include "limber/core/errors.hpp"

namespace limber {

Stepper::Stepper(const MethodInfo& method, const MethodParameters& given, const System& system,
                 const MethodOptions& options)
    : info_(&method),
      options_(options.stages),
      scheme_(method.make(complete_parameters(method, given))),
      stages_(make_stage_solver(method.solution, system, options.stages)),
      exponential_(options.krylov_tolerance) {
  using Looks = ModalSubspace::Looks;
  if (method.splitting != Splitting::none)
    modes_ = std::make_unique<ModalSubspace>(
        options.modes, system.size(), method.splitting == Splitting::printed ? Looks::each_step : Looks::now_and_then);
}

State Stepper::step(System& system, const History& u, double h) { return step_with(*stages_, system, u, h); }

State Stepper::step_by_newton(System& system, const History& u, double h) {
  if (!newton_) newton_ = make_stage_solver(StageSolution::newton, system, options_);
  return step_with(*newton_, system, u, h);
}

State Stepper::step_with(StageSolver& stages, System& system, const History& u, double h) {
  system.begin_step(u[0]);
  stages.begin_step(system, u[0]);
  Mechanics F(system, stages, exponential_);
  State next;
  if (modes_) {
    modes_->begin_step(system, u[0]);
    SplitDynamics split(F, system, *modes_, info_->splitting, u[0].t + h);
    next = scheme_->step(split, u, h);
  } else {
    next = scheme_->step(F, u, h);
  }
  if (!is_finite(next)) throw StepFailure("the new state is not finite");
  return next;
}

long Stepper::newton_iterations() const {
  return stages_->counts().newton_iterations + (newton_ ? newton_->counts().newton_iterations : 0);
}

void Stepper::reset() {
  stages_->reset();
  if (newton_) newton_->reset();
  if (modes_) modes_->reset();
}

void Stepper::forget() {
  reset();
  if (modes_) modes_->clear();
}

}  // namespace limber
