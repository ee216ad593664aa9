#pragma once
/// The rest stiffness of an elastic force, rotated along with the body. Let the strain rates L(x) v be linear in the
/// velocities and vanish for every rigid motion v = c + ω × x, and let LᵀC L be the stiffness at rest. Then
///
///     K(x) = Σ L(x)ᵀ C L(x)
///
/// is symmetric and positive semidefinite for every shape x, and resists no rotation.

#include "limber/model/force.hpp"

namespace limber {

class TurningStiffness {
 public:
  virtual ~TurningStiffness() = default;
  /// K += the stiffness of the shape into which `start` has moved after dt: each small part of it keeps rotating at its
  /// present rate, and the rest of its motion continues straight. The error is of order dt².
  virtual void add_turned_stiffness(const State& start, double dt, TangentBuilder& T) const = 0;
};

}  // namespace limber
