#pragma once  // internal
/// x = A⁻¹b by conjugate gradients with the inverse of the 3×3 (or 1×1) diagonal blocks as preconditioner, or by GMRES
/// with incomplete factors. GMRES uses the diagonal blocks if several processes share the unknowns or the factors fail.

#include "limber/linalg/pattern.hpp"
#include "limber/linalg/solvers/incomplete_lu.hpp"
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
  KrylovResult solve_general(const Vector& b, Vector& x, const KrylovLimits& limits);

  SparseMatrix copy_;
  Pattern pattern_;
  std::unique_ptr<RowMatrix> rows_;
  SolveReport::Status diagonal_ = SolveReport::Status::ok;
  IncompleteLu incomplete_;
  enum class Factors { stale, ready, useless } factors_ = Factors::stale;
  KrylovWork work_;
  SolverCounts counts_;
};

}  // namespace limber
