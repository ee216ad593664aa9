#include "limber/force/material_kernel.hpp"

namespace limber {

std::unique_ptr<ElementKernel> make_tetrahedron_kernel(std::span<const AnyMaterial* const> materials, int first_batch) {
  return make_kernel<4>(materials, first_batch);
}

}  // namespace limber
