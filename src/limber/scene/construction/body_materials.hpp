#pragma once  // internal
/// The material of each element of a body, from its region and the fields of the mesh.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "limber/force/elastic.hpp"
#include "limber/material/viscosity.hpp"
#include "limber/scene/construction/body_shape.hpp"

namespace limber {

struct BodyMaterials {
  std::vector<AnyMaterial> materials;  // without what acts on means
  MeanParts means;
  std::vector<Viscosity> viscosities;  // of these
  std::vector<int> of_element;         // #E, indices into `materials`
  std::vector<double> density;         // #E [kg/m³]
  double wave_speed = 0;               // [m/s] of sudden pressure waves at rest, the fastest
  double young = 0;                    // [Pa] the largest

  /// Those of linear tetrahedra reach across cuts.
  bool has_means() const {
    return std::any_of(means.bulk.begin(), means.bulk.end(), [](double bulk) { return bulk > 0; });
  }
  bool viscous() const {
    return std::any_of(viscosities.begin(), viscosities.end(), [](const Viscosity& v) { return !v.empty(); });
  }
};

/// Which of the body's materials each element has, #E keys. Throws InputError where a region has none.
std::vector<std::string> material_keys(const BodyChoice& body, const BodyShape& shape);

/// Of a body of tetrahedra with materials. Throws InputError.
BodyMaterials body_materials(const BodyChoice& body, const BodyShape& shape);

/// The force of materials that have a memory, on the elements of a former force of the body; null if none has one.
std::shared_ptr<ElementForce> force_with_memory(const ElementForce& former, const ElementMesh& elements, int first_node,
                                                const BodyMaterials& m);

}  // namespace limber
