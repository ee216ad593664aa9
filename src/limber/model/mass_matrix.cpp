#include "limber/model/mass_matrix.hpp"

#include "limber/core/errors.hpp"
#include "limber/linalg/symmetric_product.hpp"

namespace limber {
namespace {

bool is_diagonal(const SparseMatrix& M) {
  for (int j = 0; j < M.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(M, j); it; ++it)
      if (it.row() != j && it.value() != 0) return false;
  return true;
}

}  // namespace

MassMatrix::MassMatrix(const SparseMatrix& M, Symmetry symmetry, std::string solver, double tolerance)
    : M_(M), symmetry_(symmetry), solver_name_(std::move(solver)), tolerance_(tolerance) {
  if (M_.rows() == M_.cols() && is_diagonal(M_)) diagonal_ = M_.diagonal();
}

Vector MassMatrix::apply(const Vector& x) const {
  if (diagonal_.size() > 0) return diagonal_.cwiseProduct(x);
  if (symmetry_ == Symmetry::symmetric) return symmetric_product(M_, x);
  return M_ * x;
}

Vector MassMatrix::solve(const Vector& f) const {
  if (diagonal_.size() > 0) return f.cwiseQuotient(diagonal_);
  if (!solver_) {
    solved_ = M_;
    solver_ = make_linear_solver(solver_name_, symmetry_);
    solver_->set_matrix(solved_);
  }
  Vector x;
  if (solver_->solve(f, x, tolerance_).status != SolveReport::Status::ok)
    throw StepFailure(f.allFinite() ? "the mass matrix could not be solved with" : "the force is not finite");
  return x;
}

}  // namespace limber
