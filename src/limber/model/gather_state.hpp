#pragma once
/// The state of all nodes of a scene, for output and for work done on a single process.

#include <functional>

#include "limber/core/state.hpp"

namespace limber {

class MechanicalSystem;

/// Vectors with three numbers for each node, from those that processes know to those of the scene, on every process.
Vector gather_nodes(const MechanicalSystem& system, const Vector& here);
/// Returned on every process. (In a full state of one process, nodes it does not hold stay at their initial positions.)
State gather_state(const MechanicalSystem& system, const State& u);

/// On process 0 only, in pieces: calls `piece` there with the first node of each piece and the positions and velocities
/// from that node on.
using NodePiece = std::function<void(int first, const Vector& q, const Vector& v)>;
void gather_state(const MechanicalSystem& system, const State& u, const NodePiece& piece);

}  // namespace limber
