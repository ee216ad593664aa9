#include "limber/gradient/motion_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/gradient/learnt_changes.hpp"
#include "limber/gradient/step_derivative.hpp"
#include "limber/gradient/step_differences.hpp"
#include "limber/model/following_force.hpp"
#include "limber/time/schemes/backward_euler.hpp"
#include "limber/time/schemes/tr_bdf2.hpp"

namespace limber {
namespace {

void refuse(const std::string& where, const std::string& why) { throw InputError(where, why); }

bool any_force(const MechanicalSystem& system, bool (FollowingForce::*is)() const) {
  const auto& all = system.forces().all();
  return std::any_of(all.begin(), all.end(), [&](const auto& force) {
    const auto* following = dynamic_cast<const FollowingForce*>(force.get());
    return following && (following->*is)();
  });
}

/// to += x, where empty vectors are zero.
void add(const Vector& x, Vector& to) {
  if (x.size() == 0) return;
  if (to.size() == 0)
    to = x;
  else
    to += x;
}
void add(const StateAdjoint& x, StateAdjoint& to) {
  add(x.q, to.q);
  add(x.v, to.v);
  add(x.a, to.a);
}

}  // namespace

void require_differentiable(const Simulation& simulation, double end) {
  const MechanicalSystem& system = simulation.system();
  if (system.traits().gaps && system.gap_rule() != GapRule::none)
    refuse("contact.formulation", "contact by inequalities has no gradient; take \"barrier\"");
  if (system.next_release() <= end) refuse("bodies", "a motion in which nodes are released has no gradient");
}

bool follows_motion(const MechanicalSystem& system) { return any_force(system, &FollowingForce::follows); }

bool has_approximate_tangents(const MechanicalSystem& system) {
  return any_force(system, &FollowingForce::tangent_is_approximate);
}

bool by_whole_steps(const MethodInfo& method, const MechanicalSystem& system) {
  return !method.linear || method.splitting != Splitting::none || method.kind == MethodKind::exponential ||
         system.lag() == Lag::each_solution || has_approximate_tangents(system);
}

MotionGradient::MotionGradient(Simulation& simulation, const MethodSettings& method,
                               std::vector<SystemVariation*> variations)
    : simulation_(simulation),
      info_(&simulation.method()),
      method_(method),
      schemes_{info_->make(complete_parameters(*info_, method.parameters)), std::make_unique<TrBdf2>(.5),
               std::make_unique<BackwardEuler>()},
      variations_(std::move(variations)),
      learns_(simulation.system().forces().any_learns()),
      follows_(follows_motion(simulation.system())) {}

MotionGradient::~MotionGradient() = default;

const TimeIntegrator& MotionGradient::scheme(Way way) const {
  if (way == Way::tr_bdf2) return *schemes_.tr_bdf2;
  return way == Way::backward_euler ? *schemes_.backward_euler : *schemes_.own;
}

bool MotionGradient::linearized(Way way) const {
  return way == Way::method && info_->solution == StageSolution::linearized;
}

Index MotionGradient::components() const {
  Index sum = 0;
  for (const SystemVariation* variation : variations_) sum += variation->size();
  return sum;
}

/// The next step. `known`: the states that the method looks back at, newest first.
MotionGradient::Step MotionGradient::take(std::deque<State>& known) {
  heed_interrupts();
  MechanicalSystem& system = simulation_.system();
  const auto memories = [&] { return learns_ ? system.forces().memories() : ForceMemories{}; };
  Step step{.before = memories(), .after = {}, .substeps = {}, .modes = {}};
  StepRecord record = simulation_.step();
  step.after = memories();
  const std::size_t kept = schemes_.own->memory().states;
  for (std::size_t i = 0; i < record.substeps.size(); ++i) {
    Substep& taken = record.substeps[i];
    const Way way = taken.way;
    const bool alone = way == Way::tr_bdf2 || way == Way::backward_euler;  // looks back at no other state
    RecordedSubstep substep{alone ? History(known.front()) : History(known), taken.h, way};
    for (StageRecord& stage : taken.log.stages) substep.stages.push_back(std::move(stage.result.u));
    step.substeps.push_back(std::move(substep));
    step.modes.push_back(std::move(taken.log.modes));
    known.push_front(std::move(taken.end));
    while (known.size() > kept) known.pop_back();
  }
  return step;
}

void MotionGradient::run(long steps, const Visit& visit) {
  require_differentiable(simulation_, simulation_.time() + static_cast<double>(steps) * simulation_.step_length());
  steps_ = steps;
  block_ = std::max(1L, std::lround(std::ceil(std::sqrt(static_cast<double>(steps)))));
  snapshots_.clear();
  last_block_.clear();
  visit(0, simulation_.state());
  std::deque<State> known;
  for (long k = 0; k < steps; ++k) {
    if (k % block_ == 0) {
      snapshots_.push_back(simulation_.snapshot());
      known.assign(snapshots_.back().history.begin(), snapshots_.back().history.end());
      last_block_.clear();
    }
    last_block_.push_back(take(known));
    visit(k + 1, simulation_.state());
  }
}

bool MotionGradient::begin(const State& start, const ForceMemories& before, const ForceMemories& within) {
  if (learns_) {
    simulation_.system().forces().restore(within);
    simulation_.system().begin_step(start);
  }
  for (SystemVariation* variation : variations_) variation->begin_step(start, before, within);
  return std::exchange(present_, within) != within || follows_;
}

void MotionGradient::step_back(ReverseStep& reverse, const Step& step, std::deque<StateAdjoint>& adjoint,
                               Vector& gradient) {
  for (std::size_t i = step.substeps.size(); i-- > 0;) {
    const RecordedSubstep& substep = step.substeps[i];
    if (begin(substep.known[0], step.before, step.after)) reverse.forget();
    const StateAdjoint end = std::move(adjoint.front());
    adjoint.pop_front();
    const ReplayedSubstep taken = replay(simulation_.system(), scheme(substep.way), substep);
    std::vector<StateAdjoint> known = reverse.run(taken, linearized(substep.way), end, gradient);
    while (adjoint.size() < known.size()) adjoint.emplace_back();
    for (std::size_t s = 0; s < known.size(); ++s) add(known[s], adjoint[s]);
  }
}

MotionAdjoint MotionGradient::backwards(const std::function<StateAdjoint(long step)>& of_state) {
  MechanicalSystem& system = simulation_.system();
  if (by_whole_steps(*info_, system)) refuse("gradient", info_->name + " here can be differentiated forwards only");
  if (follows_)
    refuse("gradient", "viscosity, and damping that turns with the body, can be differentiated forwards only");
  MotionAdjoint result;
  result.parameters = Vector::Zero(components());
  ReverseStep reverse(system, variations_);
  effort_ = {};
  std::deque<StateAdjoint> adjoint(1);
  for (long end = steps_; end > 0;) {
    const long block = (end - 1) / block_, first = block * block_;
    std::vector<Step> steps = std::exchange(last_block_, {});
    if (steps.empty()) {
      const Snapshot& start = snapshots_[static_cast<std::size_t>(block)];
      simulation_.restore(start);
      std::deque<State> known(start.history.begin(), start.history.end());
      for (long k = first; k < end; ++k) steps.push_back(take(known));
      effort_.computed_again += end - first;
    }
    effort_.kept = std::max(effort_.kept, static_cast<long>(snapshots_.size() + steps.size()));
    for (; end > first; --end) {
      heed_interrupts();
      add(of_state(end), adjoint.front());
      StateAdjoint& newest = adjoint.front();
      for (Vector* x : {&newest.q, &newest.v})
        if (x->size() == 0) x->setZero(system.size());
      step_back(reverse, steps.back(), adjoint, result.parameters);
      steps.pop_back();
    }
    snapshots_.pop_back();
  }
  add(of_state(0), adjoint.front());
  result.start = std::move(adjoint.front());
  return result;
}

void MotionGradient::forwards(long steps, const VisitChange& visit) {
  MechanicalSystem& system = simulation_.system();
  require_differentiable(simulation_, simulation_.time() + static_cast<double>(steps) * simulation_.step_length());
  if (by_whole_steps(*info_, system)) {
    StepDifferences differences(system, method_, variations_);
    return forwards(steps, visit,
                    [&](const Step& step, std::size_t i, auto known, const auto& before, const auto& within) {
                      return differences.run({step.substeps[i], step.modes[i], before, within}, known);
                    });
  }
  const Index width = components();
  LearntChanges learnt(system, width);
  ForwardStep forward(system);
  const ForwardStep::Sources sources = [&](const Call&, const CallEquation& equation, Matrix& to) {
    Index column = 0;
    for (SystemVariation* variation : variations_) {
      to.middleCols(column, variation->size()) += variation->sources(equation);
      column += variation->size();
    }
    if (follows_) learnt.add_sources(equation, to);
  };
  forwards(steps, visit, [&](const Step& step, std::size_t i, auto known, const auto& before, const auto& within) {
    const RecordedSubstep& substep = step.substeps[i];
    const State& start = substep.known[0];
    if (begin(start, before, within)) forward.forget();
    if (follows_) {
      std::vector<ForceMemories> by_parameters;
      for (const SystemVariation* variation : variations_)
        for (Index c = 0; c < variation->size(); ++c) by_parameters.push_back(variation->learnt(c));
      learnt.begin_step(start, known.front(), substep.h, before, within, by_parameters);
    }
    return forward.run(replay(system, scheme(substep.way), substep), linearized(substep.way), known, sources);
  });
}

void MotionGradient::forwards(long steps, const VisitChange& visit, const StepChange& change_of) {
  MechanicalSystem& system = simulation_.system();
  const Index n = system.size(), width = components();
  std::deque<State> known{simulation_.state()};
  StateChange start{Matrix::Zero(n, width), Matrix::Zero(n, width)};
  Index first = 0;
  for (const SystemVariation* variation : variations_)
    for (Index c = 0; c < variation->size(); ++c, ++first) {
      const State change = variation->start(c);
      if (change.q.size() > 0) start.q.col(first) = change.q;
      if (change.v.size() > 0) start.v.col(first) = change.v;
    }
  std::deque<StateChange> change{std::move(start)};
  visit(0, simulation_.state(), change.front());
  for (long k = 0; k < steps; ++k) {
    const Step step = take(known);
    const ForceMemories after_step = learns_ ? system.forces().memories() : ForceMemories{};
    ForceMemories before = step.before;
    for (std::size_t i = 0; i < step.substeps.size(); ++i) {
      const RecordedSubstep& substep = step.substeps[i];
      ForceMemories within = step.after;
      if (learns_ && step.substeps.size() > 1) {
        system.forces().restore(before);
        system.begin_step(substep.known[0]);
        within = system.forces().memories();
      }
      const std::vector<StateChange> of_known(change.begin(),
                                              change.begin() + static_cast<std::ptrdiff_t>(substep.known.size()));
      change.push_front(change_of(step, i, of_known, before, within));
      while (change.size() > schemes_.own->memory().states) change.pop_back();
      before = within;
    }
    if (learns_) system.forces().restore(after_step);
    visit(k + 1, simulation_.state(), change.front());
  }
}

}  // namespace limber
