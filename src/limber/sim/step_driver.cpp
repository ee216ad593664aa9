#include "limber/sim/step_driver.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace limber {
namespace {

constexpr int most_halvings = 8;
/// Energy that a change of contact stiffness may put in, relative to the energy in play.
constexpr double most_adapted = 2e-5;
/// How often a step is repeated because it strains parts that should keep their shape.
constexpr int most_stiffenings = 6;

/// The error if a step fails at every length.
StepFailure given_up(StepFailure failure, double t, double h) {
  const std::string advice = !failure.advice.empty()
                                 ? failure.advice
                                 : "Try a smaller time.step, an L-stable implicit method (BE, TR-BDF2), a stiffer "
                                   "or another material, or more damping";
  StepFailure last(fmt::format("the step from t = {:.6g} s fails even at h = {:.3g} s (1/{} of the step asked for): "
                               "{}. {}",
                               t, h, 1 << most_halvings, failure.reason, advice),
                   failure.iterations, failure.residual);
  last.t = t;
  last.h = h;
  return last;
}

}  // namespace

StepDriver::StepDriver(MechanicalSystem& system, Stepper& stepper, const std::vector<Judge>& judges,
                       MotionState& motion, StepRecord& record, double adapts_every)
    : system_(system),
      stepper_(stepper),
      judges_(judges),
      motion_(motion),
      record_(record),
      watch_(supervision(stepper.info())),
      adapts_every_(adapts_every) {}

void StepDriver::advance(double t_end, int halvings) {
  adapt();
  const double t = motion_.time(), h = t_end - t;
  StepFailure failure("");
  Substep substep{.t = t, .h = h};
  for (const Attempt& attempt : attempts(stepper_, system_, halvings)) {
    if (attempt.after_contact && !stepper_.met()) continue;
    if (auto judged = attempted(attempt, t_end, failure)) {
      substep.way = attempt.way;
      StepCandidate candidate =
          judged->retake ? retaken(std::move(judged->candidate), substep) : std::move(judged->candidate);
      substep.gain = candidate.gain;
      substep.touched = candidate.touched;
      substep.error = std::move(candidate.error);
      substep.log = std::move(candidate.log);
      if (stepper_.records()) substep.end = candidate.u;
      record_.substeps.push_back(substep);
      return accept(std::move(candidate));
    }
    if (!substep.failed_before)
      record_.notes.push_back(fmt::format("t = {:.6g} s, h = {:.3g} s: {}", t, h, failure.reason));
    substep.failed_before = true;
  }
  if (halvings == most_halvings) throw given_up(std::move(failure), t, h);
  advance(t + h / 2, halvings + 1);
  advance(t_end, halvings + 1);
}

/// Lets contact forces adapt their stiffness; books the energy this puts in.
void StepDriver::adapt() {
  double& last = motion_.control.adapted;
  if (!motion_.touching || (last > 0 && motion_.time() < last + adapts_every_)) return;
  if (!system_.adapt(motion_.now(), most_adapted * motion_.account.in_play())) return;
  last = motion_.time();
  book_changed_forces(system_, motion_);
}

State StepDriver::taken(const Attempt& attempt, double t_end) const {
  const State& start = motion_.now();
  stepper_.take_log();  // discards that of a failed attempt
  State u = attempt.run(motion_.history, t_end - start.t);
  u.t = t_end;  // instead of the rounded sum of the stages
  if (attempt.ends_beyond_stage && stepper_.met()) {
    const Vector moved = u.q - start.q;
    if (system_.max_step(start.q, moved, start.t, u.t) < 1)
      throw StepFailure("the step ends beyond its last stage, where " +
                        system_.what_stops(start.q, moved, start.t, u.t));
  }
  return u;
}

std::optional<StepDriver::Judged> StepDriver::attempted(const Attempt& attempt, double t_end, StepFailure& failure) {
  std::optional<Judged> judged;
  const auto failed = failure_of([&] {
    StepCandidate candidate = weighed(taken(attempt, t_end), attempt.with_modes);
    for (int k = 0; k < most_stiffenings && stiffens(candidate); ++k)
      candidate = weighed(taken(attempt, t_end), attempt.with_modes);
    const bool retake = must_retake(candidate);
    judged = Judged{std::move(candidate), retake};
  });
  if (failed) failure = *failed;
  return judged;
}

/// Whether forces became stiffer because of the strains at a candidate; books the energy this puts in.
bool StepDriver::stiffens(const StepCandidate& candidate) {
  if (!watch_.bears_stiffening || !system_.stiffen(candidate.acting ? *candidate.acting : candidate.u)) return false;
  book_changed_forces(system_, motion_);
  return true;
}

/// The candidate that ends at u, with its energies and the work put in.
StepCandidate StepDriver::weighed(State u, bool with_modes) const {
  StepCandidate candidate;
  candidate.with_modes = with_modes;
  candidate.log = stepper_.take_log();
  candidate.error = stepper_.error();
  candidate.energies = energies(system_, u);
  const ActedForces& acted = stepper_.acted();
  std::vector<ActingState> acting = {{&motion_.now(), acted.weights.start}, {&u, acted.weights.end}};
  if (acted.stage) acting.push_back({&*acted.stage, acted.weights.stage});
  candidate.put_in = work_put_in(system_, motion_.now(), u, acting);
  candidate.gain =
      candidate.energies.total() - motion_.energies.total() - candidate.put_in.work - candidate.put_in.doubt;
  if (acted.at_stage_only()) candidate.acting = acted.stage;
  if (stepper_.met()) {
    candidate.touches = std::isfinite(system_.smallest_gap(u));
    candidate.touched = motion_.touching || candidate.touches || stepper_.touched() || watch_.judged_as_touching;
  }
  candidate.u = std::move(u);
  return candidate;
}

/// Throws StepFailure for a candidate that must not be accepted in any case.
bool StepDriver::must_retake(const StepCandidate& candidate) const {
  for (const Judge& judge : judges_)
    if (auto objection = judge(motion_, candidate)) {
      if (objection->remedy == Objection::Remedy::fail) throw StepFailure(std::move(objection->reason));
      return true;
    }
  return false;
}

/// The first retake that may be accepted, or otherwise the one with the smallest gain.
StepCandidate StepDriver::retaken(StepCandidate candidate, Substep& substep) {
  StepFailure failure("");
  const double t_end = candidate.u.t;
  for (const Attempt& attempt : retakes(stepper_, system_, candidate.touched)) {
    auto judged = attempted(attempt, t_end, failure);
    if (!judged || judged->candidate.gain > candidate.gain) {
      candidate.energies = energies(system_, candidate.u);  // forces may have become stiffer since
      continue;
    }
    candidate = std::move(judged->candidate);
    substep.way = attempt.way;
    substep.gained_before = true;
    if (!judged->retake) break;
  }
  return candidate;
}

void StepDriver::accept(StepCandidate candidate) {
  const double h = candidate.u.t - motion_.time();
  const auto lose = [&](Loss& loss, double (*power)(const MechanicalSystem&, const State&)) {
    const double now = power(system_, candidate.u);
    loss.add(h, now, candidate.acting ? std::optional(power(system_, *candidate.acting)) : std::nullopt);
  };
  lose(motion_.damping, &damping_power);
  if (stepper_.met())
    lose(motion_.friction, &friction_power);
  else
    motion_.friction.add(h, 0, std::nullopt);
  motion_.supply += supplied(motion_, candidate);
  if (candidate.touched) motion_.account.charge(candidate.gain);
  motion_.account.book(candidate.energies, candidate.put_in.work, candidate.u.t, candidate.put_in.doubt);
  motion_.energies = candidate.energies;
  motion_.touching = candidate.touches;
  motion_.acting = std::move(candidate.acting);
  stepper_.accept(motion_.history, std::move(candidate.u));
}

}  // namespace limber
