#include "limber/force/turned_kernel.hpp"

#include "limber/force/material_kernel.hpp"
#include "limber/force/turned.hpp"

namespace limber {

RestModuli rest_moduli(const AnyMaterial& material) {
  const Matrix H = hessian(material, Mat3::Identity());
  return {H(1, 1), H(0, 4), !std::holds_alternative<Linear>(material)};
}

TurnedKernel::TurnedKernel(std::span<const AnyMaterial* const> materials, int first_batch)
    : first_batch_(first_batch), turns_(rest_moduli(*materials[0]).turns) {
  const std::size_t wide = materials.size() > 1 ? lane_count : 1;
  for (std::size_t i = 0; i < materials.size(); i += wide) {
    alignas(64) double mu[lane_count], lambda[lane_count];
    for (std::size_t l = 0; l < lane_count; ++l) {
      const RestModuli m = rest_moduli(*materials[i + l % wide]);
      mu[l] = m.mu, lambda[l] = m.lambda;
    }
    moduli_.push_back({Lanes::load_aligned(mu), Lanes::load_aligned(lambda)});
  }
}

template <int n>
void TurnedKernel::add_of(const ElementBatches& elements, const ElementBlock& block, const double* q, const double* v,
                          double dt, double* K) const {
  const M3<Lanes> unit = diagonal(Lanes(1.0), Lanes(1.0), Lanes(1.0));
  add_stiffness<n>(elements, block, q, nullptr, K, [&](BatchPoint at, const M3<Lanes>& F, const Lanes& w) {
    const auto& [mu, lambda] = moduli_[moduli_.size() > 1 ? static_cast<std::size_t>(at.batch - first_batch_) : 0];
    M3<Lanes> moved = unit;
    if (turns_) {
      const BatchShape<n> shape(elements, at.batch, at.point);
      moved = moved_on(F, gradient(elements, shape, BatchEdges<n>(v, elements, at.batch)), dt);
    }
    return DenseTangent{unit, turned_hessian(moved, w * mu, w * lambda)};
  });
}

void TurnedKernel::add(const ElementBatches& elements, const ElementBlock& block, const double* q, const double* v,
                       double dt, double* K) const {
  if (elements.nodes_each() == 4)
    add_of<4>(elements, block, q, v, dt, K);
  else
    add_of<0>(elements, block, q, v, dt, K);
}

}  // namespace limber
