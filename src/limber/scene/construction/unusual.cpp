#include "limber/scene/construction/unusual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace limber {
namespace {

constexpr double long_file = 50, short_file = 1e-3;        // [m] bodies from files
constexpr double heavy_file = 1e6, heavy = 1e9;            // [kg] bodies from files, and others
constexpr double softest = 100, stiffest = 1e13;           // [Pa] gelatine has 1e3, diamond 1e12
constexpr double lightest = 5, heaviest = 3e4;             // [kg/m³] foam has 10, osmium 2.3e4
constexpr double full_turn = 2 * std::numbers::pi + 1e-9;  // [rad]

/// The file of a body's mesh; empty: it has none.
std::string file_of(const BodyChoice& body) {
  if (const auto* file = std::get_if<MeshFile>(&body.mesh)) return file->path;
  if (const auto* surface = std::get_if<SurfaceFile>(&body.mesh)) return surface->path;
  return "";
}

void look_at_size(const BodyChoice& choice, const Body& body, std::vector<std::string>& notes) {
  const std::string file = file_of(choice);
  const double size = (body.box.max - body.box.min).maxCoeff();
  // Beyond 1 km and below 1 µm another note is there already.
  if (!file.empty() && size > long_file && size <= 1000) {
    notes.push_back(
        fmt::format("{}.scale: with {} the body of {} is {:.4g} m long and has {:.3g} kg; a file in millimetres or "
                    "centimetres needs "
                    "0.001 or 0.01",
                    choice.where, choice.scale, file, size, body.mass));
    return;
  }
  if (!file.empty() && size < short_file && size >= 1e-6)
    notes.push_back(fmt::format("{}.scale: with {} the body of {} is only {:.4g} m long; is it meant to be?",
                                choice.where, choice.scale, file, size));
  if (body.mass > (file.empty() ? heavy : heavy_file) && size <= 1000)
    notes.push_back(
        fmt::format("{}: its mass is {:.3g} kg, as of {:.3g} m³ of water; lengths are in metres, densities in kg/m³",
                    choice.where, body.mass, body.mass / 1000));
}

void look_at_material(const MaterialChoice& m, std::vector<std::string>& notes) {
  if (const auto it = m.parameters.find("young"); it != m.parameters.end()) {
    if (it->second <= softest)
      notes.push_back(fmt::format(
          "{0}.young: {1:.4g} Pa is softer than any solid (gelatine about 1 kPa, flesh 10 kPa, rubber 1 MPa); "
          "a number without a unit is in Pa, and \"{1:.4g} kPa\" would be in kPa",
          m.where, it->second));
    if (it->second >= stiffest)
      notes.push_back(
          fmt::format("{}.young: {:.4g} Pa is stiffer than diamond (1e12 Pa; steel 2e11 Pa)", m.where, it->second));
  }
  if (m.fields.contains("density")) return;
  if (m.density < lightest)
    notes.push_back(
        fmt::format("{}.density: {:.4g} kg/m³ is lighter than any foam (10 kg/m³ and more; wood 600, water 1000); of a "
                    "density in g/cm³ a thousand times the number is meant",
                    m.where, m.density));
  if (m.density > heaviest)
    notes.push_back(fmt::format("{}.density: {:.4g} kg/m³ is heavier than any metal (iron 7900, osmium 22600)", m.where,
                                m.density));
}

void look_at_rotation(const std::string& where, const Vec3& rotation, std::vector<std::string>& notes) {
  const double largest = rotation.cwiseAbs().maxCoeff();
  if (largest > full_turn)
    notes.push_back(fmt::format(
        "{0}.rotation: {1:.6g} rad is more than a full turn; numbers are radians, and \"{1:.6g} deg\" would be degrees",
        where, largest));
}

bool nothing_holds(const Scene& scene, std::size_t index) {
  const BodyChoice& body = scene.bodies[index];
  const auto held = [&](const ForceChoices& forces) {
    return std::any_of(forces.begin(), forces.end(),
                       [&](const auto& force) { return force->holds(static_cast<int>(index)); });
  };
  return body.pin.empty() && body.pin_entries.empty() && body.scripts.empty() && !held(body.forces) &&
         !held(scene.forces);
}

void look_at_damping(const Scene& scene, std::size_t index, std::vector<std::string>& notes) {
  const BodyChoice& body = scene.bodies[index];
  if (body.damping.given != DampingChoice::Given::ratios || !(body.damping.mass > 0) || !nothing_holds(scene, index))
    return;
  notes.push_back(fmt::format(
      "{}.damping.ratios: they make the coefficient of the mass {:.3g} 1/s, which also brakes the flight of a "
      "body that nothing holds (half its speed is gone after {:.3g} s); `stiffness` alone does not",
      body.where, body.damping.mass, std::numbers::ln2 / body.damping.mass));
}

}  // namespace

std::vector<std::string> unusual_numbers(const Scene& scene, const Model& model) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const BodyChoice& body = scene.bodies[i];
    look_at_size(body, model.bodies[i], notes);
    for (const auto& [region, material] : body.materials) look_at_material(material, notes);
    look_at_rotation(body.where, body.rotation, notes);
    look_at_damping(scene, i, notes);
  }
  for (const ObstacleChoice& obstacle : scene.obstacles) look_at_rotation(obstacle.where, obstacle.rotation, notes);
  return notes;
}

bool has_damping(const Scene& scene) {
  const auto damped = [](const ForceChoices& forces) {
    return std::any_of(forces.begin(), forces.end(), [](const auto& force) { return force->damps(); });
  };
  const auto viscous = [](const auto& material) { return !material.second.viscosity.empty(); };
  return damped(scene.forces) || std::any_of(scene.bodies.begin(), scene.bodies.end(), [&](const BodyChoice& b) {
           return b.damping.any() || (b.springs && b.springs->damping > 0) || damped(b.forces) ||
                  std::any_of(b.materials.begin(), b.materials.end(), viscous);
         });
}

}  // namespace limber
