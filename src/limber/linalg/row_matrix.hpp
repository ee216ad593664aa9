#pragma once
/// y = A x by rows: a copy of A in full storage (both triangles of a symmetric matrix), in 3×3 blocks if A has them,
/// otherwise in single entries. Rows are independent, so products run in parallel with the same bits for any number of
/// threads. The pattern is read once; `refresh` then only copies values.
///
/// If several processes share the unknowns, A is the sum of the matrices of their own elements. Products and inverses
/// of the diagonal are those of the sum, for consistent vectors; entries and `block_rows` are those stored here.

#include <memory>

#include "limber/linalg/linear_map.hpp"
#include "limber/linalg/solve_report.hpp"

namespace limber {

/// The blocks of a RowMatrix, row by row; each is stored column by column.
struct BlockRows {
  int block = 0, rows = 0;
  const int *start = nullptr, *column = nullptr;  // columns ascend in each row
  const double* value = nullptr;
};

class RowMatrix : public LinearMap {
 public:
  Index entries() const { return entries_; }      // stored, both triangles
  int block_size() const { return block_size_; }  // 3 or 1
  BlockRows block_rows() const { return block_rows_; }
  /// Takes the values of A, which has the pattern of the constructor's matrix.
  virtual void refresh(const SparseMatrix& A) = 0;
  /// A X, #n × k; reads the matrix once for several columns.
  virtual Matrix multiply_block(const Eigen::Ref<const Matrix>& X) const = 0;
  /// y = A x; returns xᵀy.
  virtual double multiply_dot(const double* x, double* y) const = 0;
  enum class Rounded { kept, dropped };
  /// kept: stores the values in single precision too, for `multiply_dot_rounded`, which then reads half as much;
  /// returns a bound on ‖A − rounded A‖₂ for a symmetric A. dropped: frees them and returns 0.
  virtual double round(Rounded rounded) = 0;
  /// The same with rounded entries of A; arithmetic is in double precision.
  virtual double multiply_dot_rounded(const double* x, double* y) const = 0;
  enum class Inverse { kept, dropped };
  /// Inverts the diagonal blocks. Returns indefinite if a block of a symmetric matrix is not positive definite,
  /// singular if a block of a general matrix has no inverse (and is replaced by the identity). dropped: only the status
  /// is wanted, and the inverse is freed.
  virtual SolveReport::Status invert_diagonal(Inverse inverse) = 0;
  /// z = D⁻¹r with the diagonal blocks D, whose inverse must have been kept; returns rᵀz.
  virtual double apply_inverse_diagonal(const double* r, double* z) const = 0;

 protected:
  explicit RowMatrix(int block_size, const Space& space = serial_space()) : LinearMap(space), block_size_(block_size) {}

  Index entries_ = 0;
  BlockRows block_rows_;

 private:
  int block_size_;
};

/// Throws InputError("method.solver", …) if several processes share a matrix that is not made of 3×3 blocks.
std::unique_ptr<RowMatrix> make_row_matrix(const SparseMatrix& A, Symmetry symmetry,
                                           const Space& space = serial_space());

}  // namespace limber
