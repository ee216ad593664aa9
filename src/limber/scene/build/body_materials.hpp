#pragma once  // internal
/// The material of each element of a body, from its region and the fields of the mesh.

#include <vector>

#include "limber/force/elastic.hpp"
#include "limber/scene/build/body_shape.hpp"

namespace limber {

struct BodyMaterials {
  std::vector<AnyMaterial> materials;  // without what acts on means,
  MeanParts means;
  std::vector<int> of_element;  // #E, indices into `materials`
  std::vector<double> density;  // #E [kg/m³]
  double wave_speed = 0;        // [m/s] of pressure waves at rest, the fastest
  double young = 0;             // [Pa] the largest
};

/// Of a body of tetrahedra with materials. Throws InputError.
BodyMaterials body_materials(const BodyChoice& body, const BodyShape& shape);

}  // namespace limber
