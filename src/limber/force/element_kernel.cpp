#include "limber/force/element_kernel.hpp"

#include <algorithm>

#include "limber/force/element_geometry.hpp"

namespace limber {
namespace {

using Pair = xsimd::make_sized_batch_t<double, 2>;

/// y −= values at nodes 1 to 3 of each element and y += their sum at node 0.
LIMBER_INLINE void subtract_at_nodes(const V3<Lanes> (&values)[3], const int* nodes, int count, double* y) {
  alignas(64) double buffer[9][lane_count];
  for (int a = 0; a < 3; ++a)
    for (int c = 0; c < 3; ++c) values[a][c].store_aligned(buffer[3 * a + c]);
  for (int l = 0; l < count; ++l)
    for (int c = 0; c < 3; ++c) {
      const double y1 = buffer[c][l], y2 = buffer[3 + c][l], y3 = buffer[6 + c][l];
      y[nodes[l] + c] += y1 + y2 + y3;
      y[nodes[lane_count + l] + c] -= y1;
      y[nodes[2 * lane_count + l] + c] -= y2;
      y[nodes[3 * lane_count + l] + c] -= y3;
    }
}

LIMBER_INLINE void add_stress_forces(const M3<Lanes>& P, const BatchShape& shape, const int* nodes, int count,
                                     double* f) {
  const V3<Lanes> minus_forces[3] = {P * shape.g[0], P * shape.g[1], P * shape.g[2]};
  subtract_at_nodes(minus_forces, nodes, count, f);
}

/// The ten blocks (row ≥ column) of a batch of elements, column by column; blocks 1, 2, 3 with the opposite sign. An
/// element's entries lie in pairs (K00, K10), (K01, K11), (K02, K12), (K20, K21), (K22, unused), as they are added.
struct StiffnessBuffer {
  alignas(64) double pair[10][5][lane_count][2];

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
    } else {  // wider registers zip within their halves only
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

template <class Tangent>
LIMBER_INLINE void stiffness_blocks(const Tangent& tangent, const BatchShape& shape, StiffnessBuffer& K) {
  const auto a1 = tangent.arm(shape.g[0]), a2 = tangent.arm(shape.g[1]), a3 = tangent.arm(shape.g[2]);
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

constexpr int block_column[10] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 3};
constexpr bool block_is_negated[10] = {false, true, true, true, false, false, false, false, false, false};
constexpr int mirrored_block[6] = {1, 2, 3, 5, 6, 8};
constexpr int mirror_column[6] = {1, 2, 3, 2, 3, 3};

template <bool negated>
LIMBER_INLINE void add_block(const double (&K)[5][lane_count][2], int lane, double* p, int stride) {
  const auto add = [](double* to, const double* pair) {
    const Pair a = Pair::load_unaligned(to), b = Pair::load_aligned(pair);
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

template <int... b>
LIMBER_INLINE void scatter(const StiffnessBuffer& K, const ElementSlots& slots, int lane, double* values,
                           std::integer_sequence<int, b...>) {
  const auto one = [&]<int which>(std::integral_constant<int, which>) {
    if (const int first = slots.first[which]; first >= 0)
      add_block<block_is_negated[which]>(K.pair[which], lane, values + first, slots.stride[block_column[which]]);
  };
  (one(std::integral_constant<int, b>()), ...);
}

void scatter_mirrored(const StiffnessBuffer& K, const ElementSlots& slots, const MirrorSlots& mirrors, int lane,
                      double* values) {
  for (std::size_t m = 0; m < 6; ++m) {
    if (mirrors[m] < 0) continue;
    const auto& block = K.pair[mirrored_block[m]];
    const double sign = block_is_negated[mirrored_block[m]] ? -1 : 1;
    double* p = values + mirrors[m];
    const int stride = slots.stride[static_cast<std::size_t>(mirror_column[m])];
    for (int r = 0; r < 3; ++r) {
      p[r] += sign * block[r][lane][0];
      p[stride + r] += sign * block[r][lane][1];
    }
    p[2 * stride] += sign * block[3][lane][0];
    p[2 * stride + 1] += sign * block[3][lane][1];
    p[2 * stride + 2] += sign * block[4][lane][0];
  }
}

template <class M>
class KernelOf final : public ElementKernel {
 public:
  explicit KernelOf(const M& material) : m_(material) {}

  double energy(const ElementBatches& elements, const ElementBlock& block, const double* q) const override {
    double sum = 0;
    for_batches(block, [&](int batch, int, int count) {
      const BatchShape shape(elements, batch);
      const Lanes W = shape.volume * m_.energy(gradient(shape, BatchEdges(q, elements.nodes(batch))));
      alignas(64) double lanes[lane_count];
      W.store_aligned(lanes);
      for (int l = 0; l < count; ++l) sum += lanes[l];
    });
    return sum;
  }

  void add_force(const ElementBatches& elements, const ElementBlock& block, const double* q, double* f) const override {
    for_batches(block, [&](int batch, int, int count) {
      const BatchShape shape(elements, batch);
      const int* nodes = elements.nodes(batch);
      const M3<Lanes> P = m_.stress(gradient(shape, BatchEdges(q, nodes)));
      add_stress_forces(shape.volume * P, shape, nodes, count, f);
    });
  }

  void linearize(const ElementBatches& elements, const ElementBlock& block, Definiteness definiteness, const double* q,
                 double* f, double* K) const override {
    if (definiteness == Definiteness::exact)
      assemble<Definiteness::exact>(elements, block, q, f, K);
    else
      assemble<Definiteness::projected>(elements, block, q, f, K);
  }

  void add_product(const ElementBatches& elements, const ElementBlock& block, const double* q, const double* x,
                   double* y) const override {
    for_batches(block, [&](int batch, int, int count) {
      const BatchShape shape(elements, batch);
      const int* nodes = elements.nodes(batch);
      const auto tangent = m_.tangent(gradient(shape, BatchEdges(q, nodes)), shape.volume);
      const BatchEdges d(x, nodes);
      const Lanes minus(-1.0);
      const auto arm = [&](int a) { return tangent.arm(shape.g[a]); };
      const auto a0 = arm(0), a1 = arm(1), a2 = arm(2);
      const M3<Lanes> K10 = tangent.block(a1, a0), K20 = tangent.block(a2, a0), K21 = tangent.block(a2, a1);
      const V3<Lanes> d0 = minus * d.e[0], d1 = minus * d.e[1], d2 = minus * d.e[2];
      const V3<Lanes> minus_products[3] = {tangent.block(a0, a0) * d0 + transpose(K10) * d1 + transpose(K20) * d2,
                                           K10 * d0 + tangent.block(a1, a1) * d1 + transpose(K21) * d2,
                                           K20 * d0 + K21 * d1 + tangent.block(a2, a2) * d2};
      subtract_at_nodes(minus_products, nodes, count, y);
    });
  }

 private:
  template <Definiteness definiteness>
  LIMBER_INLINE auto tangent(const M3<Lanes>& F, const Lanes& weight) const {
    if constexpr (definiteness == Definiteness::exact)
      return m_.tangent(F, weight);
    else
      return m_.tangent_psd(F, weight);
  }

  template <Definiteness definiteness>
  void assemble(const ElementBatches& elements, const ElementBlock& block, const double* q, double* f,
                double* K) const {
    StiffnessBuffer buffer;
    for_batches(block, [&](int batch, int first, int count) {
      const BatchShape shape(elements, batch);
      const int* nodes = elements.nodes(batch);
      const auto dP = tangent<definiteness>(gradient(shape, BatchEdges(q, nodes)), shape.volume);
      if (f) add_stress_forces(dP.stress(), shape, nodes, count, f);
      stiffness_blocks(dP, shape, buffer);
      for (int l = 0; l < count; ++l) {
        scatter(buffer, elements.slots(first + l), l, K, std::make_integer_sequence<int, 10>());
        if (const MirrorSlots* mirrors = elements.mirrors(first + l))
          scatter_mirrored(buffer, elements.slots(first + l), *mirrors, l, K);
      }
    });
  }

  M m_;
};

/// The smallest root in (0, 1] of the cubic with Bernstein coefficients b, b[0] > 0; 1 if there is none. Where all
/// coefficients are positive the cubic is, so halving the interval never passes a root; the answer is never late.
double first_root(std::array<double, 4> b, int depth = 40) {
  if (std::min({b[0], b[1], b[2], b[3]}) > 0) return 1;
  if (depth == 0) return 0;
  const double b01 = 0.5 * (b[0] + b[1]), b12 = 0.5 * (b[1] + b[2]), b23 = 0.5 * (b[2] + b[3]);
  const double b012 = 0.5 * (b01 + b12), b123 = 0.5 * (b12 + b23), middle = 0.5 * (b012 + b123);
  const double left = first_root({b[0], b01, b012, middle}, depth - 1);
  if (left < 1 || middle <= 0) return 0.5 * left;
  return 0.5 + 0.5 * first_root({middle, b123, b23, b[3]}, depth - 1);
}

}  // namespace

std::unique_ptr<ElementKernel> make_element_kernel(const AnyMaterial& material) {
  return std::visit(
      []<class M>(const M& m) -> std::unique_ptr<ElementKernel> { return std::make_unique<KernelOf<M>>(m); }, material);
}

double least_det(const ElementBatches& elements, const ElementBlock& block, const double* q) {
  Lanes least(std::numeric_limits<double>::infinity());
  for_batches(block, [&](int batch, int, int) {
    const BatchShape shape(elements, batch);
    least = min(least, det(gradient(shape, BatchEdges(q, elements.nodes(batch)))));
  });
  alignas(64) double lanes[lane_count];
  least.store_aligned(lanes);
  return *std::min_element(lanes, lanes + lane_count);
}

double step_to_inversion(const ElementBatches& elements, const ElementBlock& block, const double* q, const double* dq) {
  double step = 1;
  for_batches(block, [&](int batch, int, int count) {
    const BatchShape shape(elements, batch);
    const M3<Lanes> F = gradient(shape, BatchEdges(q, elements.nodes(batch)));
    const M3<Lanes> dF = gradient(shape, BatchEdges(dq, elements.nodes(batch)));
    // det(F + s dF) = c0 + c1 s + c2 s² + c3 s³
    const M3<Lanes> C = cofactor(F), dC = cofactor(dF);
    const Lanes c0 = det(F), c1 = dot(C, dF), c2 = dot(dC, F), c3 = det(dF);
    const Lanes third(1.0 / 3), b1 = c0 + third * c1, b2 = b1 + third * (c1 + c2), b3 = c0 + c1 + c2 + c3;
    if (all(min(min(c0, b1), min(b2, b3)) > Lanes(0.0))) return;
    alignas(64) double b[4][lane_count];
    c0.store_aligned(b[0]), b1.store_aligned(b[1]), b2.store_aligned(b[2]), b3.store_aligned(b[3]);
    for (int l = 0; l < count; ++l)
      if (b[0][l] > 0) step = std::min(step, first_root({b[0][l], b[1][l], b[2][l], b[3][l]}));
  });
  return step;
}

}  // namespace limber
