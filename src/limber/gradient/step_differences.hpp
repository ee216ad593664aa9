#pragma once  // internal
/// Derivatives of substeps that have no rule: of hybrids, of the exponential method, and with lagged friction. The
/// substep is taken again from states on both sides, in the way in which it was accepted, by systems with parameters on
/// both sides.

#include <span>
#include <vector>

#include "limber/gradient/calls.hpp"
#include "limber/gradient/mode_changes.hpp"
#include "limber/model/mechanical_system.hpp"
#include "limber/sim/simulation.hpp"

namespace limber {

class StepDifferences {
 public:
  StepDifferences(MechanicalSystem& system, const MethodSettings& method, std::span<SystemVariation* const> variations);

  struct Substep {
    RecordedSubstep taken;
    std::shared_ptr<const HeldModes> modes;
    const ForceMemories &before, &within;  // what forces have learnt when it begins, and what they know in it
  };
  /// From the changes of the known states, newest first: that of the end. Throws StepFailure.
  StateChange run(const Substep& substep, std::span<const StateChange> known);

 private:
  /// A component of a parameter.
  struct Column {
    std::vector<SystemSample> samples;
    ForceMemories learnt = {};  // the change of what forces have learnt
  };
  struct Result {
    State end;
    ForceMemories learnt;
  };
  ForceMemories at_start(const Substep& substep) const;
  /// Systems and multiples of the column's changes, with the weights of what follows from them.
  std::vector<SystemSample> points(const Substep& substep, std::span<const StateChange> known, Index column);
  ModeChanges::Products products(const Substep& substep, std::span<const StateChange> known, Index column,
                                 const Matrix& X);
  void remember(MechanicalSystem& system, const Substep& substep, Index column, double factor) const;
  Result take(MechanicalSystem& system, const Substep& substep, std::span<const StateChange> known, Index column,
              double factor);

  MechanicalSystem& system_;
  bool learns_;
  Stepper stepper_;
  std::vector<Column> columns_;
  ModeChanges modes_;
};

}  // namespace limber
