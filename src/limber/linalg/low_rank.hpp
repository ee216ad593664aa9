#pragma once
/// A − U C Uᵀ with a sparse A: solved by flexible GMRES around solves with A, which needs hardly more iterations than
/// the rank of the change.

#include "limber/linalg/linear_solver.hpp"

namespace limber {

struct LowRank {
  Matrix U;  // #n × r
  Matrix C;  // #r × r
  Index rank() const { return U.cols(); }
};

class LowRankSolver final : public LinearSolver {
 public:
  /// Solves through `base`, less what `change` holds at the time of the solve; null or of rank 0: `base` alone.
  void use(LinearSolver& base, const LowRank* change) {
    base_ = &base;
    change_ = change;
  }

  void set_matrix(const SparseMatrix& A) override { base_->set_matrix(A); }
  SolveReport solve(const Vector& b, Vector& x, double tolerance) override;
  void multiply(const Vector& x, Vector& y) const override;
  void reset() override {}
  SolverCounts counts() const override { return base_->counts(); }

 private:
  LinearSolver* base_ = nullptr;
  const LowRank* change_ = nullptr;
};

}  // namespace limber
