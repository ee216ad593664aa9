#include "limber/sim/simulation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

constexpr int most_halvings = 8, halvings_before_last_resort = 3;
/// A step may at most multiply the energy it finds and receives by this, a run what it was ever given.
constexpr double most_growth = 4, most_total_growth = 20;

double mechanical(const Energies& e) { return e.kinetic + e.elastic; }

}  // namespace

Simulation::Simulation(std::shared_ptr<MechanicalSystem> system, const MethodSettings& method, double step,
                       State initial)
    : system_(std::move(system)),
      info_(&find_method(method.name)),
      settings_(method),
      stepper_(*info_, method.parameters, *system_, method.options),
      h_(step),
      start_time_(initial.t),
      history_(std::move(initial)) {
  energies_ = system_->energies(state());
  damping_power_ = system_->damping_power(state());
  friction_power_ = system_->friction_power(state());
  supply_ = mechanical(energies_);
}

void Simulation::release_due() {
  const double now = time() + .25 * h_;
  if (system_->next_release() > now) return;
  const State all = system_->full(state());
  while (system_->next_release() <= now) system_->release_next();
  counts_before_ += stepper_.linear_counts();
  stepper_ = Stepper(*info_, settings_.parameters, *system_, settings_.options);
  history_ = History(system_->state(all.q, all.v, time()));
}

SolverCounts Simulation::linear_counts() const {
  SolverCounts sum = counts_before_;
  return sum += stepper_.linear_counts();
}

StepReport Simulation::step() {
  release_due();
  StepReport report;
  report.substeps = 0;
  const auto before =
      std::tuple(history_, energies_, damping_loss_, damping_power_, friction_loss_, friction_power_, supply_);
  const long count = stepper_.newton_iterations();
  const double t = start_time_ + static_cast<double>(step_ + 1) * h_;
  try {
    advance(t, 0, report);
  } catch (const StepFailure&) {
    std::tie(history_, energies_, damping_loss_, damping_power_, friction_loss_, friction_power_, supply_) = before;
    stepper_.reset();
    throw;
  }
  ++step_;
  report.newton_iterations = stepper_.newton_iterations() - count;
  report.remarks = stepper_.take_notes();
  return report;
}

void Simulation::run_until(double t, const std::function<bool()>& go_on) {
  while (time() < t - 0.5 * h_ && go_on()) step();
}

bool Simulation::accept_or_note(const std::function<State()>& take, StepFailure& failure) {
  try {
    accept(take());
    return true;
  } catch (const StepFailure& f) {
    failure = f;
    return false;
  }
}

void Simulation::advance(double t_end, int depth, StepReport& report) {
  const double t = time(), h = t_end - t;
  StepFailure failure("");
  const auto own_step = [&] {
    State u = attempt(info_->solution, t_end);
    if (!stepper_.ends_at_stage()) check_path(u);
    return u;
  };
  if (accept_or_note(own_step, failure)) {
    ++report.substeps;
    return;
  }
  report.notes.push_back(fmt::format("t = {:.6g} s, h = {:.3g} s: {}", t, h, failure.reason));
  const auto by_newton = [&] {
    State u = attempt(StageSolution::newton, t_end);
    if (!stepper_.ends_at_stage()) check_path(u);
    return u;
  };
  const auto safely = [&] {
    State u = stepper_.step_safely(*system_, history_, h);
    u.t = t_end;
    return u;
  };
  const bool last_resort = system_->contact() && (!stepper_.ends_at_stage() || depth >= halvings_before_last_resort);
  if ((info_->solution == StageSolution::linearized && accept_or_note(by_newton, failure)) ||
      (last_resort && accept_or_note(safely, failure))) {
    ++report.substeps;
    ++report.escalations;
    return;
  }
  if (depth == most_halvings) {
    const auto last = [&] {
      StepFailure f(
          fmt::format(
              "the step from t = {:.6g} s fails even at h = {:.3g} s ({} of the step asked for): {}. Try a smaller "
              "time.step, an L-stable implicit method (BE, TR-BDF2), a stiffer or another material, or more damping",
              t, h, fmt::format("1/{}", 1 << most_halvings), failure.reason),
          failure.iterations, failure.residual);
      f.t = t;
      f.h = h;
      return f;
    };
    throw last();
  }
  advance(t + h / 2, depth + 1, report);
  advance(t_end, depth + 1, report);
}

void Simulation::check_path(const State& u) const {
  if (system_->contact() && system_->max_step(state().q, u.q - state().q, time(), u.t) < 1)
    throw StepFailure("the step ends beyond its last stage, where something would be passed through");
}

State Simulation::attempt(StageSolution solution, double t_end) {
  const double h = t_end - time();
  State u = solution == info_->solution ? stepper_.step(*system_, history_, h)
                                        : stepper_.step_by_newton(*system_, history_, h);
  u.t = t_end;  // not the rounded sum of the stages
  return u;
}

void Simulation::accept(State u) {
  const Energies e = system_->energies(u);
  const double input = external_work(state(), u, energies_, e);
  check(u, e, input);
  const double power = system_->damping_power(u);
  damping_loss_ += 0.5 * (power + damping_power_) * (u.t - time());
  damping_power_ = power;
  const double friction = system_->friction_power(u);
  friction_loss_ += 0.5 * (friction + friction_power_) * (u.t - time());
  friction_power_ = friction;
  supply_ += input;
  energies_ = e;
  history_.push(std::move(u));
}

void Simulation::check(const State& u, const Energies& e, double input) const {
  if (!std::isfinite(e.elastic)) throw StepFailure("the step ends outside the material's domain (an inverted element)");
  if (!std::isfinite(e.total())) throw StepFailure("the energy is not finite");
  // Implicit methods do not diverge by themselves, but the explicit part of a trapezoidal stage may kick a body out of
  // a contact that it found compressed.
  if (info_->kind == MethodKind::implicit && !system_->contact()) return;
  const double tiny = 1e-12 * system_->total_mass() * std::pow(system_->length_scale() / (u.t - time()), 2);
  const double now = mechanical(e), before = mechanical(energies_);
  if (now > most_growth * (before + input) + tiny)
    throw StepFailure(
        fmt::format("the energy grows from {:.3g} J to {:.3g} J in one step, with {:.3g} J put in: the step diverges",
                    before, now, input));
  if (now > most_total_growth * (supply_ + input) + tiny)
    throw StepFailure(fmt::format("the energy is {:.3g} J, but only {:.3g} J were ever put in: the motion is unstable",
                                  now, supply_ + input));
}

/// An upper estimate of what gravity, loads, moved nodes and forces without a potential put in during a step.
double Simulation::external_work(const State& before, const State& after, const Energies& e0,
                                 const Energies& e1) const {
  double work =
      std::abs(e0.gravitational - e1.gravitational) + std::abs(e0.other - e1.other) + std::abs(e0.contact - e1.contact);
  const State a = system_->full(before), b = system_->full(after);
  const Vector moved = b.q - a.q;
  Vector f = Vector::Zero(moved.size());
  bool any = false;
  for (const auto& force : system_->forces())
    // Obstacles that move put in work by pushing and by dragging along.
    if (const auto traits = force->traits(); !traits.has_potential || (traits.contact && traits.time_dependent)) {
      force->add_force(b, f);
      force->add_force(a, f);
      any = true;
    }
  if (any) work += f.cwiseAbs().dot(moved.cwiseAbs());
  if (system_->scripted()) {
    const Vector r = system_->reactions(after);
    const auto& nodes = system_->prescribed_nodes();
    for (std::size_t i = 0; i < nodes.size(); ++i)
      work += std::abs(r.segment<3>(3 * static_cast<Index>(i)).dot(moved.segment<3>(3 * static_cast<Index>(nodes[i]))));
  }
  return work;
}

void Simulation::set_state(Vector q, Vector v) {
  history_ = History(State{std::move(q), std::move(v), time()});
  stepper_.forget();
  energies_ = system_->energies(state());
  damping_power_ = system_->damping_power(state());
  friction_power_ = system_->friction_power(state());
  supply_ = mechanical(energies_);
}

Snapshot Simulation::snapshot() {
  stepper_.reset();
  system_->reset_pattern();
  Snapshot s{{}, step_, start_time_, damping_loss_, supply_};
  s.friction_loss = friction_loss_;
  s.forces = system_->memory();
  if (stepper_.modes()) s.modes = stepper_.modes()->memory();
  for (std::size_t i = 0; i < history_.size(); ++i) s.history.push_back(history_[i]);
  return s;
}

void Simulation::restore(const Snapshot& s) {
  // Each release adds unknowns: their number tells whether a snapshot at the time of one is from before or after it.
  const Index size = system_->size();
  if (s.history.at(0).q.size() < size) system_->hold_all();
  while (system_->size() < s.history[0].q.size() && std::isfinite(system_->next_release())) system_->release_next();
  if (system_->size() != size) stepper_ = Stepper(*info_, settings_.parameters, *system_, settings_.options);
  history_ = History(std::deque<State>(s.history.begin(), s.history.end()));
  step_ = s.step;
  start_time_ = s.start_time;
  damping_loss_ = s.damping_loss;
  supply_ = s.supply;
  friction_loss_ = s.friction_loss;
  system_->restore(s.forces);
  system_->reset_pattern();
  stepper_.forget();
  if (stepper_.modes() && s.modes) stepper_.modes()->restore(*s.modes);
  energies_ = system_->energies(state());
  damping_power_ = system_->damping_power(state());
  friction_power_ = system_->friction_power(state());
}

}  // namespace limber
