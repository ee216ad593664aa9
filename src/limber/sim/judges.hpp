#pragma once
/// Whether a step may be accepted. Judges look at a candidate, one after the other; the first that objects decides what
/// becomes of it.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "limber/sim/motion_state.hpp"
#include "limber/time/attempts.hpp"

namespace limber {

/// A step that was taken but not accepted yet: where it ends, and what it did to the energy.
struct StepCandidate {
  State u;
  Energies energies;
  WorkPutIn put_in;             // from outside
  double gain = 0;              // [J] not put in by anything; negative: lost
  std::optional<State> acting;  // the stage at which all forces acted, if that is not where it ends
  bool touches = false;         // at its end
  bool touched = false;         // somewhere during the step
  bool with_modes = false;      // see Attempt
  std::vector<StageRecord> stages = {};
};

struct Objection {
  enum class Remedy { fail, retake } remedy;
  std::string reason = {};
};

using Judge = std::function<std::optional<Objection>(const MotionState& before, const StepCandidate& candidate)>;

/// Those for steps of this method: finite energies, bounded growth where the method can diverge, no energy gained in
/// contact or, if the method is held to account, anywhere. h: the length of whole steps [s].
std::vector<Judge> judges(const Supervision& watch, const MechanicalSystem& system, double h);

/// What outer forces, gravity and contact may have turned into motion and strain in a step [J].
double supplied(const MotionState& before, const StepCandidate& candidate);

}  // namespace limber
