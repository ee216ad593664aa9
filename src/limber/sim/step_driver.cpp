#include "limber/sim/step_driver.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace limber {
namespace {

constexpr int most_halvings = 8;
/// A change of contact's stiffness may put in this share of the energy in play.
constexpr double most_adapted = 2e-5;
/// How often a step is taken again because it strains what should keep its shape.
constexpr int most_stiffenings = 6;

/// The step cannot be taken, however short it is.
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
                       MotionState& motion, StepRecord& record)
    : system_(system),
      stepper_(stepper),
      judges_(judges),
      motion_(motion),
      record_(record),
      watch_(supervision(stepper.info())) {}

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

/// Contact learns how stiff it has to be; what that puts in is booked.
void StepDriver::adapt() {
  if (motion_.touching && system_.adapt(motion_.now(), most_adapted * motion_.account.in_play()))
    book_changed_forces(system_, motion_);
}

State StepDriver::taken(const Attempt& attempt, double t_end) const {
  const State& start = motion_.now();
  State u = attempt.run(motion_.history, t_end - start.t);
  u.t = t_end;  // not the rounded sum of the stages
  if (attempt.ends_beyond_stage && stepper_.met()) {
    const Vector moved = u.q - start.q;
    if (system_.max_step(start.q, moved, start.t, u.t) < 1)
      throw StepFailure("the step ends beyond its last stage, where " +
                        system_.what_stops(start.q, moved, start.t, u.t));
  }
  return u;
}

std::optional<StepDriver::Judged> StepDriver::attempted(const Attempt& attempt, double t_end, StepFailure& failure) {
  try {
    StepCandidate candidate = weighed(taken(attempt, t_end), attempt.with_modes);
    for (int k = 0; k < most_stiffenings && stiffens(candidate); ++k)
      candidate = weighed(taken(attempt, t_end), attempt.with_modes);
    const bool retake = must_retake(candidate);
    return Judged{std::move(candidate), retake};
  } catch (const StepFailure& f) {
    failure = f;
    return std::nullopt;
  }
}

/// Whether forces had to become stiffer for what a candidate has strained; what that puts in is booked.
bool StepDriver::stiffens(const StepCandidate& candidate) {
  if (!watch_.bears_stiffening || !system_.stiffen(candidate.acting ? *candidate.acting : candidate.u)) return false;
  book_changed_forces(system_, motion_);
  return true;
}

/// Where the step ends, with its energies and the work that was put in.
StepCandidate StepDriver::weighed(State u, bool with_modes) const {
  StepCandidate candidate;
  candidate.with_modes = with_modes;
  candidate.energies = system_.energies(u);
  const ActedForces& acted = stepper_.acted();
  std::vector<ActingState> acting = {{&motion_.now(), acted.weights.start}, {&u, acted.weights.end}};
  if (acted.stage) acting.push_back({&*acted.stage, acted.weights.stage});
  candidate.put_in = system_.work_put_in(motion_.now(), u, acting);
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

/// Throws StepFailure for a candidate that must not be accepted at all.
bool StepDriver::must_retake(const StepCandidate& candidate) const {
  for (const Judge& judge : judges_)
    if (auto objection = judge(motion_, candidate)) {
      if (objection->remedy == Objection::Remedy::fail) throw StepFailure(std::move(objection->reason));
      return true;
    }
  return false;
}

/// The first calmer candidate that may be accepted, or else the one that gains least.
StepCandidate StepDriver::retaken(StepCandidate candidate, Substep& substep) {
  StepFailure failure("");
  const double t_end = candidate.u.t;
  for (const Attempt& attempt : retakes(stepper_, system_, candidate.touched)) {
    auto judged = attempted(attempt, t_end, failure);
    if (!judged || judged->candidate.gain > candidate.gain) {
      candidate.energies = system_.energies(candidate.u);  // forces may have become stiffer since
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
  const auto lose = [&](Loss& loss, double (MechanicalSystem::*power)(const State&) const) {
    const double now = (system_.*power)(candidate.u);
    loss.add(h, now, candidate.acting ? std::optional((system_.*power)(*candidate.acting)) : std::nullopt);
  };
  lose(motion_.damping, &MechanicalSystem::damping_power);
  if (stepper_.met())
    lose(motion_.friction, &MechanicalSystem::friction_power);
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
