#pragma once
/// What a run is judged by: a number that depends on its states and, at fixed states, on its parameters.

#include <memory>
#include <vector>

#include "limber/scene/gradient/differentiable_run.hpp"

namespace limber {

/// Full states, a row for each step, the start first.
struct RunStates {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Vector t;   // [s]
  Rows X, V;  // T × 3N

  long count() const { return static_cast<long>(t.size()); }
  State full(long k) const { return {X.row(k).transpose(), V.row(k).transpose(), t[k]}; }
};

struct ObjectiveValue {
  double value = 0;
  std::vector<FullAdjoint> by_states = {};  // a row each; empty: zero
  ParameterLists by_parameters = {};        // at fixed states, like RunParameter::values; empty: zero
};

class Objective {
 public:
  virtual ~Objective() = default;
  /// How many steps it looks at; 0: the start alone. Throws InputError where the run has not what it needs.
  virtual long steps(const DifferentiableRun& run) const = 0;
  /// `states`: of at least steps(run) steps.
  virtual ObjectiveValue at(DifferentiableRun& run, const RunStates& states) const = 0;
};
using ObjectivePtr = std::shared_ptr<const Objective>;

struct RunGradient {
  double value = 0;
  ParameterLists by_parameters;  // like RunParameter::values
};

/// Runs as many steps as the objective looks at, and differentiates by the parameters of the run.
RunGradient value_and_gradient(DifferentiableRun& run, const Objective& objective);

/// Whether what is stored depends on more than the state: in viscous bodies.
bool stores_the_past(const MechanicalSystem& system);

/// to += factor x
void add(const ObjectiveValue& x, double factor, ObjectiveValue& to);

}  // namespace limber
