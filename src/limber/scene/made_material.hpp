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
/// Of a choice without fields. Throws InputError.
MadeMaterial made(const MaterialChoice& choice);

/// The density, which the mass needs and no material.
inline constexpr MaterialParameter density_parameter{"density", "kg/m^3", 0, unlimited, "`1000`", "density"};

/// What a user should know of it, as "key: what"; empty: nothing.
std::string warning_of(const MaterialChoice& choice);

using CellFields = std::map<std::string, std::vector<double>>;
/// The values of the choice's fields at an element, tetrahedron t of the mesh, in the order of the keys. Throws
/// InputError where there is no such field, or a value that no number in its place may have.
std::vector<double> field_values(const MaterialChoice& choice, const CellFields& fields, std::size_t element,
                                 std::size_t t);
/// With these numbers in place of the choice's fields. Throws InputError.
MadeMaterial made(const MaterialChoice& choice, const std::vector<double>& values, std::size_t element);

/// Of pressure waves at rest [m/s]: ρc² = ∂²ψ/∂F₁₁².
double pressure_wave_speed(const MadeMaterial& m);

}  // namespace limber
