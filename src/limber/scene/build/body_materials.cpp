#include "limber/scene/build/body_materials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/scene/made_material.hpp"

namespace limber {
namespace {

constexpr double nearly_incompressible = .48;

/// The part of λ [Pa] that is to act on means: all of it.
double mean_part(const BodyChoice& body, const MaterialChoice& choice, const MadeMaterial& m) {
  const bool possible = volumetric(m.material) != Volumetric::none;
  if (body.dilatation == Dilatation::mean && !possible)
    throw InputError(body.where + ".dilatation",
                     fmt::format("\"mean\" needs a material whose resistance to a change of volume is one of det F "
                                 "alone; {} is none",
                                 choice.model));
  if (!possible || body.dilatation == Dilatation::local) return 0;
  if (body.dilatation == Dilatation::automatic && m.poisson < nearly_incompressible) return 0;
  return std::max(0.0, m.young * m.poisson / ((1 + m.poisson) * (1 - 2 * m.poisson)));
}

}  // namespace

BodyMaterials body_materials(const BodyChoice& body, const BodyShape& shape) {
  BodyMaterials map;
  std::vector<double> densities;
  std::map<std::pair<std::string, std::vector<double>>, int> numbers;  // by region and the values of fields
  const auto number = [&](const std::string& region, const MaterialChoice& choice, std::size_t e) {
    const auto values = field_values(choice, shape.mesh.fields, e, shape.first_tet(e));
    const auto [at, fresh] = numbers.emplace(std::pair(region, values), static_cast<int>(map.materials.size()));
    if (!fresh) return at->second;
    const MadeMaterial m = made(choice, values, e);
    map.young = std::max(map.young, m.young);
    const double sudden = std::sqrt(instantaneous_ratio(choice.viscosity));
    map.wave_speed = std::max(map.wave_speed, sudden * pressure_wave_speed(m));
    densities.push_back(m.density);
    map.means.group.push_back(static_cast<int>(std::distance(body.materials.begin(), body.materials.find(region))));
    map.means.bulk.push_back(mean_part(body, choice, m));
    map.materials.push_back(softened(m.material, map.means.bulk.back()));
    map.viscosities.push_back(choice.viscosity);
    return at->second;
  };
  const auto& choices = body.materials;
  std::map<int, std::string> name_of;
  for (const auto& [name, region] : shape.mesh.region_names) name_of[region] = name;
  std::set<std::string> used;
  for (std::size_t e = 0; e < shape.elements.count(); ++e) {
    const int region = shape.region(e);
    const auto named = name_of.find(region);
    auto it = named == name_of.end() ? choices.end() : choices.find(named->second);
    if (it == choices.end()) it = choices.find(std::to_string(region));
    if (it == choices.end()) it = choices.find("default");
    if (it == choices.end())
      throw InputError(body.where + ".materials",
                       fmt::format("no material for region {} of element {}; name it, or give \"default\"", region, e));
    used.insert(it->first);
    map.of_element.push_back(number(it->first, it->second, e));
    map.density.push_back(densities[ix(map.of_element.back())]);
  }
  for (const auto& [region, choice] : body.materials)
    if (!used.count(region) && region != "default")
      throw InputError(body.where + ".materials." + region, "the mesh has no such region");
  return map;
}

}  // namespace limber
