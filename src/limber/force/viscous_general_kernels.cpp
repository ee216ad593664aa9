#include "limber/force/viscous_material_kernel.hpp"

namespace limber {

std::unique_ptr<ViscousKernel> make_viscous_general_kernel(std::span<const AnyMaterial* const> materials,
                                                           int first_batch) {
  return make_viscous<0>(materials, first_batch);
}

}  // namespace limber
