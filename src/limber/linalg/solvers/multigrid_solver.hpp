#pragma once  // internal
/// x = A⁻¹b by conjugate gradients with multigrid. Levels are retained for later matrices on the same pattern until
/// they need clearly more iterations. Nodes in contact, far stiffer than others, have a separate factor.

#include "limber/linalg/pattern.hpp"
#include "limber/linalg/solvers/multigrid.hpp"
#include "limber/linalg/solvers/stiff_block.hpp"

namespace limber {

class KeptMultigrid {
 public:
  explicit KeptMultigrid(UnknownNodes nodes) : nodes_(nodes) {}

  /// For a new pattern, or to make later results depend on the next matrix only.
  void forget() {
    levels_ = Levels::none;
    multigrid_.forget();
    last_rate_ = 0;
  }
  bool has_levels() const { return levels_ != Levels::none; }
  /// Whether the next solve will refresh the values of the levels.
  bool stale() const;
  /// Iterations per factor e of the residual in the last informative solve; 0: none yet.
  double rate() const { return last_rate_; }
  /// Conjugate gradients for A, whose stiff nodes are given.
  KrylovResult solve(const RowMatrix& A, StiffBlock& stiff, const Vector& b, Vector& x, const KrylovLimits& limits,
                     KrylovWork& work, SolverCounts& counts);

 private:
  SolveReport::Status prepare(const RowMatrix& A, SolverCounts& counts);

  UnknownNodes nodes_;
  Multigrid multigrid_;
  enum class Levels { none, kept } levels_ = Levels::none;
  double first_rate_ = 0, last_rate_ = 0;  // with the present levels; 0: unknown
};

/// If a matrix is not made of 3×3 blocks, one per node, the diagonal is the preconditioner instead.
class MultigridSolver final : public LinearSolver {
 public:
  explicit MultigridSolver(UnknownNodes nodes) : space_(nodes.where()), multigrid_(nodes), stiff_(nodes.where()) {}

  void set_matrix(const SparseMatrix& A) override;
  SolveReport solve(const Vector& b, Vector& x, double tolerance) override;
  void multiply(const Vector& x, Vector& y) const override {
    y.resize(x.size());
    rows_->multiply(x.data(), y.data());
  }
  void reset() override;
  SolverCounts counts() const override { return counts_; }

 private:
  Space space_;
  SparseMatrix copy_;
  Pattern pattern_;
  std::unique_ptr<RowMatrix> rows_;
  KeptMultigrid multigrid_;
  StiffBlock stiff_;
  SolveReport::Status status_ = SolveReport::Status::ok;  // of the diagonal and the stiff nodes
  bool whole_blocks_ = false;
  KrylovWork work_;
  SolverCounts counts_;
};

}  // namespace limber
