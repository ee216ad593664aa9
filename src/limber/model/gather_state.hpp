#pragma once
/// The state of all nodes of a scene, for output and for what one process does alone.

#include <functional>

#include "limber/core/state.hpp"

namespace limber {

class MechanicalSystem;

/// On every process. In a full state of one process, nodes that it does not hold stand where they were at the start.
State gather_state(const MechanicalSystem& system, const State& u);

/// On process 0 alone, in pieces: calls `piece` there with the first node of each, and positions and velocities from
/// that one on.
using NodePiece = std::function<void(int first, const Vector& q, const Vector& v)>;
void gather_state(const MechanicalSystem& system, const State& u, const NodePiece& piece);

}  // namespace limber
