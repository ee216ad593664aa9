#pragma once
/// Operations on k vectors of n ≫ k unknowns: AᵀB, V Y and U − V G by chunks of rows, and A X for a symmetric sparse A.
/// The order of summation does not depend on the number of threads.

#include <memory>

#include "limber/linalg/pattern.hpp"
#include "limber/linalg/row_matrix.hpp"

namespace limber {

using BlockView = Eigen::Ref<const Matrix>;

/// AᵀB, #a × b.
Matrix inner(const BlockView& A, const BlockView& B);
/// V Y, #n × y.
Matrix combine(const BlockView& V, const BlockView& Y);
/// U −= V G.
void subtract(const BlockView& V, const BlockView& G, Eigen::Ref<Matrix> U);

/// A symmetric matrix, given by its lower triangle, for products with blocks of vectors. If several processes share the
/// unknowns, A is that of each process's own elements; products, inner products and the diagonal are those of the sum.
class BlockProduct {
 public:
  BlockProduct() = default;
  explicit BlockProduct(const SparseMatrix& A, const Space& space = serial_space()) { take(A, space); }

  /// Takes new values, possibly on a new pattern. Detects a diagonal matrix, such as a lumped mass on the pattern of K.
  void take(const SparseMatrix& A, const Space& space = serial_space());
  /// A X, #n × k.
  Matrix operator*(const BlockView& X) const;
  const Vector& diagonal() const { return diagonal_; }
  bool only_diagonal() const { return only_diagonal_; }
  const Space& space() const { return space_; }
  /// XᵀY for vectors of its space.
  Matrix inner(const BlockView& X, const BlockView& Y) const {
    return space_.shared() ? space_.inner(X, Y) : limber::inner(X, Y);
  }

 private:
  Space space_;
  Vector diagonal_;
  SparseMatrix copy_;
  Pattern pattern_;
  std::unique_ptr<RowMatrix> rows_;
  bool only_diagonal_ = false;
};

/// Makes U M-orthogonal to V, which is M-orthonormal.
void remove(const BlockView& V, const BlockProduct& M, Eigen::Ref<Matrix> U);
/// U with its columns scaled to M-norm 1; zero columns stay zero.
Matrix unit_columns(const BlockProduct& M, const Matrix& U);
/// U Y, M-orthonormal, with as many columns as U has independent directions: those with an M-norm below `smallest`
/// times the largest are dropped.
Matrix orthonormal_basis(const BlockProduct& M, Matrix U, double smallest);

}  // namespace limber
