#pragma once  // internal
/// The matrix that a solver was given last, compressed, and its rows. Its pattern is read only where it has changed.

#include <memory>

#include "limber/linalg/pattern.hpp"
#include "limber/linalg/row_matrix.hpp"

namespace limber {

class MatrixRows {
 public:
  MatrixRows(Symmetry symmetry, const Space& space) : symmetry_(symmetry), space_(space) {}

  /// Returns whether the pattern is another one, on any process.
  PatternChange set(const SparseMatrix& A) {
    A_ = &compressed(A, copy_);
    const bool same = space_.all(pattern_.take(*A_) == PatternChange::same);
    if (!same) rows_ = make_row_matrix(*A_, symmetry_, space_);
    rows_->refresh(*A_);
    return same ? PatternChange::same : PatternChange::changed;
  }
  bool any() const { return rows_ != nullptr; }
  Symmetry symmetry() const { return symmetry_; }
  const SparseMatrix& sparse() const { return *A_; }
  RowMatrix& rows() { return *rows_; }
  const RowMatrix& rows() const { return *rows_; }
  void multiply(const Vector& x, Vector& y) const {
    y.resize(x.size());
    rows_->multiply(x.data(), y.data());
  }

 private:
  Symmetry symmetry_;
  Space space_;
  const SparseMatrix* A_ = nullptr;
  SparseMatrix copy_;
  Pattern pattern_;
  std::unique_ptr<RowMatrix> rows_;
};

}  // namespace limber
