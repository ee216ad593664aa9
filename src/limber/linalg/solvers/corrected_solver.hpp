#pragma once
/// (A − U C Uᵀ + N) x = b with a symmetric sparse A, a change of low rank and a sparse N that need not be symmetric: by
/// flexible GMRES around solves with A. It needs hardly more iterations than the rank of the changes, and far fewer
/// where they are weak.

#include "limber/linalg/solvers/linear_solver.hpp"

namespace limber {

struct Correction {
  Matrix U;        // #n × r
  Matrix C;        // #r × r
  SparseMatrix N;  // #n × n, all entries; of size 0: none

  bool any() const { return U.cols() > 0 || N.nonZeros() > 0; }
};

class CorrectedSolver final : public LinearSolver {
 public:
  /// Solves through `base`, with what `correction` holds at the time of the solve. U is the same on all processes that
  /// share the space, N that of a process's own elements.
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
