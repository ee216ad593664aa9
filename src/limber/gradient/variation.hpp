#pragma once
/// Parameters of a system, and what a change of each adds to the equations that a step solves.

#include <string>
#include <vector>

#include "limber/core/state.hpp"
#include "limber/core/types.hpp"

namespace limber {

/// What forces have learnt, of each force; see ForceList::memories.
using ForceMemories = std::vector<std::vector<double>>;

/// One force term of an equation: c f(u), or the derivative c f'(u)[dq, dv].
struct ForceTerm {
  enum class Of { all, smooth, contact } of = Of::all;
  double c = 1;
  State u = {};
  Vector dq = {}, dv = {};  // empty: f itself

  bool is_slope() const { return dq.size() > 0; }
};

/// g = Σ terms − M x, which vanishes at the solution: x = v − v* for a stage, the acceleration for a rate.
struct CallEquation {
  std::vector<ForceTerm> terms;
  Vector x;
};

class MechanicalSystem;

/// A whole system with a slightly different value of one component; Σ weight f is the derivative of f by it.
struct SystemSample {
  MechanicalSystem* system;
  double change, weight;
};

/// A number that is a sum over forces and masses at a full state: c W + yᵀ f + lᵀ M r with the elastic energy W, the
/// force f on all nodes and the masses M of all nodes, prescribed ones included. Vectors are 3N; empty: zero.
struct SystemQuantity {
  State u;     // of the unknowns
  State full;  // of all nodes
  double energy = 0;
  Vector along = {};
  Vector left = {}, right = {};
};

class SystemVariation {
 public:
  virtual ~SystemVariation() = default;
  /// The number of components: 1 for a number.
  virtual Index size() const = 0;
  /// A substep begins at u: what forces have learnt before it, and what they know in it.
  virtual void begin_step(const State& /*u*/, const ForceMemories& /*before*/, const ForceMemories& /*within*/) {}
  /// ∂g/∂θ, a column for each component.
  virtual Matrix sources(const CallEquation& equation) = 0;
  /// power += (∂g/∂θ)ᵀ w.
  virtual void add_powers(const CallEquation& equation, const Vector& w, Eigen::Ref<Vector> power) {
    power += sources(equation).transpose() * w;
  }
  /// Systems on both sides, for steps that have no rule for their derivative. Throws InputError if there are none.
  virtual std::vector<SystemSample> samples(Index component) const;
  /// Everything stands still, as in statics: what forces have learnt stays.
  virtual void stand_still(const ForceMemories& /*learnt*/) {}
  /// The derivatives of a quantity at a fixed full state.
  virtual Vector changes(const SystemQuantity& quantity) = 0;
  /// The change of the start state; empty vectors: it does not change.
  virtual State start(Index /*component*/) const { return {}; }
  /// power += that of the start state on its adjoint; empty vectors are zero.
  virtual void add_start_powers(const Vector& by_q, const Vector& by_v, Eigen::Ref<Vector> power) const {
    const State adjoint{by_q, by_v};
    for (Index c = 0; c < size(); ++c) power[c] += along(start(c), adjoint);
  }
  /// Whether prescribed nodes may depend on the parameter.
  virtual bool moves() const { return false; }
  /// The change of the full state at fixed unknowns, with the accelerations of prescribed nodes; empty vectors: it does
  /// not change.
  virtual State placed(const State& /*u*/, Index /*component*/) const { return {}; }
  /// power += that of the full state at fixed unknowns on its adjoint; empty vectors are zero.
  virtual void add_placed_powers(const State& u, const State& adjoint, Eigen::Ref<Vector> power) const {
    for (Index c = 0; c < size(); ++c) power[c] += along(placed(u, c), adjoint);
  }
  /// The change of what forces have learnt when the substep began; empty: nothing changes.
  virtual ForceMemories learnt(Index /*component*/) const { return {}; }

 private:
  static double along(const State& change, const State& adjoint) {
    double sum = 0;
    for (Vector State::*const part : {&State::q, &State::v, &State::a})
      if ((change.*part).size() > 0 && (adjoint.*part).size() > 0) sum += (change.*part).dot(adjoint.*part);
    return sum;
  }
};

}  // namespace limber
