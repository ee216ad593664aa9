#pragma once  // internal
/// The exact null vectors of K in the span of given vectors:  K r = 0 to rounding,  RᵀMR = I.

#include "limber/linalg/block_algebra.hpp"

namespace limber {

/// candidates: #n × k. Each column is tried on its own first, then combinations of the columns that are not null
/// vectors: ‖K r‖ ≤ 1e-12 ‖diag(K) r‖. Null columns keep their order, so the first column of the result is a multiple
/// of the first null column, and so on. Linearly dependent columns are dropped. Returns #n × (0 to k).
Matrix null_vectors(const BlockProduct& K, const BlockProduct& M, const Matrix& candidates);

}  // namespace limber
