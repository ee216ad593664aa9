#pragma once
/// (A − U C Uᵀ + N) x = b with a symmetric sparse A, a low-rank change and a sparse N that may be unsymmetric. Solvers
/// that iterate take the sum as it is (`LinearSolver::solve_sum`). Around the others, flexible GMRES solves with A; the
/// number of iterations hardly exceeds the rank of the changes and is far smaller if they are weak.

#include "limber/linalg/solvers/linear_solver.hpp"

namespace limber {

class CorrectedSolver final : public LinearSolver {
 public:
  /// Solves through `base` with the value of `correction` at the time of the solve. On several processes U is the same
  /// on all, and N is that of a process's own elements.
  CorrectedSolver(LinearSolver& base, const Correction& correction, const Space& space = serial_space())
      : base_(base), correction_(correction), space_(space) {}

  void set_matrix(const SparseMatrix& A) override { base_.set_matrix(A); }
  SolveReport solve(const Vector& b, Vector& x, double tolerance) override;
  void multiply(const Vector& x, Vector& y) const override;
  void reset() override {}
  SolverCounts counts() const override { return base_.counts(); }

 private:
  LinearSolver& base_;
  const Correction& correction_;
  const Space& space_;
};

}  // namespace limber
