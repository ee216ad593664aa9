#include "limber/model/mass_matrix.hpp"

#include <algorithm>

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

MassMatrix::MassMatrix(const SparseMatrix& M, Symmetry symmetry, const Space& space) : MassMatrix(M, symmetry) {
  space_ = space;
  if (!space_.all(diagonal_.size() > 0)) diagonal_.resize(0);
  if (diagonal_.size() > 0) space_.add_up(diagonal_);
}

SparseMatrix diagonal_matrix(const Vector& diagonal) {
  SparseMatrix M(diagonal.size(), diagonal.size());
  M.resizeNonZeros(diagonal.size());
  for (Index j = 0; j <= diagonal.size(); ++j) M.outerIndexPtr()[j] = static_cast<int>(j);
  for (Index j = 0; j < diagonal.size(); ++j) M.innerIndexPtr()[j] = static_cast<int>(j);
  std::copy(diagonal.begin(), diagonal.end(), M.valuePtr());
  return M;
}

Vector MassMatrix::apply(const Vector& x) const {
  if (diagonal_.size() > 0) return diagonal_.cwiseProduct(x);
  Vector y = symmetry_ == Symmetry::symmetric ? symmetric_product(M_, x) : Vector(M_ * x);
  space_.add_up(y);
  return y;
}

Vector MassMatrix::solve(const Vector& f) const {
  if (diagonal_.size() > 0) return f.cwiseQuotient(diagonal_);
  const auto solver = solvers_.borrow([&] {
    auto made = std::make_unique<Solver>(Solver{M_, space_, nullptr});
    made->solve_with = make_linear_solver(solver_name_, symmetry_, {.space = &made->space});
    made->solve_with->set_matrix(made->matrix);
    return made;
  });
  Vector x;
  if (solver->solve_with->solve(f, x, tolerance_).status != SolveReport::Status::ok)
    throw StepFailure(space_.all_finite(f) ? "the mass matrix could not be solved with" : "the force is not finite");
  return x;
}

}  // namespace limber
