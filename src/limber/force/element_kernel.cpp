#include "limber/force/element_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "limber/core/extremes.hpp"
#include "limber/force/element_geometry.hpp"

namespace limber {
namespace {

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

/// visit(F) for all points of a block.
template <int n, class Visit>
void for_gradients(const ElementBatches& elements, const ElementBlock& block, const Visit& visit) {
  for_batches(block, [&](int batch, int, int count) {
    for (int point = 0; point < point_count<n>(elements); ++point)
      visit(BatchShape<n>(elements, batch, point), batch, count);
  });
}

template <int n>
double least_det_of(const ElementBatches& elements, const ElementBlock& block, const double* q) {
  Lanes least(std::numeric_limits<double>::infinity()), nan_or_zero(0.0);
  for_gradients<n>(elements, block, [&](const BatchShape<n>& shape, int batch, int) {
    const Lanes J = det(gradient(elements, shape, BatchEdges<n>(q, elements, batch)));
    least = min(least, J);
    nan_or_zero = nan_or_zero + (J - J);
  });
  alignas(64) double lanes[lane_count];
  (least + nan_or_zero).store_aligned(lanes);
  return smallest_of(lanes);
}

template <int n>
double step_to_inversion_of(const ElementBatches& elements, const ElementBlock& block, const double* q,
                            const double* dq) {
  double step = 1;
  for_gradients<n>(elements, block, [&](const BatchShape<n>& shape, int batch, int count) {
    const M3<Lanes> F = gradient(elements, shape, BatchEdges<n>(q, elements, batch));
    const M3<Lanes> dF = gradient(elements, shape, BatchEdges<n>(dq, elements, batch));
    // det(F + s dF) = c0 + c1 s + c2 s² + c3 s³
    const M3<Lanes> C = cofactor(F), dC = cofactor(dF);
    const Lanes c0 = det(F), c1 = dot(C, dF), c2 = dot(dC, F), c3 = det(dF);
    const Lanes third(1.0 / 3), b1 = c0 + third * c1, b2 = b1 + third * (c1 + c2), b3 = c0 + c1 + c2 + c3;
    if (all(min(min(c0, b1), min(b2, b3)) > Lanes(0.0))) return;
    alignas(64) double b[4][lane_count];
    c0.store_aligned(b[0]), b1.store_aligned(b[1]), b2.store_aligned(b[2]), b3.store_aligned(b[3]);
    for (int l = 0; l < count; ++l)
      if (!std::isfinite(b[0][l] + b[1][l] + b[2][l] + b[3][l]))
        step = 0;
      else if (b[0][l] > 0)
        step = std::min(step, first_root({b[0][l], b[1][l], b[2][l], b[3][l]}));
  });
  return step;
}

}  // namespace

std::unique_ptr<ElementKernel> make_element_kernel(std::span<const AnyMaterial* const> materials, int first_batch,
                                                   ElementKind kind) {
  return kind == ElementKind::tet4 ? make_tetrahedron_kernel(materials, first_batch)
                                   : make_general_kernel(materials, first_batch);
}

double least_det(const ElementBatches& elements, const ElementBlock& block, const double* q) {
  return elements.nodes_each() == 4 ? least_det_of<4>(elements, block, q) : least_det_of<0>(elements, block, q);
}

double step_to_inversion(const ElementBatches& elements, const ElementBlock& block, const double* q, const double* dq) {
  return elements.nodes_each() == 4 ? step_to_inversion_of<4>(elements, block, q, dq)
                                    : step_to_inversion_of<0>(elements, block, q, dq);
}

}  // namespace limber
