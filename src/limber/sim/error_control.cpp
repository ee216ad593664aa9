#include "limber/sim/error_control.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "limber/sim/messages.hpp"

namespace limber {
namespace {

/// Shares of the accuracy: of the reserve for steps with contact; of what is left of it for one of them, and of all for
/// one step, whose error no later one may cancel.
constexpr double reserve = .5, most_at_once = .1;
/// Aim below what is allowed, so that few steps are rejected.
constexpr double aim = .9;
/// A PI controller: exponents of the present and the last ratio of error to allowed error, over the method's order.
constexpr double proportional = .7, integral = .3;
constexpr double fastest_growth = 2, fastest_first_growth = 5, fastest_shrinking = .2,
                 fastest_shrinking_if_rejected = .1;
/// Lengths that would grow by less stay as they are, so that factors of equal matrices serve on.
constexpr double least_growth = 1.2;
/// How long speeds are remembered, in units of the motion's own time scale.
constexpr double memory_of_scale = 4;
constexpr double same_time = 1e-9;  // of times, relative to the duration

/// The error of all substeps; nullopt if one has no estimate.
std::optional<LocalError> sum_of(const std::vector<Substep>& substeps) {
  LocalError sum;
  for (const Substep& s : substeps) {
    if (!s.error) return std::nullopt;
    sum.add(*s.error);
  }
  return sum;
}

/// By how much errors that steps have added have grown or shrunk since. It begins with what vibrations do, which turn
/// errors back and forth; that counts as much as a tenth of the accuracy.
double gain(const CarriedError& error, double accuracy) {
  constexpr double at_first = .5, weight = .1, least = .05, most = 4;
  const double known = weight * accuracy;
  return std::clamp((error.largest + at_first * known) / (error.added + known), least, most);
}

/// The time [s] in which the motion changes.
double time_scale(const StepControl& state, double duration) {
  if (!(state.acceleration > 0)) return duration;
  return std::min(state.speed / state.acceleration, duration);
}

/// The time [s] in which the errors of steps change, as far as they turn with the motion.
double error_scale(const StepControl& state, double duration) {
  const double scale = time_scale(state, duration);
  return state.error_v > 0 ? std::min(state.error_q / state.error_v, scale) : scale;
}

}  // namespace

double next_end(const ErrorControl& control, double t) {
  const auto next = std::upper_bound(control.ends.begin(), control.ends.end(), t + time_rounding(control));
  return next == control.ends.end() ? std::numeric_limits<double>::infinity() : *next;
}

ControlledStep::ControlledStep(MechanicalSystem& system, Stepper& stepper, const std::vector<Judge>& judges,
                               const ErrorControl& control, ErrorTransport& transport)
    : system_(system), stepper_(stepper), judges_(judges), control_(control), transport_(transport) {}

MotionState ControlledStep::take(const MotionState& motion, double latest, StepRecord& record) {
  const double t = motion.time(), left = latest - t;
  double h = motion.control.next > 0 ? motion.control.next : first_length(motion.now());
  for (int rejected = 0;; ++rejected) {
    // The rest is divided evenly, instead of leaving a short step for the end.
    const bool last = h >= (1 - same_time) * left;
    const double t_end = last ? latest : h > left / 2 ? t + left / 2 : t + h;
    StepTransaction transaction(system_, stepper_);
    StepRecord trial;
    JudgedMotion next = attempt(motion, t_end, trial);
    StepControl& state = next.motion.control;
    const double length = t_end - t, ratio = std::max(next.error / allowed(length, motion, next.touched),
                                                      next.between / (aim * control_.accuracy));
    const double least = next.touched ? std::max(control_.shortest, control_.shortest_in_contact) : control_.shortest;
    const bool shortest = length <= (1 + same_time) * least;
    if (!(ratio <= 1) && !shortest) {
      transaction.undo();
      const double factor = aim * std::pow(ratio, -1.0 / stepper_.info().order);
      h = std::max(least, length * (std::isfinite(factor) ? std::clamp(factor, fastest_shrinking_if_rejected, aim)
                                                          : fastest_shrinking_if_rejected));
      continue;
    }
    if (ratio > 1 && ++state.at_shortest == 1)
      trial.remarks.push_back(shortest_step_note(system_, next.motion.time(), length, next.all.q, ratio));
    state.rejected += rejected;
    if (next.touched) state.drawn += std::max(0.0, next.error - allowed(length, motion, false));
    double proposed = next_length(length, ratio, motion.control);
    if (length < h) proposed = std::max(proposed, h);  // the end was near
    if (trial.halved()) proposed = std::min(proposed, 2 * trial.shortest());
    state.next = std::clamp(proposed, control_.shortest, control_.longest);
    state.ratio = ratio;
    trial.carried = carry(next, state, next.motion.now());
    trial.rejected = rejected;
    record = std::move(trial);
    return std::move(next.motion);
  }
}

/// A part of the time in which the start's acceleration moves a node by the accuracy.
double ControlledStep::first_length(const State& u) const {
  const double a = system_.space().max_abs(system_.solve_mass(system_.force(u)));
  const double h = a > 0 ? .3 * std::sqrt(2 * control_.accuracy / a) : control_.longest;
  return std::clamp(h, control_.shortest, control_.longest);
}

/// What is left of the accuracy is shared out over what is left of the run.
double ControlledStep::allowed(double h, const MotionState& motion, bool touched) const {
  constexpr double most_left = 3, least_left = .5;
  const StepControl& state = motion.control;
  const CarriedError& so_far = touched ? state.touched : state.smooth;
  const double left = std::max(control_.ends.back() - motion.time(), h),
               evenly = aim * control_.accuracy / control_.duration;
  const double rate =
      std::clamp((aim * control_.accuracy - so_far.largest) / left, least_left * evenly, most_left * evenly);
  const double share = std::min(rate * h / gain(so_far, control_.accuracy), most_at_once * control_.accuracy);
  if (!touched) return share;
  return std::max(share, most_at_once * (reserve * control_.accuracy - state.drawn));
}

MotionState ControlledStep::advanced(const MotionState& motion, double t_end, StepRecord& record) {
  MotionState next = motion;
  StepDriver(system_, stepper_, judges_, next, record, control_.typical).advance(t_end);
  return next;
}

JudgedMotion ControlledStep::attempt(const MotionState& motion, double t_end, StepRecord& record) {
  StepTransaction transaction(system_, stepper_);
  JudgedMotion next{advanced(motion, t_end, record), 0, false};
  std::optional<LocalError> error = sum_of(record.substeps);
  next.touched =
      std::any_of(record.substeps.begin(), record.substeps.end(), [](const Substep& s) { return s.touched; });
  if (!error) {
    transaction.undo();
    error = replaced_by_halves(motion, next, record);
  }
  follow(motion.now(), next.motion);
  // Velocities jump in contact: differences do not tell their error, nor do those that reach back into it.
  if (next.touched || motion.control.touched_last) error->v.resize(0);
  next.motion.control.touched_last = next.touched;
  next.error = size_of(*error, next.motion.time() - motion.time(), next.motion.control);
  next.all = *std::move(error);
  return next;
}

/// Takes the step again as two halves, which replace it, and compares.
LocalError ControlledStep::replaced_by_halves(const MotionState& motion, JudgedMotion& next, StepRecord& record) {
  MotionState& whole = next.motion;
  const double t = motion.time(), t_end = whole.time();
  const State once = whole.now();
  record = StepRecord();
  record.by_halves = true;
  const MotionState half = advanced(motion, t + (t_end - t) / 2, record);
  whole = advanced(half, t_end, record);
  const State &start = motion.now(), &end = whole.now();
  const Vector middle = .5 * (start.q + end.q) + (t_end - t) / 8 * (start.v - end.v);
  next.between = system_.space().max_abs(middle - half.now().q);
  const double gained = std::pow(2, stepper_.info().order) - 1;
  return {(once.q - whole.now().q) / gained, (once.v - whole.now().v) / gained};
}

/// Of positions; velocities count by how far they lead in the time scale of errors or of the motion, whichever is
/// shorter: where one of the two passes through zero, the other one is largest.
double ControlledStep::size_of(const LocalError& error, double h, StepControl& state) const {
  const Space& space = system_.space();
  const double q = space.max_abs(error.q);
  if (error.v.size() == 0) return q;
  const double v = space.max_abs(error.v), power = std::pow(h, stepper_.info().order + 1);
  const double scale = error_scale(state, control_.duration);
  const double fading = scale > 0 ? std::exp(-h / (memory_of_scale * scale)) : 0;
  state.error_q = std::max(fading * state.error_q, q / power);
  state.error_v = std::max(fading * state.error_v, v / power);
  return std::max(q, error_scale(state, control_.duration) * v);
}

/// Follows how fast the motion is and how fast it changes.
void ControlledStep::follow(const State& before, MotionState& motion) const {
  StepControl& state = motion.control;
  const State& now = motion.now();
  const double h = now.t - before.t, scale = time_scale(state, control_.duration);
  const double fading = scale > 0 ? std::exp(-h / (memory_of_scale * scale)) : 0;
  state.speed = std::max(fading * state.speed, system_.space().max_abs(now.v));
  state.acceleration = std::max(fading * state.acceleration, system_.space().max_abs(now.v - before.v) / h);
}

/// Adds the error of a step to those before, which go on with the motion. Returns whether they have been carried on.
bool ControlledStep::carry(const JudgedMotion& step, StepControl& state, const State& now) {
  constexpr long rarely = 4;
  const Space& space = system_.space();
  const double since = state.smooth.now.q.size() > 0    ? state.smooth.now.t
                       : state.touched.now.q.size() > 0 ? state.touched.now.t
                                                        : now.t;
  CarriedError& kind = step.touched ? state.touched : state.smooth;
  kind.added += step.error;
  if (kind.now.q.size() != now.q.size()) kind.now = {Vector::Zero(now.q.size()), Vector::Zero(now.v.size()), since};
  kind.now.q += step.all.q;
  if (step.all.v.size() > 0) kind.now.v += step.all.v;
  const bool due = ++state.since_carried >= rarely;
  bool carried = false;
  if (due) {
    std::vector<State*> errors;
    for (CarriedError* e : {&state.smooth, &state.touched})
      if (e->now.q.size() > 0) errors.push_back(&e->now);
    carried = transport_.carry(system_, errors, now);  // where the linearised motion has no solution, they stay
    for (State* e : errors) e->t = now.t;
    state.since_carried = 0;
  }
  for (CarriedError* e : {&state.smooth, &state.touched})
    if (e->now.q.size() > 0) e->largest = std::max(e->largest, space.max_abs(e->now.q));
  state.largest = std::max(state.largest, space.max_abs(state.error()));
  return carried;
}

double ControlledStep::next_length(double h, double ratio, const StepControl& before) const {
  constexpr double least_ratio = 1e-8;
  const double p = stepper_.info().order, now = std::max(ratio, least_ratio);
  double factor = aim * std::pow(now, -proportional / p);
  if (before.ratio > 0) factor *= std::pow(std::max(before.ratio, least_ratio), integral / p);
  factor = std::clamp(factor, fastest_shrinking, before.ratio > 0 ? fastest_growth : fastest_first_growth);
  return factor >= 1 && factor < least_growth ? h : factor * h;
}

}  // namespace limber
