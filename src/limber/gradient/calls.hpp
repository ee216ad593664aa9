#pragma once
/// What a step has computed: each call of its scheme with the states it was given and the state it returned.

#include <optional>
#include <vector>

#include "limber/core/history.hpp"
#include "limber/gradient/tableau.hpp"
#include "limber/gradient/variation.hpp"
#include "limber/sim/step_record.hpp"

namespace limber {

/// A substep as it was accepted.
struct RecordedSubstep {
  History known;  // the states at its start, newest first
  double h = 0;   // [s]
  Way way = Way::method;
  std::vector<State> stages = {};  // solutions, in order
};

/// A call with its numbers.
struct Call {
  Tableau::Call asked;
  State in;      // u of a rate, u* of a stage
  State at;      // stages: the last known state
  State result;  // of a rate: (v, a, 1)

  /// Linearised stages: where K̄ and D̄ are evaluated.
  State tangent_at;
  bool own_tangent = false;  // tangent_at differs from `at`
};

/// The forces that a call asks for.
ForceTerm::Of part_of(Tableau::Asks asks);

struct ReplayedSubstep {
  Tableau tableau;
  std::vector<Call> calls;
  State end;
};

/// The derivatives of a number by a state; `a` may be empty.
struct StateAdjoint {
  Vector q, v, a = {};
};
/// How a state changes along several directions, one column for each.
struct StateChange {
  Matrix q, v, a = {};
};

/// Throws StepFailure if the stages are not those of the scheme.
ReplayedSubstep replay(System& system, const TimeIntegrator& scheme, const RecordedSubstep& substep);

}  // namespace limber
