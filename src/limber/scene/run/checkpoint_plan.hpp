#pragma once
/// When a run writes a checkpoint and begins anew with its solvers: every so many steps and, where steps are long,
/// after some seconds of work. The work is counted (unknowns, solves, iterations, factors), never timed, so that the
/// bits of a run depend on the scene alone. A checkpoint costs a factorisation: it waits until the run has spent
/// several times that.

#include "limber/scene/scene.hpp"
#include "limber/sim/simulation.hpp"

namespace limber {

/// What steps have taken.
struct StepWork {
  long steps = 0;
  SolverCounts counts = {};
};

class CheckpointPlan {
 public:
  CheckpointPlan(const OutputChoice& output, Index unknowns);

  /// Whether it is time, so many steps after the start of the run, with this done since the last checkpoint.
  bool due(long step, const StepWork& since) const;
  /// The like for a simulation, which counts from the last begin() on. Where several processes share it, all ask.
  bool due(const Simulation& simulation) const;
  void begin(const Simulation& simulation);

 private:
  long interval_;    // [steps]
  double work_;      // [s]
  double unknowns_;  // of all processes
  StepWork at_begin_;
};

/// Seconds on one common core, roughly.
double counted_seconds(double unknowns, const StepWork& work);

}  // namespace limber
