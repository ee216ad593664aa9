#pragma once
/// Loads on faces, with the area vector c = ∂x/∂ξ₁ × ∂x/∂ξ₂, which points outwards.
///
/// A traction T(t) [Pa] acts per area of the rest shape X and keeps its direction:
///     f_a = T ∫ N_a |∂X/∂ξ₁ × ∂X/∂ξ₂| dξ,   W = −Σ f_a · (x_a − X_a).
///
/// A pressure p(t) [Pa] acts on the current shape along its normals, inwards if positive:
///     f_a = −p ∫ N_a c dξ,   −∂f_a/∂x_b = p ∫ N_a (∂N_b/∂ξ₂ [∂x/∂ξ₁]ₓ − ∂N_b/∂ξ₁ [∂x/∂ξ₂]ₓ) dξ.
/// For closed faces, W = p (V − V₀) with the enclosed volume V = ⅓ ∫ x · c dξ, and the sum of the tangents is
/// symmetric. The same holds if the rim of the faces does not move. Otherwise the rim adds an unsymmetric part, and
/// there is no W.

#include <memory>

#include "limber/mesh/element_faces.hpp"
#include "limber/model/force.hpp"
#include "limber/model/time_function.hpp"

namespace limber {

/// rest: 3N [m].
std::shared_ptr<Force> make_traction(const FaceMesh& faces, const Vector& rest, TimeFunction<Vec3> traction);
/// `fixed`: nodes that never move.
std::shared_ptr<Force> make_pressure(FaceMesh faces, const Vector& rest, TimeFunction<double> pressure,
                                     std::vector<int> fixed = {});

/// V [m³] of closed faces; negative if they are oriented inwards. q: 3N.
double enclosed_volume(const FaceMesh& faces, const Vector& q);

}  // namespace limber
