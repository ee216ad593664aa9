#include "limber/sim/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/core/nodes.hpp"
#include "limber/sim/messages.hpp"
#include "limber/sim/step_driver.hpp"

namespace limber {

namespace {

MethodSettings with_estimates(MethodSettings method, bool estimates) {
  method.options.estimate_errors = estimates;
  return method;
}

State gathered(const State& error, const Space& space) {
  if (error.q.size() == 0) return {};
  return {space.gather_to_root(error.q), space.gather_to_root(error.v), error.t};
}

State scattered(const State& error, const Space& space) {
  return {space.scatter_from_root(error.q), space.scatter_from_root(error.v), error.t};
}

}  // namespace

Simulation::Simulation(std::shared_ptr<MechanicalSystem> system, const MethodSettings& method,
                       const StepLengths& lengths, State initial)
    : system_(std::move(system)),
      claim_(system_->claim(initial)),
      info_(&find_method(method.name)),
      settings_(with_estimates(method, lengths.control.has_value())),
      stepper_(*info_, settings_.parameters, *system_, settings_.options),
      lengths_(lengths),
      start_time_(initial.t),
      motion_(motion_from(*system_, std::move(initial))),
      judges_(judges(supervision(*info_), *system_)),
      transport_(settings_.options.stages.linear_solver) {}

/// Restarts the motion, but keeps the step count and the losses so far.
void Simulation::start_anew(State u) {
  MotionState fresh = motion_from(*system_, std::move(u));
  fresh.step = motion_.step;
  fresh.control = motion_.control;
  fresh.control.next = fresh.control.ratio = 0;
  fresh.control.smooth.now = fresh.control.touched.now = {};
  fresh.damping.total = motion_.damping.total;
  fresh.friction.total = motion_.friction.total;
  motion_ = std::move(fresh);
}

/// Recreates the method for a changed set of unknowns.
void Simulation::renew_method() {
  counts_before_ += stepper_.linear_counts();
  stepper_ = Stepper(*info_, settings_.parameters, *system_, settings_.options);
}

void Simulation::release_due() {
  const double now = time() + (lengths_.control ? time_rounding(*lengths_.control) : .25 * lengths_.step);
  if (system_->next_release() > now) return;
  const State all = system_->full(state());
  StepControl& control = motion_.control;
  for (State* error : {&control.smooth.now, &control.touched.now})
    if (error->q.size() > 0) *error = {system_->spread(error->q), system_->spread(error->v), error->t};
  while (system_->next_release() <= now) system_->release_next();
  renew_method();
  motion_.history = History(system_->state(all.q, all.v, time()));
  for (State* error : {&control.smooth.now, &control.touched.now})
    if (error->q.size() > 0)
      *error = {system_->restrict_to_free(error->q), system_->restrict_to_free(error->v), error->t};
  transport_.forget();
  motion_.acting.reset();
}

SolverCounts Simulation::linear_counts() const {
  SolverCounts sum = counts_before_;
  return sum += stepper_.linear_counts();
}

StepRecord Simulation::step_to(double latest) {
  release_due();
  StepRecord record;
  MotionState next = motion_;
  const long count = stepper_.newton_iterations();
  StepTransaction transaction(*system_, stepper_);
  const auto undo = [&] {
    transaction.roll_back();
    transport_.forget();
  };
  try {
    if (lengths_.control)
      next =
          ControlledStep(*system_, stepper_, judges_, *lengths_.control, transport_)
              .take(motion_, std::min({latest, system_->next_release(), next_end(*lengths_.control, time())}), record);
    else
      StepDriver(*system_, stepper_, judges_, next, record)
          .advance(start_time_ + static_cast<double>(motion_.step + 1) * lengths_.step);
  } catch (const OutOfMemory&) {
    undo();
    throw;
  } catch (const std::bad_alloc&) {
    undo();
    throw OutOfMemory(fmt::format("a step with {} unknowns", system_->size()));
  } catch (...) {
    undo();
    throw;
  }
  motion_ = std::move(next);
  ++motion_.step;
  record.newton_iterations = stepper_.newton_iterations() - count;
  for (std::string& note : stepper_.take_notes()) record.remarks.push_back(std::move(note));
  for (std::string& remark : system_->remarks(state()))
    if (said_.insert(remark).second) record.remarks.push_back(std::move(remark));
  if (motion_.account.alarms()) record.remarks.push_back(energy_alarm(*system_, motion_));
  return record;
}

bool Simulation::is_before(double t) const {
  return time() < t - (lengths_.control ? time_rounding(*lengths_.control) : .5 * lengths_.step);
}

void Simulation::run_until(double t, const std::function<bool()>& go_on) {
  const Interruptible interruptible(go_on);
  try {
    while (is_before(t) && go_on()) step_to(t);
  } catch (const Interrupted&) {
  }
}

void Simulation::change_forces(const std::function<void()>& change) {
  change();
  book_changed_forces(*system_, motion_);
}

std::vector<Parameter> Simulation::parameters() const {
  return system_->parameters() ? system_->parameters()->parameters() : std::vector<Parameter>{};
}

/// Factors and levels are dropped, modes kept for a refresh.
void Simulation::apply_parameters(const std::vector<Parameter>& values) {
  if (values.empty()) return;
  ParameterSource* source = system_->parameters();
  if (!source) throw InputError(values[0].name, "there are no parameters that can be changed");
  const SystemChange change = source->prepare(values);
  const NewtonOptions& newton = settings_.options.stages.newton;
  const auto has_potential = [](const SystemChange::Entry& e) { return e.force->traits().has_potential; };
  if ((newton.merit == Merit::potential || newton.solver == NonlinearSolver::lbfgs) &&
      !std::all_of(change.forces.begin(), change.forces.end(), has_potential))
    throw InputError(values[0].name,
                     "cannot be changed to this: a force would have no potential, which the method asks for");
  const auto modes = stepper_.modes() ? stepper_.modes()->memory() : std::nullopt;
  const bool others = system_->change(change);
  source->commit();
  transport_.forget();
  if (others)
    renew_method();
  else
    stepper_.forget(*system_);
  if (modes) {
    stepper_.modes()->restore(*modes);
    stepper_.modes()->outdate();
  }
  judges_ = judges(supervision(*info_), *system_);
}

void Simulation::set_parameters(const std::vector<Parameter>& values) {
  if (values.empty()) return;
  apply_parameters(values);
  if (motion_.step == 0)
    motion_ = motion_from(*system_, {state().q, state().v, time()});
  else
    book_changed_parameters(*system_, motion_);
}

/// All that have been changed so far, as they were at the start, but for these.
std::vector<Parameter> Simulation::with_only(const std::vector<Parameter>& changed) const {
  std::vector<Parameter> all = changed;
  if (!system_->parameters()) return all;
  for (const Parameter& start : system_->parameters()->before_changes())
    if (std::none_of(changed.begin(), changed.end(), [&](const Parameter& p) { return p.name == start.name; }))
      all.push_back(start);
  std::erase_if(all, [&](const Parameter& p) { return system_->parameters()->parameter(p.name).values == p.values; });
  return all;
}

void Simulation::set_state(Vector q, Vector v) {
  const auto check = [this](const char* name, const Vector& x) {
    if (x.size() != system_->size())
      throw InputError(name, fmt::format("{} numbers, expected {}: three for each node that is free to move", x.size(),
                                         system_->size()));
    if (!x.allFinite()) throw InputError(name, "a number is not finite");  // local: given alike to all
  };
  check("positions", q);
  check("velocities", v);
  start_anew(State{std::move(q), std::move(v), time()});
  stepper_.forget(*system_);
}

Snapshot Simulation::snapshot() {
  Snapshot s{{}, motion_.step, start_time_, motion_.damping.total, motion_.supply};
  s.friction_loss = motion_.friction.total;
  s.forces = system_->memory();
  s.account = motion_.account.memory();
  s.damping_power = motion_.damping.power;
  s.friction_power = motion_.friction.power;
  s.releases = system_->releases();
  if (lengths_.control) {
    s.control = motion_.control.memory();
    s.error = gathered(motion_.control.smooth.now, system_->space());
    s.error_of_contact = gathered(motion_.control.touched.now, system_->space());
  }
  if (system_->parameters()) s.parameters = system_->parameters()->changed();
  if (stepper_.modes()) s.modes = stepper_.modes()->memory();
  const Space& space = system_->space();
  for (std::size_t i = 0; i < motion_.history.size(); ++i) {
    const State& u = motion_.history[i];
    s.history.push_back({space.gather_to_root(u.q), space.gather_to_root(u.v), u.t,
                         u.a.size() > 0 ? space.gather_to_root(u.a) : Vector()});
  }
  begin_again(s.forces, s.modes);
  return s;
}

/// Called by runs that continue after a snapshot and by runs resumed from it, so that both have exactly the data of the
/// snapshot and nothing else.
void Simulation::begin_again(const std::vector<double>& forces, const std::optional<ModalMemory>& modes) {
  system_->restore(forces);
  system_->forget();
  stepper_.forget(*system_);
  transport_.forget();
  if (stepper_.modes() && modes) stepper_.modes()->restore(*modes);
  motion_.energies = limber::energies(*system_, state());
  motion_.touching = std::isfinite(system_->smallest_gap(state()));
}

void Simulation::release_first(int k) {
  if (k == system_->releases()) return;
  system_->release_first(k);
  renew_method();
}

void Simulation::restore(const Snapshot& s) {
  const auto constant = lengths_.control ? std::nullopt : std::optional(lengths_.step);
  on_root(system_->processes(), [&] {
    require_sound(s, {constant, stepper_.memory().states, stepper_.modes() != nullptr});
  });
  const MotionState before = motion_;
  const double start_time = start_time_;
  const std::vector<double> learnt = system_->memory();
  const auto modes = stepper_.modes() ? stepper_.modes()->memory() : std::nullopt;
  const int releases = system_->releases();
  const auto parameters = system_->parameters() ? system_->parameters()->changed() : std::vector<Parameter>{};
  try {
    apply_parameters(with_only(s.parameters));
    take_over(s);
  } catch (...) {
    apply_parameters(with_only(parameters));
    release_first(releases);
    motion_ = before;
    start_time_ = start_time;
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
  if (const Index known = length(s.history[0].q), size = space.global_size(system_->size()); known != size)
    throw InputError("history[0].q", fmt::format("has {} numbers, but the system has {} unknowns", known, size));
  std::deque<State> past;
  for (const State& u : s.history)
    past.push_back({space.scatter_from_root(u.q), space.scatter_from_root(u.v), u.t,
                    length(u.a) > 0 ? space.scatter_from_root(u.a) : Vector()});
  MotionState motion{History(std::move(past)), s.step};
  motion.damping = {s.damping_loss, s.damping_power};
  motion.friction = {s.friction_loss, s.friction_power};
  motion.supply = s.supply;
  motion.account.restore(s.account);
  if (lengths_.control) {
    motion.control.restore(s.control);
    if (length(s.error.q) > 0) motion.control.smooth.now = scattered(s.error, space);
    if (length(s.error_of_contact.q) > 0) motion.control.touched.now = scattered(s.error_of_contact, space);
  }
  motion_ = std::move(motion);
  start_time_ = s.start_time;
  begin_again(s.forces, s.modes);
  if (!std::isfinite(motion_.energies.total())) throw InputError("history[0].q", "has an energy that is not finite");
}

}  // namespace limber
