#pragma once  // internal
/// Loading a batch of elements: shape gradients at a quadrature point, edges and F, for all lanes at once. n is the
/// number of nodes if known at compile time (linear tetrahedra), or 0: then it is read from the elements.

#include "limber/core/lanes.hpp"
#include "limber/force/element_batches.hpp"

namespace limber {

template <int n>
constexpr int most_nodes = n == 0 ? most_element_nodes : n;
template <int n>
LIMBER_INLINE int nodes_each(const ElementBatches& elements) {
  return n == 0 ? elements.nodes_each() : n;
}
/// Number of nodes other than node 0.
template <int n>
LIMBER_INLINE int others(const ElementBatches& elements) {
  return nodes_each<n>(elements) - 1;
}
template <int n>
LIMBER_INLINE int point_count(const ElementBatches& elements) {
  return n == 4 ? 1 : elements.points();
}

template <int n>
struct BatchShape {
  V3<Lanes> g[most_nodes<n> - 1];  // gradients of nodes 1, 2, … [1/m]
  Lanes volume;                    // [m³] weight of the point

  LIMBER_INLINE BatchShape(const ElementBatches& elements, int batch, int point) {
    const double* p = elements.shape<n>(batch, point);
    for (int a = 0; a < others<n>(elements); ++a)
      g[a] = {Lanes::load_unaligned(p + 3 * a * lane_count), Lanes::load_unaligned(p + (3 * a + 1) * lane_count),
              Lanes::load_unaligned(p + (3 * a + 2) * lane_count)};
    volume = Lanes::load_unaligned(p + 3 * others<n>(elements) * lane_count);
  }
};

/// x₁ − x₀, x₂ − x₀, … of a nodal field x.
template <int n>
struct BatchEdges {
  V3<Lanes> e[most_nodes<n> - 1];

  LIMBER_INLINE static V3<Lanes> position(const double* x, const int* nodes) {
    return {gather(x, nodes), gather(x + 1, nodes), gather(x + 2, nodes)};
  }

  LIMBER_INLINE BatchEdges(const double* x, const ElementBatches& elements, int batch) {
    const int* nodes = elements.nodes<n>(batch);
    const V3<Lanes> origin = position(x, nodes);
    for (int a = 0; a < others<n>(elements); ++a) e[a] = position(x, nodes + (a + 1) * lane_count) - origin;
  }
};

/// Σ_a e_a g_aᵀ
template <int n>
LIMBER_INLINE M3<Lanes> gradient(const ElementBatches& elements, const BatchShape<n>& shape,
                                 const BatchEdges<n>& edges) {
  const auto column = [&](int j) {
    V3<Lanes> sum = shape.g[0][j] * edges.e[0];
    for (int a = 1; a < others<n>(elements); ++a) sum = sum + shape.g[a][j] * edges.e[a];
    return sum;
  };
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
