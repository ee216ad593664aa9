#include "limber/linalg/solvers/multigrid_solver.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

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
  followed_ = true;
  first_rate_ = last_rate_ = 0;
  ++counts.factorizations;
  const Status status = anew ? multigrid_.set_up(A, nodes_) : multigrid_.refresh(A);
  if (status == Status::ok) levels_ = Levels::kept;
  return status;
}

KrylovResult KeptMultigrid::solve(const RowMatrix& A, StiffBlock& stiff, const Vector& b, Vector& x,
                                  const KrylovLimits& limits, KrylovWork& work, SolverCounts& counts,
                                  const Correction* beside) {
  using End = KrylovResult::End;
  const double decades = -std::log(limits.tolerance);
  MultigridAndStiff M(multigrid_, stiff);
  const auto iterate = [&](const KrylovLimits& within) {
    const KrylovResult found =
        beside ? gmres(CorrectedMap(A, *beside), M, b, x, within, work) : pcg(A, M, b, x, within, work);
    counts.iterations += found.iterations;
    const bool tells = decades >= telling || found.iterations >= many;
    if (tells) last_rate_ = found.predicted / decades;
    if (first_rate_ == 0) first_rate_ = tells ? last_rate_ : usual;
    return found;
  };
  int before = 0;
  if (levels_ == Levels::kept && !stale() && (std::exchange(followed_, true) || multigrid_.follow(A) == Status::ok)) {
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

void MultigridSolver::set_matrix(const SparseMatrix& A) {
  assert(A.rows() == A.cols());
  if (matrix_.set(A) == PatternChange::changed) {
    multigrid_.forget();
    ++counts_.analyses;
  }
  multigrid_.matrix_changed();
  RowMatrix& rows = matrix_.rows();
  whole_blocks_ = rows.block_size() == 3;
  using Inverse = RowMatrix::Inverse;
  status_ = rows.invert_diagonal(whole_blocks_ ? Inverse::dropped : Inverse::kept);
  if (whole_blocks_ && status_ == Status::ok) status_ = stiff_.set(matrix_.sparse(), 3);
}

void MultigridSolver::reset() {
  multigrid_.forget();
  stiff_.reset();
}

SolveReport MultigridSolver::solve_request(const Vector& b, Vector& x, double tolerance, const Correction* beside) {
  assert(matrix_.any() && b.size() == matrix_.rows().size());
  ++counts_.solves;
  x.setZero(b.size());
  if (status_ != Status::ok) return {status_, 0, 1};
  const KrylovLimits limits{std::clamp(tolerance, 1e-14, .5),
                            static_cast<int>(std::clamp<Index>(3 * space_.global_size(b.size()), 500, 20000))};
  KrylovResult found;
  if (whole_blocks_) {
    found = multigrid_.solve(matrix_.rows(), stiff_, b, x, limits, work_, counts_, beside);
  } else {
    DiagonalPreconditioner D(matrix_.rows());
    found = beside ? gmres(CorrectedMap(matrix_.rows(), *beside), D, b, x, limits, work_)
                   : pcg(matrix_.rows(), D, b, x, limits, work_);
    counts_.iterations += found.iterations;
  }
  return found.report();
}

}  // namespace limber
