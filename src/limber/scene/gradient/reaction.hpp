#pragma once  // internal
/// Forces that hold prescribed nodes, and their derivatives.

#include "limber/gradient/variation.hpp"
#include "limber/model/mechanical_system.hpp"

namespace limber {

/// c · r for the forces r on prescribed nodes [N]; c: 3N, zero elsewhere. With the accelerations a that follow from the
/// forces f on all nodes, c · r = yᵀ(M a − f), where y is c at prescribed nodes and makes Mᵀy vanish at the others:
/// then a there does not count, and the derivatives are those of f, M and the prescribed accelerations.
struct ReactionSum {
  double value = 0;
  Vector by_positions, by_velocities, by_accelerations;  // 3N; the last one of prescribed nodes
  SystemQuantity quantity;                               // its derivatives by parameters are those of the sum
};
/// At a full state. Changes only what forces keep of the last state.
ReactionSum reaction_sum(MechanicalSystem& system, const State& full, const Vector& c);

/// M x on all nodes, prescribed ones included; 3N.
Vector mass_times(const MechanicalSystem& system, const Vector& x);

}  // namespace limber
