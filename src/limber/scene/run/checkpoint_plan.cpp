#include "limber/scene/run/checkpoint_plan.hpp"

#include <algorithm>

#include "limber/linalg/cost_model.hpp"

namespace limber {
namespace {

// What is lost with the solvers' memory is then a small part of what has been done.
constexpr long enough_factorizations = 4, enough_solves = 16;

}  // namespace

double counted_seconds(double unknowns, const StepWork& work) {
  const auto number = [](long count) { return static_cast<double>(count); };
  return unknowns * (cost::rough_assembly * number(work.steps + work.counts.solves) +
                     cost::rough_iteration * number(work.counts.iterations) +
                     cost::rough_factor * unknowns * number(work.counts.factorizations));
}

CheckpointPlan::CheckpointPlan(const OutputChoice& output, Index unknowns)
    : interval_(output.checkpoint_every ? *output.checkpoint_every
                                        : std::clamp<long>(1'000'000 / std::max<Index>(unknowns, 1), 20, 500)),
      work_(output.checkpoint_work),
      unknowns_(static_cast<double>(unknowns)) {}

bool CheckpointPlan::due(long step, const StepWork& since) const {
  if (step % interval_ == 0) return true;
  const bool repaid = since.counts.factorizations >= enough_factorizations || since.counts.solves >= enough_solves;
  return repaid && counted_seconds(unknowns_, since) >= work_;
}

bool CheckpointPlan::due(const Simulation& simulation) const {
  StepWork since{simulation.step_count() - at_begin_.steps, simulation.linear_counts()};
  since.counts.factorizations -= at_begin_.counts.factorizations;
  since.counts.solves -= at_begin_.counts.solves;
  since.counts.iterations -= at_begin_.counts.iterations;
  return !simulation.system().space().all(!due(simulation.step_count(), since));
}

void CheckpointPlan::begin(const Simulation& simulation) {
  at_begin_ = {simulation.step_count(), simulation.linear_counts()};
}

}  // namespace limber
