#include "limber/linalg/solvers/multigrid_solver.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace limber {
namespace {

using Status = SolveReport::Status;

// Levels are renewed where they take so many times the iterations that they took when new.
constexpr double wear = 1.4;
// A few iterations for a coarse answer say nothing of levels.
constexpr double telling = 5;  // factors e of the residual
constexpr int many = 10;       // iterations
constexpr double usual = 1;    // iterations per factor e, where the first solve does not tell

/// The sum of both, which is positive definite as they are.
class MultigridAndStiff final : public Preconditioner {
 public:
  MultigridAndStiff(Multigrid& multigrid, StiffBlock& stiff) : multigrid_(multigrid), stiff_(stiff) {}
  double apply(const Vector& r, Vector& z) override {
    const double rz = multigrid_.apply(r, z);
    return stiff_.empty() ? rz : rz + stiff_.add(r, z);
  }

 private:
  Multigrid& multigrid_;
  StiffBlock& stiff_;
};

}  // namespace

bool KeptMultigrid::stale() const { return first_rate_ > 0 && last_rate_ > wear * first_rate_; }

SolveReport::Status KeptMultigrid::prepare(const RowMatrix& A, SolverCounts& counts) {
  const bool anew = levels_ == Levels::none;
  levels_ = Levels::none;
  first_rate_ = last_rate_ = 0;
  ++counts.factorizations;
  const Status status = anew ? multigrid_.set_up(A, nodes_) : multigrid_.refresh(A);
  if (status == Status::ok) levels_ = Levels::kept;
  return status;
}

KrylovResult KeptMultigrid::solve(const RowMatrix& A, StiffBlock& stiff, const Vector& b, Vector& x,
                                  const KrylovLimits& limits, KrylovWork& work, SolverCounts& counts) {
  using End = KrylovResult::End;
  const double decades = -std::log(limits.tolerance);
  MultigridAndStiff M(multigrid_, stiff);
  const auto iterate = [&](const KrylovLimits& within) {
    const KrylovResult found = pcg(A, M, b, x, within, work);
    counts.iterations += found.iterations;
    const bool tells = decades >= telling || found.iterations >= many;
    if (tells) last_rate_ = found.predicted / decades;
    if (first_rate_ == 0) first_rate_ = tells ? last_rate_ : usual;
    return found;
  };
  int before = 0;
  if (levels_ == Levels::kept && !stale()) {
    KrylovLimits short_limits = limits;
    if (first_rate_ > 0) short_limits.max_iterations = static_cast<int>(2 * wear * first_rate_ * decades) + 5;
    KrylovResult found = iterate(short_limits);
    if (found.end != End::stopped) return found;
    before = found.iterations;  // these levels are for another matrix
  }
  if (prepare(A, counts) != Status::ok) {
    x.setZero(b.size());
    return {End::indefinite, before, 1, 0};
  }
  KrylovResult found = iterate(limits);
  found.iterations += before;
  return found;
}

void MultigridSolver::set_matrix(const SparseMatrix& given) {
  assert(given.rows() == given.cols());
  const SparseMatrix& A = compressed(given, copy_);
  if (!space_.all(pattern_.take(A) == PatternChange::same)) {
    rows_ = make_row_matrix(A, Symmetry::symmetric, space_);
    multigrid_.forget();
    ++counts_.analyses;
  }
  rows_->refresh(A);
  whole_blocks_ = rows_->block_size() == 3;
  using Inverse = RowMatrix::Inverse;
  status_ = rows_->invert_diagonal(whole_blocks_ ? Inverse::dropped : Inverse::kept);
  if (whole_blocks_ && status_ == Status::ok) status_ = stiff_.set(A, 3);
}

void MultigridSolver::reset() {
  multigrid_.forget();
  stiff_.reset();
}

SolveReport MultigridSolver::solve(const Vector& b, Vector& x, double tolerance) {
  assert(rows_ && b.size() == rows_->size());
  ++counts_.solves;
  x.setZero(b.size());
  if (status_ != Status::ok) return {status_, 0, 1};
  const KrylovLimits limits{std::clamp(tolerance, 1e-14, .5),
                            static_cast<int>(std::clamp<Index>(3 * space_.global_size(b.size()), 500, 20000))};
  KrylovResult found;
  if (whole_blocks_) {
    found = multigrid_.solve(*rows_, stiff_, b, x, limits, work_, counts_);
  } else {
    DiagonalPreconditioner D(*rows_);
    found = pcg(*rows_, D, b, x, limits, work_);
    counts_.iterations += found.iterations;
  }
  return found.report();
}

}  // namespace limber
