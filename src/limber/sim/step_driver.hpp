#pragma once
/// Takes one step of a motion. A failed step is retried in other ways, then as two halves, recursively, then given up.
/// A step that gains energy is retaken in more dissipative ways.

#include <optional>
#include <vector>

#include "limber/core/errors.hpp"
#include "limber/sim/judges.hpp"
#include "limber/sim/step_record.hpp"

namespace limber {

class StepDriver {
 public:
  /// Works on `motion`, which is left partly changed if anything is thrown. adapts_every: the least time [s] between
  /// two adaptations of contact forces; each adds energy, however short the step.
  StepDriver(MechanicalSystem& system, Stepper& stepper, const std::vector<Judge>& judges, MotionState& motion,
             StepRecord& record, double adapts_every = 0);

  /// Throws StepFailure if the step to t_end [s] cannot be taken.
  void advance(double t_end, int halvings = 0);

 private:
  /// A candidate, and whether it must be retaken.
  struct Judged {
    StepCandidate candidate;
    bool retake;
  };

  void adapt();
  /// nullopt if the step fails; the reason is then in `failure`.
  std::optional<Judged> attempted(const Attempt& attempt, double t_end, StepFailure& failure);
  State taken(const Attempt& attempt, double t_end) const;
  bool stiffens(const StepCandidate& candidate);
  StepCandidate weighed(State u, bool with_modes) const;
  bool must_retake(const StepCandidate& candidate) const;
  StepCandidate retaken(StepCandidate candidate, Substep& substep);
  void accept(StepCandidate candidate);

  MechanicalSystem& system_;
  Stepper& stepper_;
  const std::vector<Judge>& judges_;
  MotionState& motion_;
  StepRecord& record_;
  Supervision watch_;
  double adapts_every_;  // [s]
};

}  // namespace limber
