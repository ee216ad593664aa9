#pragma once  // internal
/// x = A⁻¹b by one kind of factor, with at most one step of refinement. Every matrix is factorised once, in the first
/// solve.

#include "limber/linalg/pattern.hpp"
#include "limber/linalg/solvers/gathered_factor.hpp"

namespace limber {

class DirectSolver final : public LinearSolver {
 public:
  DirectSolver(MakeFactor make, Symmetry symmetry, const Space& space)
      : make_(std::move(make)), symmetry_(symmetry), space_(space) {}

  void set_matrix(const SparseMatrix& A) override;
  SolveReport solve(const Vector& b, Vector& x, double tolerance) override;
  void multiply(const Vector& x, Vector& y) const override;
  void reset() override { factorized_ = false; }
  SolverCounts counts() const override { return counts_; }

 private:
  Vector residual(const Vector& b, const Vector& x) const {
    Vector y;
    multiply(x, y);
    return b - y;
  }

  MakeFactor make_;
  std::unique_ptr<Factor> factor_;
  Symmetry symmetry_;
  Space space_;
  const SparseMatrix* A_ = nullptr;
  SparseMatrix copy_;
  Pattern pattern_;
  bool factorized_ = false;
  SolveReport::Status status_ = SolveReport::Status::ok;
  SolverCounts counts_;
};

}  // namespace limber
