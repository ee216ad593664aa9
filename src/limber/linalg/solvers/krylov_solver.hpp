#pragma once  // internal
/// x = A⁻¹b by conjugate gradients or GMRES, preconditioned with the inverse of the 3×3 (or 1×1) diagonal blocks.

#include "limber/linalg/pattern.hpp"
#include "limber/linalg/solvers/krylov.hpp"
#include "limber/linalg/solvers/linear_solver.hpp"

namespace limber {

class KrylovSolver final : public LinearSolver {
 public:
  enum class Method { pcg, gmres };
  KrylovSolver(Method method, Symmetry symmetry, const Space& space)
      : method_(method), symmetry_(symmetry), space_(space) {}

  void set_matrix(const SparseMatrix& A) override;
  SolveReport solve(const Vector& b, Vector& x, double tolerance) override;
  void multiply(const Vector& x, Vector& y) const override {
    y.resize(x.size());
    rows_->multiply(x.data(), y.data());
  }
  void reset() override {}
  SolverCounts counts() const override { return counts_; }

 private:
  Method method_;
  Symmetry symmetry_;
  Space space_;
  SparseMatrix copy_;
  Pattern pattern_;
  std::unique_ptr<RowMatrix> rows_;
  SolveReport::Status diagonal_ = SolveReport::Status::ok;
  KrylovWork work_;
  SolverCounts counts_;
};

}  // namespace limber
