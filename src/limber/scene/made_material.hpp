#pragma once
/// A material as a scene asks for it, ready for use.

#include "limber/material/catalog.hpp"
#include "limber/scene/scene.hpp"

namespace limber {

struct MadeMaterial {
  AnyMaterial material;
  double young = 0, poisson = 0;  // E [Pa] and ν at small strains
  double density = 0;             // [kg/m³]
};
/// Throws InputError.
MadeMaterial made(const MaterialChoice& choice);

/// Of pressure waves at rest [m/s]: ρc² = ∂²ψ/∂F₁₁².
double pressure_wave_speed(const MadeMaterial& m);

}  // namespace limber
