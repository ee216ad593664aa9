#pragma once  // internal
/// Sheets and rods of a material: a body of triangles stretches as a membrane in plane stress and bends at its edges; a
/// body of edges stretches as springs and bends at its nodes. The thickness is that of the sheet, or the rod's
/// diameter.

#include <memory>
#include <vector>

#include "limber/model/force.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/made_material.hpp"

namespace limber {

/// density: [kg/m³].
std::vector<NodalMass> thin_masses(const BodyChoice& choice, const Body& body, double density);

/// Of longitudinal waves at rest [m/s].
double thin_wave_speed(const Body& body, const MadeMaterial& material);

/// Elasticity and damping. `masses`: those of the body; `positions`: 3N of all bodies, placed [m].
std::vector<std::shared_ptr<Force>> thin_forces(const BodyChoice& choice, const Body& body,
                                                const MadeMaterial& material, const std::vector<NodalMass>& masses,
                                                const Vector& positions);

}  // namespace limber
