#include "limber/linalg/solvers/krylov_solver.hpp"

#include <algorithm>
#include <cassert>

namespace limber {

void KrylovSolver::set_matrix(const SparseMatrix& A) {
  assert(A.rows() == A.cols());
  if (matrix_.set(A) == PatternChange::changed) ++counts_.analyses;
  diagonal_ = matrix_.rows().invert_diagonal(RowMatrix::Inverse::kept);
  factors_ = Factors::stale;
}

SolveReport KrylovSolver::solve(const Vector& b, Vector& x, double tolerance) {
  assert(matrix_.any() && b.size() == matrix_.rows().size());
  ++counts_.solves;
  x.setZero(b.size());
  if (method_ == Method::pcg && diagonal_ == SolveReport::Status::indefinite) return {diagonal_, 0, 1};
  const int most = static_cast<int>(std::clamp<Index>(3 * space_.global_size(b.size()), 500, 20000));
  const KrylovLimits limits{std::max(tolerance, 1e-14), most};
  DiagonalPreconditioner D(matrix_.rows());
  const KrylovResult found =
      method_ == Method::pcg ? pcg(matrix_.rows(), D, b, x, limits, work_) : solve_general(b, x, limits);
  counts_.iterations += found.iterations;
  return found.report();
}

KrylovResult KrylovSolver::solve_general(const Vector& b, Vector& x, const KrylovLimits& limits) {
  if (factors_ == Factors::stale && !space_.shared()) {
    incomplete_.take(matrix_.rows());
    factors_ = Factors::ready;
  }
  int spent = 0;
  if (factors_ == Factors::ready) {
    KrylovResult found = gmres(matrix_.rows(), incomplete_, b, x, limits, work_);
    if (found.end == KrylovResult::End::converged) return found;
    factors_ = Factors::useless;
    spent = found.iterations;
  }
  DiagonalPreconditioner D(matrix_.rows());
  KrylovResult found = gmres(matrix_.rows(), D, b, x, limits, work_);
  found.iterations += spent;
  return found;
}

}  // namespace limber
