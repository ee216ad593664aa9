#include "limber/scene/construction/body_materials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/force/viscoelastic.hpp"
#include "limber/scene/construction/thin_elements.hpp"
#include "limber/scene/made_material.hpp"

namespace limber {
namespace {

constexpr double nearly_incompressible = .48;

/// The part of λ [Pa] that stays at the points of an element where the body is one element thick, so that it bends as
/// it should: with λ on the mean alone, what lies above the middle might grow by as much as what lies below shrinks.
///
/// Linear tetrahedra and hexahedra cannot get thinner above than below when they bend, as a plate does whose faces are
/// free. With the λ of plane stress at the points hexahedra are as stiff as if they could, whether narrow or wide;
/// linear tetrahedra, whose strains are means around edges, with half of it. Quadratic tetrahedra can get thinner:
/// their points keep as much as a material that hardly locks has.
double point_part(ElementKind kind, double young, double poisson) {
  const double plane_stress = young * poisson / (1 - poisson * poisson);
  if (kind == ElementKind::hex8) return plane_stress;
  if (kind == ElementKind::tet4) return plane_stress / 2;
  return young / (1 + poisson) * nearly_incompressible / (1 - 2 * nearly_incompressible);
}

/// The part of λ [Pa] that acts on means. `left`: what stays at the points, if there is a mean.
double mean_part(const BodyChoice& body, const MaterialChoice& choice, const MadeMaterial& m, double left) {
  const bool possible = volumetric(m.material) != Volumetric::none;
  if (body.dilatation == Dilatation::mean && !possible)
    throw InputError(body.where + ".dilatation",
                     fmt::format("\"mean\" needs a material whose resistance to a change of volume is one of det F "
                                 "alone; {} is none",
                                 choice.model));
  if (!possible || body.dilatation == Dilatation::local) return 0;
  if (body.dilatation == Dilatation::automatic && m.poisson < nearly_incompressible) return 0;
  return std::max(0.0, m.young * m.poisson / ((1 + m.poisson) * (1 - 2 * m.poisson)) - left);
}

}  // namespace

std::vector<std::string> material_keys(const BodyChoice& body, const BodyShape& shape) {
  const auto& choices = body.materials;
  std::map<int, std::string> name_of;
  for (const auto& [name, region] : shape.mesh.region_names) name_of[region] = name;
  std::vector<std::string> keys;
  for (std::size_t e = 0; e < shape.elements.count(); ++e) {
    const int region = shape.region(e);
    const auto named = name_of.find(region);
    auto it = named == name_of.end() ? choices.end() : choices.find(named->second);
    if (it == choices.end()) it = choices.find(std::to_string(region));
    if (it == choices.end()) it = choices.find("default");
    if (it == choices.end())
      throw InputError(body.where + ".materials",
                       fmt::format("no material for region {} of element {}; name it, or give \"default\"", region, e));
    keys.push_back(it->first);
  }
  return keys;
}

BodyMaterials body_materials(const BodyChoice& body, const BodyShape& shape) {
  BodyMaterials map;
  std::vector<double> densities;
  std::optional<std::vector<bool>> thin;
  // By region, the values of fields, and whether the body is thin there, which is asked where there are means.
  std::map<std::tuple<std::string, std::vector<double>, bool>, int> numbers;
  const auto number = [&](const std::string& region, const MaterialChoice& choice, std::size_t e, bool is_thin) {
    const auto values = field_values(choice, shape.mesh.fields, e, shape.first_tet(e));
    const auto [at, fresh] =
        numbers.emplace(std::tuple(region, values, is_thin), static_cast<int>(map.materials.size()));
    if (!fresh) return at->second;
    const MadeMaterial m = made(choice, values, e);
    map.young = std::max(map.young, m.young);
    const double sudden = std::sqrt(instantaneous_ratio(choice.viscosity));
    map.wave_speed = std::max(map.wave_speed, sudden * pressure_wave_speed(m));
    densities.push_back(m.density);
    map.means.group.push_back(static_cast<int>(std::distance(body.materials.begin(), body.materials.find(region))));
    const double left = is_thin ? point_part(shape.elements.kind, m.young, m.poisson) : 0;
    map.means.bulk.push_back(mean_part(body, choice, m, left));
    map.materials.push_back(softened(m.material, map.means.bulk.back()));
    map.viscosities.push_back(choice.viscosity);
    return at->second;
  };
  const std::vector<std::string> keys = material_keys(body, shape);
  for (std::size_t e = 0; e < shape.elements.count(); ++e) {
    const auto it = body.materials.find(keys[e]);
    int material = number(it->first, it->second, e, false);
    if (map.means.bulk[ix(material)] > 0) {
      if (!thin) thin = thin_elements(body, shape);
      if ((*thin)[e]) material = number(it->first, it->second, e, true);
    }
    map.of_element.push_back(material);
    map.density.push_back(densities[ix(map.of_element.back())]);
  }
  const std::set<std::string> used(keys.begin(), keys.end());
  for (const auto& [region, choice] : body.materials)
    if (!used.count(region) && region != "default")
      throw InputError(body.where + ".materials." + region, "the mesh has no such region");
  return map;
}

std::shared_ptr<ElementForce> force_with_memory(const ElementForce& former, const ElementMesh& elements, int first_node,
                                                const BodyMaterials& m) {
  if (m.viscous())
    return std::make_shared<ViscoelasticForce>(former, elements, first_node, m.materials, m.viscosities, m.of_element,
                                               m.means);
  return nullptr;
}

}  // namespace limber
