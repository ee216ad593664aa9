#pragma once  // internal
/// Finds bodies that rotate too far in a step for motion along straight lines. If a body turns by h|Ω| while its nodes
/// move straight, it is stretched by δ = ½h² Ω×(Ω×r), at a strain energy of ½ δᵀKδ.

#include "limber/model/system.hpp"

namespace limber {

/// A vector over all unknowns: 1 for unknowns of bodies whose ½ δᵀKδ exceeds `share` of their rotational kinetic
/// energy, 0 for the others. Empty if there is no such body or the bodies are not known.
Vector turning_bodies(System& system, const Tangent& T, const State& u, double h, double share);

}  // namespace limber
