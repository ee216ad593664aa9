#pragma once
/// K and D at a state, reduced to modes.

#include <memory>
#include <vector>

#include "limber/linalg/pattern.hpp"
#include "limber/linalg/row_matrix.hpp"
#include "limber/time/modal/basis.hpp"

namespace limber {

struct ReducedTangent {
  Matrix K, D;              // XᵀKX, XᵀDX: #s × s
  std::vector<Index> null;  // modes with K x = 0 up to rounding: rigid motions
};

/// Retains the rows of K between calls, for products with many vectors.
class ModalReduction {
 public:
  /// Reduces T to the modes of `basis`. Sets KX to K X.
  ReducedTangent operator()(System& system, const Tangent& T, const ModalBasis& basis, Matrix& KX);

 private:
  Pattern pattern_;
  std::unique_ptr<RowMatrix> rows_;
};

}  // namespace limber
