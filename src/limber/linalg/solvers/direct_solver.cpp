#include "limber/linalg/solvers/direct_solver.hpp"

#include <cassert>
#include <cmath>

#include "limber/linalg/symmetric_product.hpp"

namespace limber {

void DirectSolver::set_matrix(const SparseMatrix& A) {
  assert(A.rows() == A.cols());
  A_ = &compressed(A, copy_);
  factorized_ = false;
  if (space_.all(pattern_.take(*A_) == PatternChange::same)) return;
  if (!factor_) factor_ = make_gathered_factor(*A_, symmetry_, space_, make_);
  factor_->analyze(*A_);
  ++counts_.analyses;
}

void DirectSolver::multiply(const Vector& x, Vector& y) const {
  if (symmetry_ == Symmetry::symmetric)
    y = symmetric_product(*A_, x);
  else
    y.noalias() = *A_ * x;
  space_.add_up(y);
}

SolveReport DirectSolver::solve(const Vector& b, Vector& x, double tolerance) {
  assert(A_ != nullptr && b.size() == A_->cols());
  if (!factorized_) {
    status_ = factor_->factorize(*A_);
    factorized_ = true;
    ++counts_.factorizations;
  }
  ++counts_.solves;
  x.setZero(b.size());
  if (status_ != SolveReport::Status::ok) return {status_, 0, 1};
  const double scale = space_.norm(b);
  if (scale == 0) return {};
  factor_->solve(b, x);
  Vector r = residual(b, x);
  if (space_.norm(r) > tolerance * scale) {
    Vector correction(b.size());
    factor_->solve(r, correction);
    const Vector refined = x + correction;
    const Vector left = residual(b, refined);
    if (space_.norm(left) < space_.norm(r)) {
      x = refined;
      r = left;
    }
  }
  const double relative = space_.norm(r) / scale;
  // Rounding alone leaves far less: the factor is that of a matrix which is singular to working precision.
  constexpr double lost = 1e-6;
  if (!(relative <= std::max(tolerance, lost))) return {SolveReport::Status::singular, 0, relative};
  return {SolveReport::Status::ok, 0, relative};
}

}  // namespace limber
