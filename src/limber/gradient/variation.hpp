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
  /// The derivatives of a quantity at a fixed full state.
  virtual Vector changes(const SystemQuantity& quantity) = 0;
  /// The change of the start state; empty vectors: it does not change.
  virtual State start(Index /*component*/) const { return {}; }
  /// The change of what forces have learnt when the substep began; empty: nothing changes.
  virtual ForceMemories learnt(Index /*component*/) const { return {}; }
};

}  // namespace limber
