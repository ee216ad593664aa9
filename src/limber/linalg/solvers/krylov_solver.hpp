#pragma once  // internal
/// x = A⁻¹b by conjugate gradients with the inverse of the 3×3 (or 1×1) diagonal blocks as preconditioner, or by GMRES
/// with incomplete factors. GMRES uses the diagonal blocks if several processes share the unknowns or the factors fail.

#include "limber/linalg/solvers/incomplete_lu.hpp"
#include "limber/linalg/solvers/krylov.hpp"
#include "limber/linalg/solvers/linear_solver.hpp"
#include "limber/linalg/solvers/matrix_rows.hpp"

namespace limber {

class KrylovSolver final : public LinearSolver {
 public:
  enum class Method { pcg, gmres };
  KrylovSolver(Method method, Symmetry symmetry, const Space& space)
      : method_(method), space_(space), matrix_(symmetry, space) {}

  void set_matrix(const SparseMatrix& A) override;
  SolveReport solve(const Vector& b, Vector& x, double tolerance) override;
  void multiply(const Vector& x, Vector& y) const override { matrix_.multiply(x, y); }
  void reset() override {}
  SolverCounts counts() const override { return counts_; }

 private:
  KrylovResult solve_general(const Vector& b, Vector& x, const KrylovLimits& limits);

  Method method_;
  Space space_;
  MatrixRows matrix_;
  SolveReport::Status diagonal_ = SolveReport::Status::ok;
  IncompleteLu incomplete_;
  enum class Factors { stale, ready, useless } factors_ = Factors::stale;
  KrylovWork work_;
  SolverCounts counts_;
};

}  // namespace limber
