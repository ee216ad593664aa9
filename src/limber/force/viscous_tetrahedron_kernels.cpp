#include "limber/force/viscous_material_kernel.hpp"

namespace limber {

std::unique_ptr<ViscousKernel> make_viscous_tetrahedron_kernel(std::span<const AnyMaterial* const> materials,
                                                               int first_batch) {
  return make_viscous<4>(materials, first_batch);
}

}  // namespace limber
