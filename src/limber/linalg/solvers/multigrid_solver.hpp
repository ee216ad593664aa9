#pragma once  // internal
/// x = A⁻¹b by conjugate gradients with multigrid. Levels are retained for later matrices on the same pattern until
/// they need clearly more iterations. Nodes in contact, far stiffer than others, have a separate factor.

#include "limber/linalg/solvers/matrix_rows.hpp"
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
  /// A has other values than in the last solve.
  void matrix_changed() { followed_ = false; }
  bool has_levels() const { return levels_ != Levels::none; }
  /// Whether the next solve will refresh the values of the levels.
  bool stale() const;
  /// Iterations per factor e of the residual in the last informative solve; 0: none yet.
  double rate() const { return last_rate_; }
  /// Conjugate gradients for A, whose stiff nodes are given; GMRES where there is something beside A (null: nothing).
  KrylovResult solve(const RowMatrix& A, StiffBlock& stiff, const Vector& b, Vector& x, const KrylovLimits& limits,
                     KrylovWork& work, SolverCounts& counts, const Correction* beside = nullptr);

 private:
  SolveReport::Status prepare(const RowMatrix& A, SolverCounts& counts);

  UnknownNodes nodes_;
  Multigrid multigrid_;
  enum class Levels { none, kept } levels_ = Levels::none;
  bool followed_ = false;                  // the levels have taken what has changed in the present A, if few nodes have
  double first_rate_ = 0, last_rate_ = 0;  // with the present levels; 0: unknown
};

/// If a matrix is not made of 3×3 blocks, one per node, the diagonal is the preconditioner instead.
class MultigridSolver final : public LinearSolver {
 public:
  explicit MultigridSolver(UnknownNodes nodes)
      : space_(nodes.where()), matrix_(Symmetry::symmetric, nodes.where()), multigrid_(nodes), stiff_(nodes.where()) {}

  void set_matrix(const SparseMatrix& A) override;
  SolveReport solve(const Vector& b, Vector& x, double tolerance) override {
    return solve_request(b, x, tolerance, nullptr);
  }
  std::optional<SolveReport> solve_sum(const Correction& beside, const Vector& b, Vector& x,
                                       double tolerance) override {
    return solve_request(b, x, tolerance, &beside);
  }
  void multiply(const Vector& x, Vector& y) const override { matrix_.multiply(x, y); }
  void reset() override;
  SolverCounts counts() const override { return counts_; }

 private:
  SolveReport solve_request(const Vector& b, Vector& x, double tolerance, const Correction* beside);

  Space space_;
  MatrixRows matrix_;
  KeptMultigrid multigrid_;
  StiffBlock stiff_;
  SolveReport::Status status_ = SolveReport::Status::ok;  // of the diagonal and the stiff nodes
  bool whole_blocks_ = false;
  KrylovWork work_;
  SolverCounts counts_;
};

}  // namespace limber
