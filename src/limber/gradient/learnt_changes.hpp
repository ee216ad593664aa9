#pragma once  // internal
/// How the internal states of forces change with parameters, and what that adds to the equations of a step. Forces
/// learn at the start of a step from the state there: s' = commit(u₀, s), f(u; s'). Both are functions without a rule
/// for their derivative, so their changes are central differences along each direction.

#include <vector>

#include "limber/gradient/step_derivative.hpp"
#include "limber/model/mechanical_system.hpp"

namespace limber {

class LearntChanges {
 public:
  LearntChanges(MechanicalSystem& system, Index directions);

  /// A substep of length h begins at u, whose change is known. The system's forces then know what they know in it.
  void begin_step(const State& u, const StateChange& change, double h, const ForceMemories& before,
                  const ForceMemories& within, const std::vector<ForceMemories>& by_parameters);
  /// to += the change of an equation, a column for each direction.
  void add_sources(const CallEquation& equation, Matrix& to);

 private:
  struct Direction {
    ForceMemories change;  // of what forces have learnt
    double step = 0;       // of differences; 0: nothing changes
    State ahead, behind;   // at the start of the substep
    ForceMemories memory_ahead, memory_behind;
  };
  void set(const State& u, const ForceMemories& memories);

  MechanicalSystem& system_;
  std::vector<Direction> directions_;
  State start_;
  ForceMemories within_;
};

/// x + c y, where y may lack what does not change.
ForceMemories sum(const ForceMemories& x, double c, const ForceMemories& y);

}  // namespace limber
