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
  factors_ = Factors::stale;
}

SolveReport KrylovSolver::solve(const Vector& b, Vector& x, double tolerance) {
  assert(rows_ && b.size() == rows_->size());
  ++counts_.solves;
  x.setZero(b.size());
  if (method_ == Method::pcg && diagonal_ == SolveReport::Status::indefinite) return {diagonal_, 0, 1};
  const int most = static_cast<int>(std::clamp<Index>(3 * space_.global_size(b.size()), 500, 20000));
  const KrylovLimits limits{std::max(tolerance, 1e-14), most};
  DiagonalPreconditioner D(*rows_);
  const KrylovResult found = method_ == Method::pcg ? pcg(*rows_, D, b, x, limits, work_) : solve_general(b, x, limits);
  counts_.iterations += found.iterations;
  return found.report();
}

KrylovResult KrylovSolver::solve_general(const Vector& b, Vector& x, const KrylovLimits& limits) {
  if (factors_ == Factors::stale && !space_.shared()) {
    incomplete_.take(*rows_);
    factors_ = Factors::ready;
  }
  int spent = 0;
  if (factors_ == Factors::ready) {
    KrylovResult found = gmres(*rows_, incomplete_, b, x, limits, work_);
    if (found.end == KrylovResult::End::converged) return found;
    factors_ = Factors::useless;
    spent = found.iterations;
  }
  DiagonalPreconditioner D(*rows_);
  KrylovResult found = gmres(*rows_, D, b, x, limits, work_);
  found.iterations += spent;
  return found;
}

}  // namespace limber
