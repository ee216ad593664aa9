#pragma once  // internal
/// Pᵀ A x = Pᵀ b with P x = x: the stage matrix on the complement of the modes, by solves with A itself.
///
/// If A consists of M and K (or Rayleigh damping) and the modes are exact, x = P A⁻¹Pᵀ b: project, solve once, project.
/// Otherwise this is an excellent preconditioner for a few conjugate-gradient iterations in operator form. If A is not
/// positive definite, the bordered form of Sherman, Morrison and Woodbury is exact:
///
///     x = A⁻¹b − W (XᵀM W)⁻¹ XᵀM A⁻¹b,   W = A⁻¹M X.

#include "limber/linalg/solvers/linear_solver.hpp"
#include "limber/time/modal/basis.hpp"

namespace limber {

/// Treatment of indefinite symmetric matrices: report (Newton then projects the tangent), or solve by LU.
enum class Indefinite { report, solve };

class ComplementSolver final : public LinearSolver {
 public:
  /// Solves through `base`; without modes (null) that is all. `defect`: the relative residual left by projection alone
  /// in the last solve, 0 at first. It limits the accuracy asked of the first solve with A.
  ComplementSolver(LinearSolver& base, const ModalBasis* modes, Symmetry symmetry, Indefinite policy, double& defect,
                   UnknownNodes nodes = {})
      : base_(base), modes_(modes), symmetry_(symmetry), nodes_(nodes), policy_(policy), defect_(defect) {}

  void set_matrix(const SparseMatrix& A) override;
  SolveReport solve(const Vector& b, Vector& x, double tolerance) override;
  std::optional<SolveReport> solve_sum(const Correction& beside, const Vector& b, Vector& x,
                                       double tolerance) override {
    if (modes_ && modes_->count() > 0) return std::nullopt;
    return base_.solve_sum(beside, b, x, tolerance);
  }
  /// PᵀA x.
  void multiply(const Vector& x, Vector& y) const override {
    base_.multiply(x, y);
    if (modes_ && modes_->count() > 0) y = modes_->complement_of_force(y);
  }
  void reset() override {}
  SolverCounts counts() const override { return base_.counts(); }

 private:
  SolveReport iterate(const Vector& b, Vector& x, double tolerance);
  SolveReport bordered(LinearSolver& solver, const Vector& b, Vector& x, double tolerance);
  SolveReport solve_by_lu(const Vector& b, Vector& x, double tolerance);

  LinearSolver& base_;
  const ModalBasis* modes_;
  Symmetry symmetry_;
  UnknownNodes nodes_;
  Indefinite policy_;
  double& defect_;
  const SparseMatrix* A_ = nullptr;
};

}  // namespace limber
