#pragma once  // internal
/// Products of displacements in single elements, x_iᵀ A_e x_j with A_e the stiffness of an element at rest or its mass.
/// Their sums over e are those of the body's K and M; of an element whose modulus is E_e, ∂(x_iᵀ K x_j)/∂ ln E_e is its
/// product.

#include "limber/linalg/pattern.hpp"
#include "limber/scene/construction/placed_body.hpp"

namespace limber {

/// The pairs i ≤ j of so many columns, in the order of rows of the upper triangle.
inline Index pair_count(Index columns) { return columns * (columns + 1) / 2; }
template <class Visit>
void for_pairs(Index columns, const Visit& visit) {
  for (Index i = 0, k = 0; i < columns; ++i)
    for (Index j = i; j < columns; ++j) visit(i, j, k++);
}

class ElementProducts {
 public:
  /// A body with materials whose elements do not share their change of volume.
  ElementProducts(const PlacedBody& body, MassForm mass);

  Index count() const { return count_; }
  /// #E × pair_count, of displacements of the body's nodes, 3N × k.
  Matrix stiffness(const Matrix& X) const;
  Matrix mass(const Matrix& X) const;
  /// x_jᵀ K_e x_j, #E × k.
  Matrix stiffness_squares(const Matrix& X) const;

 private:
  Matrix on_corners(const Matrix& X) const;

  std::vector<int> corners_;
  Index each_, count_;
  SparseMatrix K_;                 // lower triangle, on the corners of all elements
  std::vector<NodalMass> masses_;  // on these too
};

}  // namespace limber
