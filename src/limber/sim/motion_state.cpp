#include "limber/sim/motion_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "limber/core/errors.hpp"

namespace limber {

void Loss::add(double h, double now, std::optional<double> at_stage) {
  const double before = std::exchange(power, now);
  total += h * (at_stage ? *at_stage : .5 * (before + now));
}

MotionState motion_from(MechanicalSystem& system, State u) {
  MotionState motion{History(std::move(u))};
  const State& now = motion.now();
  motion.energies = energies(system, now);
  motion.damping.power = damping_power(system, now);
  motion.friction.power = friction_power(system, now);
  motion.touching = std::isfinite(system.smallest_gap(now));
  motion.supply = motion.mechanical();
  motion.account = EnergyAccount(motion.energies, now.t, elastic_rounding(system, now));
  return motion;
}

void book_changed_forces(MechanicalSystem& system, MotionState& motion) {
  const Energies e = energies(system, motion.now());
  motion.account.book(e, e.total() - motion.energies.total(), motion.time());
  motion.energies = e;
  motion.friction.power = friction_power(system, motion.now());
}

void book_changed_parameters(MechanicalSystem& system, MotionState& motion) {
  const double before = motion.mechanical();
  book_changed_forces(system, motion);
  motion.supply += std::max(0.0, motion.mechanical() - before);
  motion.damping.power = damping_power(system, motion.now());
  motion.account.expect_rounding(elastic_rounding(system, motion.now()));
  std::deque<State> past;
  for (std::size_t i = 0; i < motion.history.size(); ++i) {
    past.push_back(motion.history[i]);
    past.back().a.resize(0);
  }
  motion.history = History(std::move(past));
}

StepTransaction::StepTransaction(MechanicalSystem& system, Stepper& stepper)
    : system_(system),
      stepper_(stepper),
      forces_(system.memory()),
      modes_(stepper.modes() ? stepper.modes()->mark() : ModesMark{}) {}

void StepTransaction::roll_back() {
  stepper_.forget(system_);
  undo();
}

void StepTransaction::undo() {
  system_.restore(forces_);
  if (stepper_.modes()) stepper_.modes()->return_to(modes_);
}

Vector StepControl::error() const {
  if (touched.now.q.size() == 0) return smooth.now.q;
  if (smooth.now.q.size() == 0) return touched.now.q;
  return smooth.now.q + touched.now.q;
}

std::vector<double> StepControl::memory() const {
  const auto number = [](long count) { return static_cast<double>(count); };
  return {next,
          ratio,
          speed,
          acceleration,
          error_q,
          error_v,
          largest,
          drawn,
          adapted,
          touched_last ? 1.0 : 0.0,
          smooth.added,
          smooth.largest,
          touched.added,
          touched.largest,
          number(since_carried),
          number(rejected),
          number(at_shortest)};
}

void StepControl::restore(const std::vector<double>& m) {
  constexpr std::size_t size = 17, counts = 3;
  constexpr double most = 1e15;
  const auto bad = [&](double x) { return !(x >= 0) || !std::isfinite(x); };
  if (m.size() != size || std::any_of(m.begin(), m.end(), bad) ||
      std::any_of(m.end() - counts, m.end(), [](double count) { return count > most; }))
    throw InputError("step_control", fmt::format("must be {} numbers that are not negative", size));
  *this = {m[0],
           m[1],
           m[2],
           m[3],
           m[4],
           m[5],
           m[6],
           m[7],
           m[8],
           m[9] != 0,
           std::lround(m[14]),
           std::lround(m[15]),
           std::lround(m[16])};
  smooth = {{}, m[10], m[11]};
  touched = {{}, m[12], m[13]};
}

}  // namespace limber
