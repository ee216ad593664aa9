#include "limber/force/material_kernel.hpp"

namespace limber {

std::unique_ptr<ElementKernel> make_general_kernel(std::span<const AnyMaterial* const> materials, int first_batch) {
  return make_kernel<0>(materials, first_batch);
}

}  // namespace limber
