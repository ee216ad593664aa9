#pragma once  // internal
/// Bodies that turn too far in a step for a motion along straight lines. A body that turns by h|Ω| while its nodes go
/// straight on is stretched by δ = ½h² Ω×(Ω×r), which costs the strain energy ½ δᵀKδ.

#include "limber/model/system.hpp"

namespace limber {

/// 1 for each unknown of a body whose ½ δᵀKδ exceeds `share` of the kinetic energy of its turn, 0 for the others, in
/// the order of all unknowns; empty if no body does, or if it is not known which bodies there are.
Vector turning_bodies(System& system, const Tangent& T, const State& u, double h, double share);

}  // namespace limber
