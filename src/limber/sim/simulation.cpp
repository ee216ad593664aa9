#include "limber/sim/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/core/nodes.hpp"

namespace limber {
namespace {

constexpr int most_halvings = 8, halvings_before_last_resort = 3;
/// A step may at most multiply the energy it finds and receives by this, a run what it was ever given.
constexpr double most_growth = 4, most_total_growth = 20;
/// Steps in which things touch may together gain this share of the largest kinetic energy, and not more before it is
/// lost again: Newton's tolerance, and the scheme's own error, which goes up and down.
constexpr double most_gained = 2e-4;
/// A motion may have this share of the energy in play above all that it was ever given.
constexpr double most_excess = 2e-4;
/// What a hybrid has lost, its modes may bring back up to this share of the energy in play.
constexpr double most_regained = .01;
constexpr double position_rounding = 1e-14;  // as a share of the size of all
/// A change of contact's stiffness may put in this share of the energy in play.
constexpr double most_adapted = 2e-5;
/// How often a step is taken again since it strains what should keep its shape.
constexpr int most_stiffenings = 6;

double mechanical(const Energies& e) { return e.kinetic + e.elastic; }

}  // namespace

Simulation::Simulation(std::shared_ptr<MechanicalSystem> system, const MethodSettings& method, double step,
                       State initial)
    : system_(std::move(system)),
      claim_(system_->claim(initial)),
      info_(&find_method(method.name)),
      settings_(method),
      stepper_(*info_, method.parameters, *system_, method.options),
      h_(step),
      mass_(system_->total_mass()),
      start_time_(initial.t),
      history_(std::move(initial)) {
  start_anew(state());
}

void Simulation::start_anew(State u) {
  const Energies e = system_->energies(u);
  const double damping = system_->damping_power(u), friction = system_->friction_power(u);
  touching_ = std::isfinite(system_->smallest_gap(u));
  energies_ = e;
  damping_power_ = damping;
  friction_power_ = friction;
  supply_ = mechanical(e);
  account_ = EnergyAccount(e, u.t, system_->elastic_rounding(u));
  history_ = History(std::move(u));
  acting_.reset();
}

void Simulation::release_due() {
  const double now = time() + .25 * h_;
  if (system_->next_release() > now) return;
  const State all = system_->full(state());
  while (system_->next_release() <= now) system_->release_next();
  counts_before_ += stepper_.linear_counts();
  stepper_ = Stepper(*info_, settings_.parameters, *system_, settings_.options);
  history_ = History(system_->state(all.q, all.v, time()));
  acting_.reset();
}

SolverCounts Simulation::linear_counts() const {
  SolverCounts sum = counts_before_;
  return sum += stepper_.linear_counts();
}

StepReport Simulation::step() {
  release_due();
  StepReport report;
  report.substeps = 0;
  const auto before = std::tuple(history_, energies_, account_, touching_, damping_loss_, damping_power_,
                                 friction_loss_, friction_power_, supply_, acting_);
  const std::vector<double> learnt = system_->memory();
  const auto modes = stepper_.modes() ? stepper_.modes()->memory() : std::nullopt;
  const long count = stepper_.newton_iterations();
  const double t = start_time_ + static_cast<double>(step_ + 1) * h_;
  try {
    advance(t, 0, report);
  } catch (...) {
    std::tie(history_, energies_, account_, touching_, damping_loss_, damping_power_, friction_loss_, friction_power_,
             supply_, acting_) = before;
    system_->restore(learnt);
    stepper_.forget(*system_);
    if (modes) stepper_.modes()->restore(*modes);
    throw;
  }
  ++step_;
  report.newton_iterations = stepper_.newton_iterations() - count;
  report.remarks = stepper_.take_notes();
  for (std::string& remark : system_->remarks(state()))
    if (said_.insert(remark).second) report.remarks.push_back(std::move(remark));
  if (account_.alarms()) report.remarks.push_back(alarm());
  return report;
}

void Simulation::run_until(double t, const std::function<bool()>& go_on) {
  const Interruptible interruptible(go_on);
  try {
    while (time() < t - 0.5 * h_ && go_on()) step();
  } catch (const Interrupted&) {
  }
}

/// Energy that nobody put in is never silent.
std::string Simulation::alarm() const {
  const State all = system_->full(state());
  double most = 0;
  int fastest = 0;
  for (int i = 0; i < system_->nodes(); ++i)
    if (const double speed = block(all.v, i).norm(); speed > most) most = speed, fastest = i;
  const Space& space = system_->space();
  const double of_all = space.max(most);
  const double number = space.min(most == of_all ? system_->holders().scene_number(fastest) : system_->holders().nodes);
  return fmt::format(
      "t = {:.6g} s: {:.3g} J have appeared that nobody put in, {:.2g} % of the energy in play, and node {} is the "
      "fastest with {:.3g} m/s; try a smaller time.step, or a method that damps more",
      time(), account_.rise(), 100 * account_.share(), static_cast<int>(number), of_all);
}

/// Contact learns how stiff it has to be; what that puts in is booked.
void Simulation::adapt() {
  if (system_->adapt(state(), most_adapted * account_.in_play())) book_changed_forces();
}

void Simulation::book_changed_forces() {
  const Energies e = system_->energies(state());
  account_.book(e, e.total() - energies_.total(), time());
  energies_ = e;
  friction_power_ = system_->friction_power(state());
}

std::vector<Simulation::Take> Simulation::attempts(double t_end, int depth) {
  const double h = t_end - time();
  const bool goes_beyond = !stepper_.ends_at_stage();
  const auto ending = [t_end](State u) {
    u.t = t_end;  // not the rounded sum of the stages
    return u;
  };
  const auto checked = [this, ending, goes_beyond](State u) {
    u = ending(std::move(u));
    if (goes_beyond) check_path(u);
    return u;
  };
  std::vector<Take> list{[=, this] { return checked(stepper_.step(*system_, history_, h)); }};
  if (info_->solution == StageSolution::linearized)
    list.push_back([=, this] { return checked(stepper_.step_by_newton(*system_, history_, h)); });
  if (system_->contact() && (goes_beyond || depth >= halvings_before_last_resort))
    list.push_back([=, this] { return ending(stepper_.step_by_backward_euler(*system_, history_, h)); });
  return list;
}

void Simulation::advance(double t_end, int depth, StepReport& report) {
  adapt();
  const double t = time(), h = t_end - t;
  StepFailure failure("");
  bool first = true;
  for (const Take& take : attempts(t_end, depth)) {
    if (auto trial = attempted(take, failure)) {
      ++report.substeps;
      if (!first) ++report.escalations;
      const bool too_much = gains(*trial) || regains(*trial);
      accept(too_much ? calmed(std::move(*trial), report) : std::move(*trial));
      return;
    }
    if (first) report.notes.push_back(fmt::format("t = {:.6g} s, h = {:.3g} s: {}", t, h, failure.reason));
    first = false;
  }
  if (depth == most_halvings) {
    const std::string advice = !failure.advice.empty()
                                   ? failure.advice
                                   : "Try a smaller time.step, an L-stable implicit method (BE, TR-BDF2), a stiffer "
                                     "or another material, or more damping";
    failure = StepFailure(
        fmt::format("the step from t = {:.6g} s fails even at h = {:.3g} s ({} of the step asked for): {}. {}", t, h,
                    fmt::format("1/{}", 1 << most_halvings), failure.reason, advice),
        failure.iterations, failure.residual);
    failure.t = t;
    failure.h = h;
    throw StepFailure(failure);
  }
  advance(t + h / 2, depth + 1, report);
  advance(t_end, depth + 1, report);
}

/// The calmer ways to take a step, the liveliest first.
std::vector<Simulation::Calmer> Simulation::calmer(const Trial& trial) {
  const double h = trial.u.t - time();
  std::vector<Calmer> list;
  if (stepper_.has_older_modes())
    list.push_back(
        {&StepReport::renewed, [=, this] { return stepper_.step_with_new_modes(*system_, history_, h); }, true});
  if (stepper_.modes())
    list.push_back(
        {&StepReport::without_modes, [=, this] { return stepper_.step_without_modes(*system_, history_, h); }});
  if (stepper_.linearized() && !stepper_.modes())
    list.push_back({&StepReport::escalations, [=, this] { return stepper_.step_by_newton(*system_, history_, h); }});
  if (trial.touched && stepper_.can_step_beside())
    list.push_back({&StepReport::beside, [=, this] { return stepper_.step_beside(*system_, history_, h); }});
  if (!trial.touched)
    list.push_back({&StepReport::by_tr_bdf2, [=, this] { return stepper_.step_by_tr_bdf2(*system_, history_, h); }});
  list.push_back({&StepReport::calmed, [=, this] { return stepper_.step_by_backward_euler(*system_, history_, h); }});
  return list;
}

/// The first calmer step that may be accepted, or else the one that gains least.
Simulation::Trial Simulation::calmed(Trial trial, StepReport& report) {
  StepFailure failure("");
  int StepReport::*taken = nullptr;
  for (const Calmer& way : calmer(trial)) {
    auto calm = attempted(
        [&, t_end = trial.u.t] {
          State u = way.take();
          u.t = t_end;
          return u;
        },
        failure);
    if (!calm || calm->gain > trial.gain) {
      trial.e = system_->energies(trial.u);  // forces may have become stiffer since
      continue;
    }
    trial = std::move(*calm);
    taken = way.count;
    if (!gains(trial) && !(way.with_modes && regains(trial))) break;
  }
  if (taken) ++(report.*taken);
  return trial;
}

/// Positions are rounded, which changes velocities by about as much in a step.
double Simulation::noise() const {
  const double speed = position_rounding * system_->length_scale() / h_;
  return speed * std::sqrt(2 * mass_ * account_.in_play());
}

/// Methods that are explicit or reproduce a printed form are left to themselves where nothing touches.
bool Simulation::gains(const Trial& trial) const {
  if (trial.touched && !account_.affords(trial.gain, trial.e, most_gained)) return true;
  const bool judged = info_->kind != MethodKind::explicit_ && info_->splitting != Splitting::printed;
  return judged && trial.gain > 0 && account_.excess(trial.e, trial.put_in, noise()) > most_excess;
}

/// Of a hybrid: what modes and the rest have lost to each other they may feed back.
bool Simulation::regains(const Trial& trial) const {
  const bool judged = stepper_.modes() && info_->splitting != Splitting::printed;
  return judged && trial.gain > 0 && account_.regained(trial.e, trial.put_in, noise()) > most_regained;
}

void Simulation::check_path(const State& u) const {
  const Vector moved = u.q - state().q;
  if (system_->contact() && system_->max_step(state().q, moved, time(), u.t) < 1)
    throw StepFailure("the step ends beyond its last stage, where " +
                      system_->what_stops(state().q, moved, time(), u.t));
}

std::optional<Simulation::Trial> Simulation::attempted(const Take& take, StepFailure& failure) {
  try {
    Trial trial = judged(take());
    for (int k = 0; k < most_stiffenings && stiffens(trial); ++k) trial = judged(take());
    check(trial);
    return trial;
  } catch (const StepFailure& f) {
    failure = f;
    return std::nullopt;
  }
}

/// Whether forces had to become stiffer for what a trial has strained; what that puts in is booked.
bool Simulation::stiffens(const Trial& trial) {
  // An explicit method would not bear it.
  if (info_->kind == MethodKind::explicit_ || info_->kind == MethodKind::exponential) return false;
  if (!system_->stiffen(trial.acting ? *trial.acting : trial.u)) return false;
  book_changed_forces();
  return true;
}

Simulation::Trial Simulation::judged(State u) const {
  Trial trial;
  trial.e = system_->energies(u);
  const ActedForces& acted = stepper_.acted();
  std::vector<ActingState> acting = {{&state(), acted.weights.start}, {&u, acted.weights.end}};
  if (acted.stage) acting.push_back({&*acted.stage, acted.weights.stage});
  trial.put_in = system_->work_put_in(state(), u, acting);
  trial.gain = trial.e.total() - energies_.total() - trial.put_in.work - trial.put_in.doubt;
  if (acted.at_stage_only()) trial.acting = acted.stage;
  if (system_->contact()) {
    trial.touches = std::isfinite(system_->smallest_gap(u));
    // An explicit method may be unstable with what an impact stirs up, or without: it is always watched.
    const bool watched = info_->kind == MethodKind::explicit_;
    trial.touched = touching_ || trial.touches || stepper_.touched() || watched;
  }
  trial.u = std::move(u);
  return trial;
}

void Simulation::accept(Trial trial) {
  const double h = trial.u.t - time();
  const auto lose = [&](double& loss, double& power, const auto& power_at) {
    const double before = std::exchange(power, power_at(trial.u));
    loss += h * (trial.acting ? power_at(*trial.acting) : .5 * (before + power));
  };
  lose(damping_loss_, damping_power_, [this](const State& u) { return system_->damping_power(u); });
  lose(friction_loss_, friction_power_, [this](const State& u) { return system_->friction_power(u); });
  supply_ += supplied(trial);
  if (trial.touched) account_.charge(trial.gain);
  account_.book(trial.e, trial.put_in.work, trial.u.t, trial.put_in.doubt);
  energies_ = trial.e;
  touching_ = trial.touches;
  acting_ = std::move(trial.acting);
  history_.push(std::move(trial.u), stepper_.memory().states);
}

/// What outer forces, gravity and contact may have turned into motion and strain in a step [J].
double Simulation::supplied(const Trial& trial) const {
  const Energies &a = energies_, &b = trial.e;
  const auto released = [](double before, double after) { return std::max(0.0, before - after); };
  const double from_outside = trial.put_in.work + trial.put_in.doubt + a.other - b.other;
  return std::max(0.0, from_outside) + released(a.gravitational, b.gravitational) + released(a.contact, b.contact);
}

void Simulation::check(const Trial& trial) const {
  const Energies& e = trial.e;
  if (!std::isfinite(e.elastic)) throw StepFailure("the step ends outside the material's domain (an inverted element)");
  if (!std::isfinite(e.total())) throw StepFailure("the energy is not finite");
  // Implicit methods do not diverge by themselves; what contact does to them is not left to a bound as coarse as this,
  // nor is what hybrids gain.
  const bool hybrid = info_->kind == MethodKind::hybrid && info_->splitting != Splitting::printed;
  if (info_->kind == MethodKind::implicit || hybrid) return;
  const double tiny = 1e-12 * system_->total_mass() * std::pow(system_->length_scale() / (trial.u.t - time()), 2);
  const double now = mechanical(e), before = mechanical(energies_), input = supplied(trial);
  if (now > most_growth * (before + input) + tiny)
    throw StepFailure(
        fmt::format("the energy grows from {:.3g} J to {:.3g} J in one step, with {:.3g} J put in: the step diverges",
                    before, now, input));
  if (now > most_total_growth * (supply_ + input) + tiny)
    throw StepFailure(fmt::format("the energy is {:.3g} J, but only {:.3g} J were ever put in: the motion is unstable",
                                  now, supply_ + input));
}

void Simulation::change_forces(const std::function<void()>& change) {
  change();
  book_changed_forces();
}

void Simulation::set_state(Vector q, Vector v) {
  const auto check = [this](const char* name, const Vector& x) {
    if (x.size() != system_->size())
      throw InputError(name, fmt::format("{} numbers, expected {}: three for each node that is free to move", x.size(),
                                         system_->size()));
    if (!x.allFinite()) throw InputError(name, "a number is not finite");
  };
  check("positions", q);
  check("velocities", v);
  start_anew(State{std::move(q), std::move(v), time()});
  stepper_.forget(*system_);
}

Snapshot Simulation::snapshot() {
  Snapshot s{{}, step_, start_time_, damping_loss_, supply_};
  s.friction_loss = friction_loss_;
  s.forces = system_->memory();
  s.account = account_.memory();
  s.damping_power = damping_power_;
  s.friction_power = friction_power_;
  s.releases = system_->releases();
  if (stepper_.modes()) s.modes = stepper_.modes()->memory();
  const Space& space = system_->space();
  for (std::size_t i = 0; i < history_.size(); ++i) {
    const State& u = history_[i];
    s.history.push_back(
        {space.on_first(u.q), space.on_first(u.v), u.t, u.a.size() > 0 ? space.on_first(u.a) : Vector()});
  }
  begin_again(s.forces, s.modes);
  return s;
}

/// A motion that goes on after a snapshot and one that is resumed from it both come through here: what they have in
/// common is what the snapshot has, and nothing else is left.
void Simulation::begin_again(const std::vector<double>& forces, const std::optional<ModalMemory>& modes) {
  system_->restore(forces);
  system_->forget();
  stepper_.forget(*system_);
  if (stepper_.modes() && modes) stepper_.modes()->restore(*modes);
  energies_ = system_->energies(state());
  touching_ = std::isfinite(system_->smallest_gap(state()));
}

/// Whether a node is held changes the unknowns, which a method counts when it is made.
void Simulation::release_first(int k) {
  if (k == system_->releases()) return;
  system_->release_first(k);
  counts_before_ += stepper_.linear_counts();
  stepper_ = Stepper(*info_, settings_.parameters, *system_, settings_.options);
}

void Simulation::restore(const Snapshot& s) {
  on_first_process(system_->processes(), [&] {
    require_sound(s, {h_, stepper_.memory().states, stepper_.modes() != nullptr});
  });
  const auto before = std::tuple(history_, step_, start_time_, energies_, account_, touching_, damping_loss_,
                                 damping_power_, friction_loss_, friction_power_, supply_);
  const std::vector<double> learnt = system_->memory();
  const auto modes = stepper_.modes() ? stepper_.modes()->memory() : std::nullopt;
  const int releases = system_->releases();
  try {
    take_over(s);
  } catch (...) {
    release_first(releases);
    std::tie(history_, step_, start_time_, energies_, account_, touching_, damping_loss_, damping_power_,
             friction_loss_, friction_power_, supply_) = before;
    begin_again(learnt, modes);
    throw;
  }
}

void Simulation::take_over(const Snapshot& s) {
  release_first(s.releases);
  if (system_->releases() != s.releases)
    throw InputError("releases", fmt::format("is {}, but the scene has {}", s.releases, system_->releases()));
  const Space& space = system_->space();
  const auto length = [&](const Vector& x) { return static_cast<Index>(space.max(static_cast<double>(x.size()))); };
  if (const Index known = length(s.history[0].q), size = space.whole_size(system_->size()); known != size)
    throw InputError("history[0].q", fmt::format("has {} numbers, but the system has {} unknowns", known, size));
  std::deque<State> past;
  for (const State& u : s.history)
    past.push_back(
        {space.from_first(u.q), space.from_first(u.v), u.t, length(u.a) > 0 ? space.from_first(u.a) : Vector()});
  history_ = History(std::move(past));
  step_ = s.step;
  start_time_ = s.start_time;
  damping_loss_ = s.damping_loss;
  damping_power_ = s.damping_power;
  friction_loss_ = s.friction_loss;
  friction_power_ = s.friction_power;
  supply_ = s.supply;
  account_.restore(s.account);
  begin_again(s.forces, s.modes);
  if (!std::isfinite(energies_.total())) throw InputError("history[0].q", "has an energy that is not finite");
  acting_.reset();
}

}  // namespace limber
