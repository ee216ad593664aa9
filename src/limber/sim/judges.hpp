#pragma once
/// Judges decide whether a step may be accepted. They examine a candidate in order; the first objection decides whether
/// the step fails or is retaken.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "limber/sim/motion_state.hpp"
#include "limber/time/attempts.hpp"
#include "limber/time/stepper.hpp"

namespace limber {

/// A step taken but not yet accepted: its end state and its energy balance.
struct StepCandidate {
  State u;
  Energies energies;
  WorkPutIn put_in;             // from outside
  double gain = 0;              // [J] energy gain not explained by work put in; negative: loss
  std::optional<State> acting;  // the stage at which all forces acted, if it is not the end of the step
  bool touches = false;         // in contact at its end
  bool touched = false;         // in contact at some time during the step
  bool with_modes = false;      // see Attempt
  StepLog log = {};
  std::optional<LocalError> error = {};
};

struct Objection {
  enum class Remedy { fail, retake } remedy;
  std::string reason = {};
};

using Judge = std::function<std::optional<Objection>(const MotionState& before, const StepCandidate& candidate)>;

/// The judges for steps of this method: finite energies, bounded growth for methods that can diverge, no energy gain in
/// contact or, if the method is held to account, anywhere.
std::vector<Judge> judges(const Supervision& watch, const MechanicalSystem& system);

/// The energy [J] that external forces, gravity and contact may have turned into motion and strain in a step.
double supplied(const MotionState& before, const StepCandidate& candidate);

}  // namespace limber
