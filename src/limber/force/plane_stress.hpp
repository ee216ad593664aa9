#pragma once
/// A thin sheet of a 3D material with stress-free faces. With the in-plane stretches s₁, s₂ ≥ 0,
///
///     w(s₁, s₂) = min over λ ≥ 0 of ψ(diag(s₁, s₂, λ)),   ∂w/∂sᵢ = ψ_i,   ∂²w/∂sᵢ∂sⱼ = ψ_ij − ψ_i3 ψ_j3 / ψ_33:
///
/// the director of an isotropic material stays normal to the sheet, and λ is the thickness stretch.

#include <Eigen/Core>

#include "limber/material/catalog.hpp"

namespace limber {

/// Derivatives of the sheet's energy per volume W(F), F: 3 × 2 = Σ sᵢ uᵢ vᵢᵀ, in the frames u, v of F.
struct PlaneStress {
  double thickness = 1;              // λ
  Eigen::Vector2d first;             // ∂w/∂sᵢ [Pa]: P = Σ firstᵢ uᵢ vᵢᵀ
  Eigen::Matrix2d second;            // ∂²w/∂sᵢ∂sⱼ [Pa]
  double shear = 0, shear_swap = 0;  // ∂P₁₂/∂F₁₂ = ∂P₂₁/∂F₂₁ and ∂P₁₂/∂F₂₁ [Pa]
};

/// λ; 0 if ψ is increasing from λ = 0 on, as for strongly stretched materials that allow λ = 0.
double thickness_stretch(const AnyMaterial& m, double s1, double s2);
/// w [J/m³], +∞ if the sheet is outside the material's domain.
double plane_stress_energy(const AnyMaterial& m, double s1, double s2);
PlaneStress plane_stress(const AnyMaterial& m, double s1, double s2);

}  // namespace limber
