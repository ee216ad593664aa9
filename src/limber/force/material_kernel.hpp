#pragma once  // internal
/// Loops over elements of one kind, shared by all kernels. n = 4: linear tetrahedra with their single point; n = 0: any
/// other elements.

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "limber/force/element_geometry.hpp"
#include "limber/force/element_kernel.hpp"
#include "limber/force/point_materials.hpp"

namespace limber {

using EntryPair = xsimd::make_sized_batch_t<double, 2>;

/// y −= values at nodes 1, 2, … of each element; y += their sum at node 0.
template <int n>
LIMBER_INLINE void subtract_at_nodes(const V3<Lanes> (&values)[most_nodes<n> - 1], int rest, const int* nodes,
                                     int count, double* y) {
  alignas(64) double buffer[3 * (most_nodes<n> - 1)][lane_count];
  for (int a = 0; a < rest; ++a)
    for (int c = 0; c < 3; ++c) values[a][c].store_aligned(buffer[3 * a + c]);
  for (int l = 0; l < count; ++l)
    for (int c = 0; c < 3; ++c) {
      double sum = buffer[c][l];
      for (int a = 1; a < rest; ++a) sum += buffer[3 * a + c][l];
      y[nodes[l] + c] += sum;
      for (int a = 0; a < rest; ++a) y[nodes[(a + 1) * lane_count + l] + c] -= buffer[3 * a + c][l];
    }
}

/// sums += P g
template <int n>
LIMBER_INLINE void add_stress(const M3<Lanes>& P, const BatchShape<n>& shape, int rest,
                              V3<Lanes> (&sums)[most_nodes<n> - 1]) {
  for (int a = 0; a < rest; ++a) sums[a] = sums[a] + P * shape.g[a];
}

template <int n>
LIMBER_INLINE void clear(V3<Lanes> (&sums)[most_nodes<n> - 1], int rest) {
  for (int a = 0; a < rest; ++a) sums[a] = {Lanes(0.0), Lanes(0.0), Lanes(0.0)};
}

/// The blocks (row ≥ column) of a batch of elements, column by column; blocks of node 0 with other nodes have the
/// opposite sign. The entries of a block are stored in pairs (K00, K10), (K01, K11), (K02, K12), (K20, K21), (K22,
/// unused), as they are added.
template <int n>
struct StiffnessBuffer {
  alignas(64) double pair[block_count(most_nodes<n>)][5][lane_count][2];

  LIMBER_INLINE void put(int which, const M3<Lanes>& K) {
    put(which, 0, K(0, 0), K(1, 0));
    put(which, 1, K(0, 1), K(1, 1));
    put(which, 2, K(0, 2), K(1, 2));
    put(which, 3, K(2, 0), K(2, 1));
    put(which, 4, K(2, 2), K(2, 2));
  }

 private:
  LIMBER_INLINE void put(int which, int place, const Lanes& a, const Lanes& b) {
    double* p = &pair[which][place][0][0];
    if constexpr (lane_count == 2) {
      xsimd::zip_lo(a, b).store_aligned(p);
      xsimd::zip_hi(a, b).store_aligned(p + lane_count);
    } else {  // wider registers interleave only within their halves
      alignas(64) double first[lane_count], second[lane_count];
      a.store_aligned(first);
      b.store_aligned(second);
      for (int l = 0; l < lane_count; ++l) {
        p[2 * l] = first[l];
        p[2 * l + 1] = second[l];
      }
    }
  }
};

/// For linear tetrahedra, with their single point.
template <class Tangent>
LIMBER_INLINE void stiffness_blocks(const Tangent& tangent, const BatchShape<4>& shape, StiffnessBuffer<4>& K) {
  const auto a1 = tangent.contract(shape.g[0]), a2 = tangent.contract(shape.g[1]), a3 = tangent.contract(shape.g[2]);
  const M3<Lanes> K11 = tangent.block(a1, a1), K21 = tangent.block(a2, a1), K31 = tangent.block(a3, a1);
  K.put(4, K11), K.put(5, K21), K.put(6, K31);
  const M3<Lanes> minus_K10 = K11 + transpose(K21 + K31);
  K.put(1, minus_K10);
  const M3<Lanes> K22 = tangent.block(a2, a2), K32 = tangent.block(a3, a2);
  K.put(7, K22), K.put(8, K32);
  const M3<Lanes> minus_K20 = K21 + K22 + transpose(K32);
  K.put(2, minus_K20);
  const M3<Lanes> K33 = tangent.block(a3, a3);
  K.put(9, K33);
  const M3<Lanes> minus_K30 = K31 + K32 + K33;
  K.put(3, minus_K30);
  K.put(0, minus_K10 + minus_K20 + minus_K30);
}

/// The blocks of nodes 1, 2, …, summed over the points; blocks with node 0 are derived from them.
struct StiffnessSum {
  M3<Lanes> K[block_count(most_element_nodes - 1)];
  int others;

  explicit StiffnessSum(int other_nodes) : others(other_nodes) {
    for (int k = 0; k < block_count(others); ++k) K[k] = diagonal(Lanes(0.0), Lanes(0.0), Lanes(0.0));
  }
  template <class Tangent>
  void add(const Tangent& tangent, const BatchShape<0>& shape) {
    decltype(tangent.contract(shape.g[0])) contracted[most_element_nodes - 1];
    for (int a = 0; a < others; ++a) contracted[a] = tangent.contract(shape.g[a]);
    for (int column = 0, k = 0; column < others; ++column)
      for (int row = column; row < others; ++row, ++k) K[k] = K[k] + tangent.block(contracted[row], contracted[column]);
  }
  void put(StiffnessBuffer<0>& buffer) const {
    const int n = others + 1;
    M3<Lanes> corner = diagonal(Lanes(0.0), Lanes(0.0), Lanes(0.0));
    for (int row = 0; row < others; ++row) {
      M3<Lanes> minus = diagonal(Lanes(0.0), Lanes(0.0), Lanes(0.0));
      for (int a = 0; a < others; ++a)
        minus = minus + (a <= row ? K[block_index(others, row, a)] : transpose(K[block_index(others, a, row)]));
      buffer.put(row + 1, minus);
      corner = corner + minus;
      for (int a = 0; a <= row; ++a) buffer.put(block_index(n, row + 1, a + 1), K[block_index(others, row, a)]);
    }
    buffer.put(0, corner);
  }
};

template <bool negated>
LIMBER_INLINE void add_block(const double (&K)[5][lane_count][2], int lane, double* p, int stride) {
  const auto add = [](double* to, const double* pair) {
    const EntryPair a = EntryPair::load_unaligned(to), b = EntryPair::load_aligned(pair);
    (negated ? a - b : a + b).store_unaligned(to);
  };
  const auto add_one = [](double& to, double x) { to = negated ? to - x : to + x; };
  add(p, K[0][lane]);
  add_one(p[2], K[3][lane][0]);
  add(p + stride, K[1][lane]);
  add_one(p[stride + 2], K[3][lane][1]);
  add(p + 2 * stride, K[2][lane]);
  add_one(p[2 * stride + 2], K[4][lane][0]);
}

constexpr int block_column(int n, int block) {
  int column = 0;
  while (column + 1 < n && block >= block_index(n, column + 1, column + 1)) ++column;
  return column;
}

/// Unrolled over a known number of blocks: linear tetrahedra spend much of their time here.
template <int n, int... blocks>
LIMBER_INLINE void scatter_all(const StiffnessBuffer<n>& K, const int* first, const int* stride, int lane,
                               double* values, std::integer_sequence<int, blocks...>) {
  const auto one = [&]<int k>(std::integral_constant<int, k>) {
    constexpr int column = block_column(n, k);
    if (first[k] >= 0) add_block<(column == 0 && k > 0)>(K.pair[k], lane, values + first[k], stride[column]);
  };
  (one(std::integral_constant<int, blocks>()), ...);
}

/// Looks up the column strides of an element's nodes.
template <int n>
LIMBER_INLINE void find_strides(const ElementBatches& elements, int element, int lane, int* stride) {
  const int* nodes = elements.nodes<n>(element / lane_count) + lane;
  for (int a = 0; a < nodes_each<n>(elements); ++a) stride[a] = elements.stride(nodes[a * lane_count]);
}

/// Blocks of node 0 with other nodes have the opposite sign.
template <int n>
LIMBER_INLINE void scatter(const StiffnessBuffer<n>& K, const ElementBatches& elements, int element, int lane,
                           double* values) {
  const int* first = elements.slots<n>(element);
  int stride[most_nodes<n>];
  find_strides<n>(elements, element, lane, stride);
  if constexpr (n > 0) {
    scatter_all(K, first, stride, lane, values, std::make_integer_sequence<int, block_count(n)>());
  } else {
    const int each = elements.nodes_each();
    if (first[0] >= 0) add_block<false>(K.pair[0], lane, values + first[0], stride[0]);
    for (int row = 1; row < each; ++row)
      if (first[row] >= 0) add_block<true>(K.pair[row], lane, values + first[row], stride[0]);
    for (int column = 1, k = each; column < each; ++column)
      for (int row = column; row < each; ++row, ++k)
        if (first[k] >= 0) add_block<false>(K.pair[k], lane, values + first[k], stride[column]);
  }
}

template <int n>
void scatter_mirrored(const StiffnessBuffer<n>& K, const ElementBatches& elements, int element, int lane,
                      double* values) {
  const int each = nodes_each<n>(elements);
  const int* mirror = elements.mirrors(element);
  int stride[most_nodes<n>];
  find_strides<n>(elements, element, lane, stride);
  for (int column = 0; column < each; ++column)
    for (int row = column + 1; row < each; ++row, ++mirror) {
      if (*mirror < 0) continue;
      const auto& block = K.pair[block_index(each, row, column)];
      const double sign = column == 0 ? -1 : 1;
      double* p = values + *mirror;
      const int step = stride[row];
      for (int r = 0; r < 3; ++r) {
        p[r] += sign * block[r][lane][0];
        p[step + r] += sign * block[r][lane][1];
      }
      p[2 * step] += sign * block[3][lane][0];
      p[2 * step + 1] += sign * block[3][lane][1];
      p[2 * step + 2] += sign * block[4][lane][0];
    }
}

/// Combines the parameters of one material per lane into packs.
template <template <class> class M>
M<Lanes> side_by_side(std::span<const AnyMaterial* const> materials) {
  constexpr std::size_t count = sizeof(M<double>) / sizeof(double);
  static_assert(sizeof(M<Lanes>) == count * sizeof(Lanes) && std::is_trivially_copyable_v<M<Lanes>>);
  alignas(Lanes) std::array<std::array<double, lane_count>, count> parameters;
  for (std::size_t lane = 0; lane < lane_count; ++lane) {
    const auto own = std::bit_cast<std::array<double, count>>(std::get<M<double>>(*materials[lane]));
    for (std::size_t k = 0; k < count; ++k) parameters[k][lane] = own[k];
  }
  return std::bit_cast<M<Lanes>>(parameters);
}

/// The material of each batch from `first_batch` on.
template <template <class> class M>
class BatchMaterials {
 public:
  /// One material shared by all, or one per place.
  BatchMaterials(std::span<const AnyMaterial* const> materials, int first_batch)
      : first_batch_(first_batch), stride_(materials.size() > 1 ? 1 : 0) {
    if (stride_ == 0) {
      const std::vector<const AnyMaterial*> shared(lane_count, materials[0]);
      materials_.push_back(side_by_side<M>(shared));
      return;
    }
    for (std::size_t i = 0; i < materials.size(); i += lane_count)
      materials_.push_back(side_by_side<M>(materials.subspan(i, lane_count)));
  }

  LIMBER_INLINE const M<Lanes>& operator()(int batch) const {
    return materials_[static_cast<std::size_t>((batch - first_batch_) * stride_)];
  }

 private:
  std::vector<M<Lanes>> materials_;  // one per batch, or one for all
  int first_batch_, stride_;
};

/// A quadrature point of a batch.
struct BatchPoint {
  int batch, point;
};

/// W of a block, where density(BatchPoint, F) is its density at a point.
template <int n, class Density>
double sum_energy(const ElementBatches& elements, const ElementBlock& block, const double* q, const Density& density) {
  double sum = 0;
  for_batches(block, [&](int batch, int, int count) {
    const BatchEdges<n> edges(q, elements, batch);
    Lanes W(0.0);
    for (int point = 0; point < point_count<n>(elements); ++point) {
      const BatchShape<n> shape(elements, batch, point);
      W = W + shape.volume * density(BatchPoint{batch, point}, gradient(elements, shape, edges));
    }
    alignas(64) double lanes[lane_count];
    W.store_aligned(lanes);
    for (int l = 0; l < count; ++l) sum += lanes[l];
  });
  return sum;
}

/// f += −∂W/∂q, where stress(BatchPoint, F) is P at a point.
template <int n, class Stress>
void add_forces(const ElementBatches& elements, const ElementBlock& block, const double* q, double* f,
                const Stress& stress) {
  for_batches(block, [&](int batch, int, int count) {
    const BatchEdges<n> edges(q, elements, batch);
    V3<Lanes> sums[most_nodes<n> - 1];
    clear<n>(sums, others<n>(elements));
    for (int point = 0; point < point_count<n>(elements); ++point) {
      const BatchShape<n> shape(elements, batch, point);
      const M3<Lanes> P = stress(BatchPoint{batch, point}, gradient(elements, shape, edges));
      add_stress<n>(shape.volume * P, shape, others<n>(elements), sums);
    }
    subtract_at_nodes<n>(sums, others<n>(elements), elements.nodes<n>(batch), count, f);
  });
}

/// K += ∂²W/∂q² into the slots and, unless f is null, f += −∂W/∂q. tangent(BatchPoint, F, V) provides V P and V dP/dF.
template <int n, class TangentAt>
void add_stiffness(const ElementBatches& elements, const ElementBlock& block, const double* q, double* f, double* K,
                   const TangentAt& tangent) {
  StiffnessBuffer<n> buffer;
  for_batches(block, [&](int batch, int first, int count) {
    const BatchEdges<n> edges(q, elements, batch);
    if constexpr (n == 4) {
      const BatchShape<n> shape(elements, batch, 0);
      const auto dP = tangent(BatchPoint{batch, 0}, gradient(elements, shape, edges), shape.volume);
      if (f) {
        const M3<Lanes> P = dP.stress();
        const V3<Lanes> products[3] = {P * shape.g[0], P * shape.g[1], P * shape.g[2]};
        subtract_at_nodes<n>(products, 3, elements.nodes<n>(batch), count, f);
      }
      stiffness_blocks(dP, shape, buffer);
    } else {
      V3<Lanes> sums[most_nodes<n> - 1];
      clear<n>(sums, others<n>(elements));
      StiffnessSum blocks(others<n>(elements));
      for (int point = 0; point < point_count<n>(elements); ++point) {
        const BatchShape<n> shape(elements, batch, point);
        const auto dP = tangent(BatchPoint{batch, point}, gradient(elements, shape, edges), shape.volume);
        add_stress<n>(dP.stress(), shape, others<n>(elements), sums);
        blocks.add(dP, shape);
      }
      if (f) subtract_at_nodes<n>(sums, others<n>(elements), elements.nodes<n>(batch), count, f);
      blocks.put(buffer);
    }
    for (int l = 0; l < count; ++l) {
      scatter<n>(buffer, elements, first + l, l, K);
      if (elements.mirrors(first + l)) scatter_mirrored<n>(buffer, elements, first + l, l, K);
    }
  });
}

}  // namespace limber
