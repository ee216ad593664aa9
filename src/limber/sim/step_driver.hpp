#pragma once
/// Takes one step of a motion. A step that fails is taken again in other ways, then in two halves, recursively, then
/// given up. One that gains energy is taken again in calmer ways.

#include <optional>
#include <vector>

#include "limber/core/errors.hpp"
#include "limber/sim/judges.hpp"
#include "limber/sim/step_record.hpp"

namespace limber {

class StepDriver {
 public:
  /// Works on `motion`, which is what it was only if nothing is thrown.
  StepDriver(MechanicalSystem& system, Stepper& stepper, const std::vector<Judge>& judges, MotionState& motion,
             StepRecord& record);

  /// Throws StepFailure if the step to t_end [s] cannot be taken.
  void advance(double t_end, int halvings = 0);

 private:
  /// A candidate, and why it should be taken again if it should.
  struct Judged {
    StepCandidate candidate;
    bool retake;
  };

  void adapt();
  /// nullopt, with the reason noted, if the step fails.
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
};

}  // namespace limber
