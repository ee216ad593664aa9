#pragma once
/// The stiffness at rest of an elastic force, turned along with the body. With rates of strain L(x) v that are linear
/// in the velocities and 0 for every rigid one, v = c + ω × x, and with C such that LᵀC L is the stiffness at rest,
///
///     K(x) = Σ L(x)ᵀ C L(x)
///
/// is symmetric and positive semidefinite for every shape x, and resists no rotation.

#include "limber/model/force.hpp"

namespace limber {

class TurningStiffness {
 public:
  virtual ~TurningStiffness() = default;
  /// K += that of the shape into which `start` has moved after dt: each small part of it goes on turning as it does
  /// then, and what else its velocities do to it goes on straight. The error is that of dt².
  virtual void add_turned_stiffness(const State& start, double dt, TangentBuilder& T) const = 0;
};

}  // namespace limber
