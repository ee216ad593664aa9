#pragma once
/// Loads of a batch of tetrahedra: shape gradients, edges and F, for all lanes at once.

#include "limber/core/lanes.hpp"
#include "limber/force/element_batches.hpp"

namespace limber {

struct BatchShape {
  V3<Lanes> g[3];  // gradients of nodes 1, 2, 3 [1/m]
  Lanes volume;    // [m³]

  LIMBER_INLINE BatchShape(const ElementBatches& elements, int batch) {
    const double* p = elements.shape(batch);
    for (int a = 0; a < 3; ++a)
      g[a] = {Lanes::load_unaligned(p + 3 * a * lane_count), Lanes::load_unaligned(p + (3 * a + 1) * lane_count),
              Lanes::load_unaligned(p + (3 * a + 2) * lane_count)};
    volume = Lanes::load_unaligned(p + 9 * lane_count);
  }
};

/// x₁ − x₀, x₂ − x₀, x₃ − x₀ of a nodal field x.
struct BatchEdges {
  V3<Lanes> e[3];

  LIMBER_INLINE static V3<Lanes> position(const double* x, const int* nodes) {
    return {gather(x, nodes), gather(x + 1, nodes), gather(x + 2, nodes)};
  }

  LIMBER_INLINE BatchEdges(const double* x, const int* nodes) {
    const V3<Lanes> origin = position(x, nodes);
    for (int a = 0; a < 3; ++a) e[a] = position(x, nodes + (a + 1) * lane_count) - origin;
  }
};

/// Σ_a e_a g_aᵀ
LIMBER_INLINE M3<Lanes> gradient(const BatchShape& shape, const BatchEdges& edges) {
  const V3<Lanes>(&e)[3] = edges.e, (&g)[3] = shape.g;
  const auto column = [&](int j) { return g[0][j] * e[0] + g[1][j] * e[1] + g[2][j] * e[2]; };
  return from_columns(column(0), column(1), column(2));
}

/// Calls visit(batch, first element, number of elements) for the batches of a block, in order.
template <class Visit>
void for_batches(const ElementBlock& block, const Visit& visit) {
  for (int e = 0; e < block.count; e += lane_count) {
    const int left = block.count - e;
    visit((block.first + e) / lane_count, block.first + e, left < lane_count ? left : lane_count);
  }
}

}  // namespace limber
