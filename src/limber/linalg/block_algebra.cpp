#include "limber/linalg/block_algebra.hpp"

#include <cmath>
#include <vector>

#include "limber/linalg/chunks.hpp"
#include "limber/linalg/dense_eigen.hpp"

namespace limber {
namespace {

bool is_diagonal(const SparseMatrix& A) {
  for (int j = 0; j < A.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(A, j); it; ++it)
      if (it.row() > j && it.value() != 0) return false;
  return true;
}

}  // namespace

Matrix inner(const BlockView& A, const BlockView& B) {
  const Index n = A.rows(), chunks = chunk_count(n);
  if (chunks <= 1) return A.transpose() * B;
  std::vector<Matrix> parts(static_cast<std::size_t>(chunks));
  parallel_for(chunks, [&](Index c) {
    const Index begin = c * chunk_length, rows = std::min(n - begin, chunk_length);
    parts[static_cast<std::size_t>(c)].noalias() = A.middleRows(begin, rows).transpose() * B.middleRows(begin, rows);
  });
  for (Index c = 1; c < chunks; ++c) parts[0] += parts[static_cast<std::size_t>(c)];
  return parts[0];
}

Matrix combine(const BlockView& V, const BlockView& Y) {
  Matrix U(V.rows(), Y.cols());
  for_chunks(V.rows(), [&](Index begin, Index end) {
    U.middleRows(begin, end - begin).noalias() = V.middleRows(begin, end - begin) * Y;
  });
  return U;
}

void subtract(const BlockView& V, const BlockView& G, Eigen::Ref<Matrix> U) {
  for_chunks(V.rows(), [&](Index begin, Index end) {
    U.middleRows(begin, end - begin).noalias() -= V.middleRows(begin, end - begin) * G;
  });
}

void BlockProduct::take(const SparseMatrix& A, const Space& space) {
  space_ = space;
  const SparseMatrix& compact = compressed(A, copy_);
  diagonal_ = compact.diagonal();
  space_.add_up(diagonal_);
  only_diagonal_ = space_.all(is_diagonal(compact));
  if (only_diagonal_) return;
  if (!space_.all(pattern_.take(compact) == PatternChange::same))
    rows_ = make_row_matrix(compact, Symmetry::symmetric, space_);
  rows_->refresh(compact);
}

Matrix BlockProduct::operator*(const BlockView& X) const {
  if (!only_diagonal_ && space_.shared() && X.cols() == 1) {
    Matrix y(X.rows(), 1);
    rows_->multiply(X.col(0).data(), y.data());
    return y;
  }
  if (!only_diagonal_) return rows_->multiply_block(X);
  Matrix Y(X.rows(), X.cols());
  for_chunks(X.rows(), [&](Index begin, Index end) {
    Y.middleRows(begin, end - begin) =
        diagonal_.segment(begin, end - begin).asDiagonal() * X.middleRows(begin, end - begin);
  });
  return Y;
}

void remove(const BlockView& V, const BlockProduct& M, Eigen::Ref<Matrix> U) {  // NOLINT: a view
  if (V.cols() > 0 && U.cols() > 0) subtract(V, M.inner(V, M * U), U);
}

Matrix unit_columns(const BlockProduct& M, const Matrix& U) {
  Vector scale =
      M.space().shared() ? Vector(M.inner(U, M * U).diagonal()) : Vector(U.cwiseProduct(M * U).colwise().sum());
  for (double& s : scale) s = s > 0 ? 1 / std::sqrt(s) : 0;
  return U * scale.asDiagonal();
}

Matrix orthonormal_basis(const BlockProduct& M, Matrix U, double smallest) {
  for (int pass = 0; pass < 3 && U.cols() > 0; ++pass) {
    const DenseEigen eigen = symmetric_eigen(M.inner(U, M * U));
    const Vector& size = eigen.values;
    const double least = smallest * smallest * size[size.size() - 1];
    Index dropped = 0;
    while (dropped < size.size() && !(size[dropped] > least)) ++dropped;
    const Index kept = size.size() - dropped;
    const bool good = dropped == 0 && size[0] > .5 && size[kept - 1] < 2;
    U = combine(U, eigen.vectors.rightCols(kept) * size.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal());
    if (good) break;
  }
  return U;
}

}  // namespace limber
