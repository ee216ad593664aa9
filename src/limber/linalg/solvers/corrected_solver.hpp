#pragma once
/// (A − U C Uᵀ + N) x = b with a symmetric sparse A, a low-rank change and a sparse N that may be unsymmetric, by
/// flexible GMRES around solves with A. The number of iterations hardly exceeds the rank of the changes and is far
/// smaller if they are weak.

#include "limber/linalg/solvers/linear_solver.hpp"

namespace limber {

struct Correction {
  Matrix U;        // #n × r
  Matrix C;        // #r × r
  SparseMatrix N;  // #n × n, all entries; size 0: none

  bool any() const { return U.cols() > 0 || N.nonZeros() > 0; }
};

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
