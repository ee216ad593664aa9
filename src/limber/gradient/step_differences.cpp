#include "limber/gradient/step_differences.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "limber/gradient/learnt_changes.hpp"

namespace limber {
namespace {

/// Of differences by states.
constexpr double relative_to_element = 1e-5;
/// Changes of states up to this may go with a difference by a parameter.
constexpr double most_together = 1e-4;

/// Errors of solvers are divided by the step of the differences.
MethodSettings accurate(MethodSettings method) {
  StageOptions& stages = method.options.stages;
  stages.linear_tolerance = std::min(stages.linear_tolerance, 1e-13);
  stages.newton.tolerance = std::min(stages.newton.tolerance, 1e-12);
  method.options.krylov_tolerance = std::min(method.options.krylov_tolerance, 1e-12);
  method.options.record_stages = false;
  return method;
}

}  // namespace

StepDifferences::StepDifferences(MechanicalSystem& system, const MethodSettings& method,
                                 std::span<SystemVariation* const> variations)
    : system_(system),
      learns_(system.forces().any_learns()),
      stepper_(find_method(method.name), method.parameters, system, accurate(method).options),
      modes_(std::accumulate(variations.begin(), variations.end(), Index{0},
                             [](Index sum, const SystemVariation* v) { return sum + v->size(); })) {
  for (SystemVariation* variation : variations)
    for (Index c = 0; c < variation->size(); ++c) columns_.push_back({variation->samples(c)});
}

/// What contact has adapted to is a constant of the step.
ForceMemories StepDifferences::at_start(const Substep& substep) const {
  ForceMemories memories = substep.before;
  for (std::size_t i = 0; i < memories.size(); ++i)
    if (dynamic_cast<const ContactForce*>(system_.forces().all()[i].get())) memories[i] = substep.within[i];
  return memories;
}

void StepDifferences::remember(MechanicalSystem& system, const Substep& substep, Index column, double factor) const {
  if (learns_)
    system.forces().restore(sum(at_start(substep), factor, columns_[static_cast<std::size_t>(column)].learnt));
}

StepDifferences::Result StepDifferences::take(MechanicalSystem& system, const Substep& substep,
                                              std::span<const StateChange> known, Index column, double factor) {
  const RecordedSubstep& taken = substep.taken;
  std::deque<State> states;
  for (std::size_t i = 0; i < taken.known.size(); ++i) {
    State u = taken.known[i];
    u.q += factor * known[i].q.col(column);
    u.v += factor * known[i].v.col(column);
    if (u.a.size() > 0 && known[i].a.size() > 0) u.a += factor * known[i].a.col(column);
    states.push_back(std::move(u));
  }
  const History history(std::move(states));
  remember(system, substep, column, factor);
  if (ModalSubspace* modes = stepper_.modes())
    modes->hold(substep.modes ? modes_.at(system, *substep.modes, column, factor, history[0].q)
                              : std::make_shared<const HeldModes>());
  const auto step = [&] {
    switch (taken.way) {
      case Way::newton:
        return stepper_.step_by_newton(system, history, taken.h);
      case Way::without_modes:
        return stepper_.step_without_modes(system, history, taken.h);
      case Way::split_impulse:
        return stepper_.step_beside(system, history, taken.h);
      case Way::tr_bdf2:
        return stepper_.step_by_tr_bdf2(system, history, taken.h);
      case Way::backward_euler:
        return stepper_.step_by_backward_euler(system, history, taken.h);
      case Way::method:
      case Way::new_modes:
        break;
    }
    return stepper_.step(system, history, taken.h);
  };
  return {step(), learns_ ? system.forces().memories() : ForceMemories{}};
}

std::vector<SystemSample> StepDifferences::points(const Substep& substep, std::span<const StateChange> known,
                                                  Index column) {
  std::vector<SystemSample> points = columns_[static_cast<std::size_t>(column)].samples;
  double size = 0, change = 0;
  for (const StateChange& u : known)
    size = std::max(
        {size, u.q.col(column).lpNorm<Eigen::Infinity>(), substep.taken.h * u.v.col(column).lpNorm<Eigen::Infinity>()});
  size /= system_.length_scale();
  for (const SystemSample& s : points) change = std::max(change, std::abs(s.change));
  if (!points.empty() && change * size <= most_together) return points;
  for (SystemSample& s : points) s.change = 0;
  if (size == 0) return points;
  const double step = relative_to_element / size;
  for (const double side : {step, -step}) points.push_back({&system_, side, 1 / (2 * side)});
  return points;
}

ModeChanges::Products StepDifferences::products(const Substep& substep, std::span<const StateChange> known,
                                                Index column, const Matrix& X) {
  ModeChanges::Products sum{Matrix::Zero(X.rows(), X.cols()), Matrix::Zero(X.rows(), X.cols())};
  const State& start = substep.taken.known[0];
  Tangent tangent;
  for (const SystemSample& p : points(substep, known, column)) {
    const State u{start.q + p.change * known[0].q.col(column), start.v + p.change * known[0].v.col(column), start.t};
    remember(*p.system, substep, column, p.change);
    p.system->begin_step(u);
    p.system->tangent(u, Definiteness::exact, tangent);
    sum.stiffness += p.weight * modal_stiffness(*p.system, tangent, X);
    for (Index c = 0; c < X.cols(); ++c) sum.mass.col(c) += p.weight * p.system->apply_mass(X.col(c));
  }
  return sum;
}

StateChange StepDifferences::run(const Substep& substep, std::span<const StateChange> known) {
  const Index n = system_.size(), width = static_cast<Index>(columns_.size());
  StateChange end{Matrix::Zero(n, width), Matrix::Zero(n, width)};
  if (substep.modes) {
    if (learns_) system_.forces().restore(substep.within);
    system_.begin_step(substep.taken.known[0]);
    modes_.begin_step(system_, *substep.modes, substep.taken.known[0], known[0].q,
                      [&](Index column, const Matrix& X) { return products(substep, known, column, X); });
  }
  for (Index j = 0; j < width; ++j) {
    ForceMemories learnt(substep.within.size());
    for (std::size_t i = 0; i < learnt.size(); ++i) learnt[i].resize(substep.within[i].size(), 0);
    for (const SystemSample& p : points(substep, known, j)) {
      const Result r = take(*p.system, substep, known, j, p.change);
      end.q.col(j) += p.weight * r.end.q;
      end.v.col(j) += p.weight * r.end.v;
      if (r.end.a.size() > 0) {
        if (end.a.size() == 0) end.a.setZero(n, width);
        end.a.col(j) += p.weight * r.end.a;
      }
      learnt = sum(learnt, p.weight, r.learnt);
    }
    for (std::size_t i = 0; i < learnt.size(); ++i)
      if (dynamic_cast<const ContactForce*>(system_.forces().all()[i].get()))
        std::fill(learnt[i].begin(), learnt[i].end(), 0);
    columns_[static_cast<std::size_t>(j)].learnt = std::move(learnt);
  }
  return end;
}

}  // namespace limber
