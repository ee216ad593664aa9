#include "limber/linalg/solvers/krylov_solver.hpp"

#include <algorithm>
#include <cassert>

namespace limber {

void KrylovSolver::set_matrix(const SparseMatrix& given) {
  assert(given.rows() == given.cols());
  const SparseMatrix& A = compressed(given, copy_);
  if (!space_.all(pattern_.take(A) == PatternChange::same)) {
    rows_ = make_row_matrix(A, symmetry_, space_);
    ++counts_.analyses;
  }
  rows_->refresh(A);
  diagonal_ = rows_->invert_diagonal(RowMatrix::Inverse::kept);
}

SolveReport KrylovSolver::solve(const Vector& b, Vector& x, double tolerance) {
  assert(rows_ && b.size() == rows_->size());
  ++counts_.solves;
  x.setZero(b.size());
  if (method_ == Method::pcg && diagonal_ == SolveReport::Status::indefinite) return {diagonal_, 0, 1};
  DiagonalPreconditioner D(*rows_);
  const int most = static_cast<int>(std::clamp<Index>(3 * space_.whole_size(b.size()), 500, 20000));
  const KrylovLimits limits{std::max(tolerance, 1e-14), most};
  const KrylovResult found =
      method_ == Method::pcg ? pcg(*rows_, D, b, x, limits, work_) : gmres(*rows_, D, b, x, limits, work_);
  counts_.iterations += found.iterations;
  return found.report();
}

}  // namespace limber
