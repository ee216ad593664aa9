#include "limber/time/stepper.hpp"

#include <cmath>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/time/contact_beside.hpp"
#include "limber/time/modal/frame.hpp"
#include "limber/time/schemes/backward_euler.hpp"
#include "limber/time/schemes/tr_bdf2.hpp"

namespace limber {
namespace {

/// Limit on the strain energy of rotation along straight lines in a step, relative to the rotational kinetic energy.
/// Measured with spinning free bars: above it, most steps with modes gain energy and must be retaken.
constexpr double most_turning = 2e-4;

/// Inequalities hold at the end of stages, so the scheme must end at one.
void refuse_without_stages(const MethodInfo& method, const TimeIntegrator& scheme) {
  const bool stages = method.kind == MethodKind::implicit || method.kind == MethodKind::semi_implicit;
  if (stages && scheme.ends_at_stage()) return;
  throw InputError("method.name",
                   "\"" + method.name + "\" " +
                       (method.splitting != Splitting::none ? "splits off modes, which inequalities cannot hold back"
                        : stages                            ? "goes beyond its last stage, where no inequality holds"
                                                            : "solves no stage, which inequalities could hold for") +
                       ": take \"contact\": {\"formulation\": \"barrier\"}, or BE, SI, BDF2, TR-BDF2, SDIRK, …");
}

void require_finite(const System& system, const State& u) {
  if (!system.space().all(is_finite(u))) throw StepFailure("the new state is not finite");
}

}  // namespace

Stepper::Stepper(const MethodInfo& method, const MethodParameters& given, System& system, const MethodOptions& options)
    : info_(&method),
      options_(options.stages),
      scheme_(method.make(complete_parameters(method, given))),
      exponential_(options.krylov_tolerance),
      estimates_(options.estimate_errors),
      log_(options.record_stages ? std::make_unique<StepLog>() : nullptr) {
  stages_ = make_stages(method.solution, system);
  if (system.gap_rule() != GapRule::none) refuse_without_stages(method, *scheme_);
  if (method.splitting == Splitting::printed && system.contact())
    throw InputError("method.name", "\"" + method.name +
                                        "\" is there to reproduce the survey and knows neither contact, nor rigid "
                                        "parts, nor liquids; take the method without \"-printed\"");
  if (method.splitting == Splitting::none) return;
  const bool printed = method.splitting == Splitting::printed;
  ModalOptions modes = options.modes;
  modes.exact = log_ != nullptr;
  // Without the coupling term, errors of kept modes are not compensated.
  if (printed && modes.refresh.rule == Refresh::Rule::automatic) modes.refresh.rule = Refresh::Rule::residual;
  modes_ = std::make_unique<ModalSubspace>(
      modes, system.space().global_size(system.size()),
      printed || log_ ? ModalSubspace::Checks::each_step : ModalSubspace::Checks::when_due);
}

/// Takes the step with the system without collisions, and with all forces only if something comes within reach.
State Stepper::apart_or_with_contact(System& system, const State& start, const Take& take) {
  ContactPart* contact = system.contact();
  System* apart = contact ? contact->without_collisions() : nullptr;
  if (apart && !std::isfinite(contact->smallest_gap(start))) {
    last_.met = apart->contact() != nullptr;
    State next = take(*apart);
    if (contact->stays_apart(start, next)) return next;
    take_log();  // discards that of the attempt without contact
  }
  last_.met = contact != nullptr;
  return take(system);
}

State Stepper::step(System& system, const History& u, double h) {
  return step_of_method(system, u, h, ModalSubspace::Use::kept_or_new);
}

void Stepper::accept(History& u, State u1) {
  u.push(std::move(u1), memory().states);
  if (modes_) modes_->commit();
}

SchemeMemory Stepper::memory() const {
  SchemeMemory memory = scheme_->memory();
  if (estimates_) memory.states = std::max(memory.states, states_for_estimates);
  return memory;
}

State Stepper::step_of_method(System& all, const History& u, double h, ModalSubspace::Use modes) {
  if (newton_) newton_->begin_step(all, u[0]);  // forgets contacts of earlier steps
  return apart_or_with_contact(all, u[0], [&](System& system) {
    if (modes_ && system.contact()) return step_in_frame(info_->solution, system, u, h, modes);
    return step_with(*stages_, system, all, u, h, modes);
  });
}

State Stepper::step_by_newton(System& all, const History& u, double h) {
  return apart_or_with_contact(all, u[0], [&](System& system) {
    if (modes_ && system.contact()) return step_in_frame(StageSolution::newton, system, u, h);
    return step_with(newton(all), system, all, u, h);
  });
}

State Stepper::step_by_backward_euler(System& all, const History& u, double h) {
  return apart_or_with_contact(all, u[0], [&](System& system) { return step_by(BackwardEuler(), system, u[0], h); });
}

State Stepper::step_by_tr_bdf2(System& all, const History& u, double h) {
  return apart_or_with_contact(all, u[0], [&](System& system) { return step_by(TrBdf2(.5), system, u[0], h); });
}

State Stepper::step_by(const TimeIntegrator& scheme, System& system, const State& start, double h) {
  system.begin_step(start);
  newton(system).begin_step(system, start);
  State next = scheme_step(scheme, newton(system), {&system, &system}, History(start), h);
  require_finite(system, next);
  return next;
}

State Stepper::step_beside(System& system, const History& u, double h) {
  last_.met = true;
  system.begin_step(u[0]);
  StageSolver& stages = newton(system);
  stages.begin_step(system, u[0]);
  ContactBeside beside(system, stages, u[0]);
  std::deque<State> past;  // without accelerations, which would include contact
  for (std::size_t i = 0; i < u.size(); ++i) past.push_back({u[i].q, u[i].v, u[i].t});
  scheme_->step(beside, History(std::move(past)), h);
  last_.acted = {};
  require_finite(system, beside.arrived());
  // Within the step, the time of the impact is unknown.
  last_.error =
      estimates_ ? local_error(*BackwardEuler().error_formula(u, h), u, nullptr, beside.arrived()) : std::nullopt;
  return beside.arrived();
}

State Stepper::step_with_new_modes(System& system, const History& u, double h) {
  return step_of_method(system, u, h, ModalSubspace::Use::of_this_step);
}

State Stepper::step_without_modes(System& all, const History& u, double h) {
  return apart_or_with_contact(all, u[0], [&](System& system) {
    system.begin_step(u[0]);
    return step_of_base(info_->solution, system, u, h);
  });
}

bool Stepper::can_step_beside() const {
  return scheme_->ends_at_stage() && info_->kind != MethodKind::explicit_ && info_->kind != MethodKind::exponential;
}

StageSolver& Stepper::newton(System& system) {
  if (!newton_) newton_ = make_stages(StageSolution::newton, system);
  return *newton_;
}

std::unique_ptr<StageSolver> Stepper::make_stages(StageSolution solution, System& system) const {
  auto solver = make_stage_solver(solution, system, options_);
  solver->record_into(log_ ? &log_->stages : nullptr);
  return solver;
}

StepLog Stepper::take_log() {
  if (!log_) return {};
  if (modes_ && !log_->modes) log_->modes = std::make_shared<const HeldModes>(modes_->unused());
  return std::exchange(*log_, {});
}

/// Bodies that turn far in a step do better without modes if their base scheme handles rotation well: second order and
/// not linearised.
ModalLimits Stepper::limits() const {
  ModalLimits limits;
  if (info_->solution == StageSolution::newton && info_->splitting == Splitting::second_order)
    limits.most_turning = most_turning;
  return limits;
}

void Stepper::note_left_out() {
  const auto reason = [](LeftOut::Why why) -> std::string {
    switch (why) {
      case LeftOut::Why::grows:
        return "modes of a body that collides grow more than e-fold in a step";
      case LeftOut::Why::damped:
        return "modes of a body that collides are damped strongly";
      case LeftOut::Why::turns:
        return "a body turns too far in a step for a motion of its modes along straight lines";
    }
    return "";
  };
  for (const LeftOut& body : modes_->left_out())
    modes_->note_once(reason(body.why) + ": " + info_->name + " leaves it to its base scheme in such steps");
}

State Stepper::step_in_frame(StageSolution solution, System& system, const History& u, double h,
                             ModalSubspace::Use modes) {
  system.begin_step(u[0]);
  StageSolver& stages = newton(system);
  stages.begin_step(system, u[0]);
  const auto failed = failure_of([&] {
    modes_->begin_step(system.contact()->smooth(), u[0], h, ModalFrame::limits(*modes_, h, limits()), modes);
  });
  if (failed) {
    if (solution == StageSolution::linearized) failed->again();
    modes_->note_once(failed->reason + ": " + info_->name + " takes its base scheme in such steps");
    return step_of_base(solution, system, u, h);
  }
  note_left_out();
  // Even without modes, the frame must check whether bodies left out may be linearised.
  const bool asks = solution == StageSolution::linearized && !modes_->left_out().empty();
  if (modes_->basis().count() == 0 && !asks) return step_of_base(solution, system, u, h);
  if (log_) log_->modes = std::make_shared<const HeldModes>(modes_->used());
  ModalFrame frame(system, stages, *modes_, info_->splitting, solution);
  State next = frame.from_frame(scheme_->step(frame, frame.into_frame(u), h));
  last_.acted = {};
  last_.error.reset();
  require_finite(system, next);
  return next;
}

/// A step of the base scheme, without modes.
State Stepper::step_of_base(StageSolution solution, System& system, const History& u, double h) {
  StageSolver& stages = solution == info_->solution ? *stages_ : newton(system);
  stages.begin_step(system, u[0]);
  State next = scheme_step(*scheme_, stages, {&system, &system}, u, h);
  require_finite(system, next);
  return next;
}

State Stepper::scheme_step(const TimeIntegrator& scheme, StageSolver& stages, const PartOfSystem& of, const History& u,
                           double h) {
  const ForceWeights weights = scheme.force_weights();
  const auto formula = estimates_ ? scheme.error_formula(u, h) : std::nullopt;
  Mechanics F(*of.system, stages, exponential_, {weights.stage != 0, formula && formula->order > 1}, of.whole);
  State next = scheme.step(F, u, h);
  last_.acted = {weights, F.take_first()};
  last_.error.reset();
  if (formula && F.linearization_error()) {
    last_.error = local_error(*formula, u, last_.acted.stage ? &*last_.acted.stage : nullptr, next);
    if (last_.error) last_.error->add(*F.linearization_error());
  }
  return next;
}

State Stepper::step_with(StageSolver& stages, System& system, const System& whole, const History& u, double h,
                         ModalSubspace::Use modes) {
  system.begin_step(u[0]);
  stages.begin_step(system, u[0]);
  State next;
  if (modes_) {
    Mechanics F(system, stages, exponential_);
    modes_->begin_step(system, u[0], h, limits(), modes);
    note_left_out();
    if (log_) log_->modes = std::make_shared<const HeldModes>(modes_->used());
    SplitDynamics split(F, system, *modes_, info_->splitting, u[0].t + h);
    next = scheme_->step(split, u, h);
    last_.acted = {};
    last_.error.reset();
  } else {
    next = scheme_step(*scheme_, stages, {&system, &whole}, u, h);
  }
  require_finite(system, next);
  return next;
}

long Stepper::newton_iterations() const {
  return iterations_before_ + stages_->counts().newton_iterations + (newton_ ? newton_->counts().newton_iterations : 0);
}

SolverCounts Stepper::linear_counts() const {
  SolverCounts sum = counts_before_;
  sum += stages_->linear_counts();
  if (newton_) sum += newton_->linear_counts();
  return sum;
}

void Stepper::reset(System& system) {
  const auto modes = modes_ ? modes_->memory() : std::nullopt;
  forget(system);
  if (modes) modes_->restore(*modes);
}

void Stepper::forget(System& system) {
  auto fresh = make_stages(info_->solution, system);
  counts_before_ = linear_counts();
  iterations_before_ = newton_iterations();
  stages_ = std::move(fresh);
  newton_.reset();
  exponential_.forget();
  if (modes_) modes_->clear();
}

}  // namespace limber
