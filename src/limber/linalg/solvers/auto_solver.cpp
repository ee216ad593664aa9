#include "limber/linalg/solvers/auto_solver.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "limber/linalg/cost_model.hpp"
#include "limber/linalg/solvers/gathered_factor.hpp"

namespace limber {
namespace {

using End = KrylovResult::End;
using Status = SolveReport::Status;

constexpr double unproven_life = 6;   // solves that a first factor is expected to serve
constexpr double unproven_steps = 4;  // iterations of each
// What was given up is tried again from time to time: the matrices may have become easier for it.
constexpr double forgetting = .99;            // a diagonal solve, of the cost of factors
constexpr double forgetting_diagonal = .97;   // a new factor, of the cost of the diagonal
constexpr double forgetting_multigrid = .99;  // a solve by multigrid, of the same
constexpr int iterations_before_analysis = 48;
// Entries in single precision do for a coarse answer, and pay where A does not fit into a cache and is read often.
constexpr double rounded_tolerance = 1e-6;
constexpr double rounded_entries = 200000;
constexpr double rounded_iterations = 8;
// Multigrid, in units of an iteration with the diagonal, and from how many unknowns on: it takes the place of factors.
constexpr double multigrid_iteration = 4, multigrid_values = 60, multigrid_levels = 150;
constexpr Index multigrid_unknowns = 20000;
constexpr Index analysed_unknowns = 150000;  // above, factors are not even thought of
constexpr double multigrid_failure = 8;      // iterations per factor e of the residual: a factor serves better
constexpr Index always_factored = 500;       // unknowns: a factor costs next to nothing, and solves to rounding

/// Not when as much is spent as the other approach would have cost, or half of it without a prospect: early residuals
/// of conjugate gradients say little of what is to come, and a wrong turn should never cost more than twice the right
/// one.
bool worth_going_on(double spent, double left, double other) {
  return spent < .5 * other || (spent < other && left < 2 * other);
}

class FactorPreconditioner final : public Preconditioner {
 public:
  FactorPreconditioner(Factor& factor, const Space& space) : factor_(factor), space_(space) {}
  double apply(const Vector& r, Vector& z) override {
    factor_.solve(r, z);
    return space_.dot(r, z);
  }

 private:
  Factor& factor_;
  const Space& space_;
};

}  // namespace

void AutoSolver::set_matrix(const SparseMatrix& A) {
  assert(A.rows() == A.cols());
  A_ = &compressed(A, copy_);
  if (!space_.all(pattern_.take(*A_) == PatternChange::same)) {
    rows_ = make_row_matrix(*A_, symmetry_, space_);
    factor_.reset();
    weighed_ = false;
    forget();
    shape_ = {space_.global_size(A_->cols()), space_.sum(static_cast<double>(A_->nonZeros()))};
    // Processes share the work of an iteration.
    stored_ = space_.sum(static_cast<double>(rows_->entries()));
    iteration_ = (cost::per_entry * stored_ + cost::per_unknown * static_cast<double>(shape_.unknowns)) /
                 space_.processes().size();
    ++counts_.analyses;
  }
  rows_->refresh(*A_);
  inverted_.reset();
  exact_ = false;
}

void AutoSolver::reset() {
  forget();
  costs_of_ = {};
  weighed_ = false;
}

void AutoSolver::forget() {
  past_ = {};
  stiff_.reset();
  multigrid_.forget();
  has_factor_ = exact_ = false;
}

bool AutoSolver::takes_multigrid() const {
  return symmetry_ == Symmetry::symmetric && rows_->block_size() == 3 && shape_.unknowns >= multigrid_unknowns &&
         past_.multigrid_rate < multigrid_failure;
}

double AutoSolver::multigrid_cost(double decades) const {
  const double made = !multigrid_.has_levels() ? multigrid_levels : multigrid_.stale() ? multigrid_values : 0;
  return (past_.multigrid_rate * decades * multigrid_iteration + made) * iteration_;
}

/// A few entries more or less (contacts that come and go) are not worth an analysis.
void AutoSolver::need_factor_costs() {
  if (shape_.unknowns != costs_of_.unknowns || std::abs(shape_.entries - costs_of_.entries) > .1 * costs_of_.entries)
    need_factor();
}

void AutoSolver::need_factor() {
  if (weighed_) return;
  if (!factor_) {
    factor_ = make_gathered_factor(*A_, symmetry_, space_,
                                   [this](const SparseMatrix& A) { return make_best_factor(A, symmetry_); });
    factor_->analyze(*A_);
  }
  weighed_ = true;
  costs_of_ = shape_;
  const FactorCost counted = factor_->cost();
  factorization_ = cost::per_flop * counted.flops + cost::per_factor_entry * counted.entries +
                   cost::per_factor_unknown * static_cast<double>(shape_.unknowns);
  factor_iteration_ = cost::per_solve_entry * counted.entries + iteration_;
}

double AutoSolver::mean_cost_of_factor() const {
  if (past_.mean_with_factor >= 0) return past_.mean_with_factor;
  return std::min(factorization_ / unproven_life + unproven_steps * factor_iteration_,
                  factorization_ + factor_iteration_);
}

AutoSolver::Approach AutoSolver::choose(double decades) {
  if (has_factor_ && exact_) return Approach::kept_factor;
  if (shape_.unknowns <= always_factored) return Approach::new_factor;
  if (past_.diagonal_rate < 0) return Approach::diagonal;
  const double diagonal = past_.diagonal_rate * decades * iteration_;
  if (takes_multigrid()) {
    // Levels serve many solves: what making them costs is left out.
    const double multigrid = past_.multigrid_rate * decades * multigrid_iteration * iteration_;
    if (diagonal <= multigrid) return Approach::diagonal;
    // A factor on several processes is not divided among them.
    if (space_.shared() || shape_.unknowns > analysed_unknowns) return Approach::multigrid;
    need_factor_costs();
    if (multigrid <= mean_cost_of_factor()) return Approach::multigrid;
  }
  if (!weighed_ && past_.diagonal_rate * decades <= iterations_before_analysis) return Approach::diagonal;
  need_factor_costs();
  if (has_factor_) {
    const double kept = std::max(1., (past_.kept_rate + past_.kept_growth) * decades) * factor_iteration_;
    const double mean = past_.spent / past_.solves;
    if (kept <= mean) return kept <= diagonal ? Approach::kept_factor : Approach::diagonal;
    return mean <= diagonal ? Approach::new_factor : Approach::diagonal;
  }
  return mean_cost_of_factor() <= diagonal ? Approach::new_factor : Approach::diagonal;
}

SolveReport AutoSolver::solve(const Vector& b, Vector& x, double tolerance) {
  assert(A_ != nullptr && b.size() == A_->cols());
  ++counts_.solves;
  tolerance = std::clamp(tolerance, 1e-14, .5);
  const double decades = -std::log(tolerance);
  const auto factor_approach = [&] {
    return has_factor_ && past_.kept_rate * decades * factor_iteration_ <= past_.spent / past_.solves
               ? Approach::kept_factor
               : Approach::new_factor;
  };
  Approach approach = choose(decades);
  int before = 0;
  if (approach == Approach::diagonal) {
    const KrylovResult found = try_diagonal(b, x, tolerance, decades);
    if (found.end != End::stopped) return report(found, 0);
    before = found.iterations;
    approach = choose(decades);
    if (approach == Approach::diagonal) approach = factor_approach();
  }
  if (approach == Approach::multigrid) {
    const KrylovResult found = try_multigrid(b, x, tolerance, decades);
    if (found.end != End::stopped) return report(found, before);
    before += found.iterations;
    approach = factor_approach();
  }
  if (approach == Approach::kept_factor) {
    const KrylovResult found = try_kept_factor(b, x, tolerance, decades);
    if (found.end != End::stopped) return report(found, before);
    before += found.iterations;
  }
  return solve_new_factor(b, x, tolerance, before);
}

KrylovResult AutoSolver::iterate(Preconditioner& M, const Vector& b, Vector& x, const KrylovLimits& limits) {
  const KrylovResult found =
      symmetry_ == Symmetry::symmetric ? pcg(*rows_, M, b, x, limits, work_) : gmres(*rows_, M, b, x, limits, work_);
  counts_.iterations += found.iterations;
  return found;
}

SolveReport::Status AutoSolver::need_diagonal(RowMatrix::Inverse inverse) {
  if (inverted_ == inverse) return diagonal_;
  const Status found = rows_->invert_diagonal(inverse);
  if (!inverted_) {
    diagonal_ = found;
    rounding_ = 0;
    if (symmetry_ == Symmetry::symmetric && diagonal_ == Status::ok) diagonal_ = stiff_.set(*A_, rows_->block_size());
  }
  inverted_ = inverse;
  return diagonal_;
}

KrylovResult AutoSolver::try_diagonal(const Vector& b, Vector& x, double tolerance, double decades) {
  if (need_diagonal(RowMatrix::Inverse::kept) == Status::indefinite) {
    x.setZero(b.size());
    return {End::indefinite, 0, 1, 0};
  }
  StiffBlockPreconditioner D(*rows_, stiff_);
  KrylovLimits limits{tolerance, 20000};
  if (symmetry_ == Symmetry::symmetric && tolerance >= rounded_tolerance && stored_ >= rounded_entries &&
      past_.diagonal_rate * decades >= rounded_iterations) {
    if (rounding_ == 0) rounding_ = rows_->round(RowMatrix::Rounded::kept);
    limits.rounding = rounding_;
  }
  limits.go_on = [&](int done, double predicted) {
    if (done % 8 != 0) return true;
    if (takes_multigrid())
      return worth_going_on(done * iteration_, (predicted - done) * iteration_, .5 * multigrid_cost(decades));
    if (!weighed_ && done < iterations_before_analysis && predicted < 8 * done) return true;
    need_factor_costs();
    return worth_going_on(done * iteration_, (predicted - done) * iteration_, factorization_ + factor_iteration_);
  };
  const KrylovResult found = iterate(D, b, x, limits);
  past_.mean_with_factor *= forgetting;
  if (found.end != End::indefinite)
    past_.diagonal_rate = std::min(found.predicted, 20. * std::max(found.iterations, 1000)) / decades;
  return found;
}

KrylovResult AutoSolver::try_multigrid(const Vector& b, Vector& x, double tolerance, double decades) {
  if (need_diagonal(RowMatrix::Inverse::dropped) == Status::indefinite) {
    x.setZero(b.size());
    return {End::indefinite, 0, 1, 0};
  }
  rounding_ = rows_->round(RowMatrix::Rounded::dropped);
  const int most = static_cast<int>(std::ceil(multigrid_failure * decades)) + 10;
  const KrylovResult found = multigrid_.solve(*rows_, stiff_, b, x, {tolerance, most}, work_, counts_);
  if (found.end != End::indefinite && multigrid_.rate() > 0) past_.multigrid_rate = multigrid_.rate();
  if (found.end == End::stopped) past_.multigrid_rate = std::max(past_.multigrid_rate, multigrid_failure);
  past_.diagonal_rate *= forgetting_multigrid;
  return found;
}

KrylovResult AutoSolver::try_kept_factor(const Vector& b, Vector& x, double tolerance, double decades) {
  FactorPreconditioner P(*factor_, space_);
  KrylovLimits limits{tolerance, exact_ ? 30 : 500};
  if (!exact_)
    limits.go_on = [&](int done, double predicted) {
      return worth_going_on(done * factor_iteration_, (predicted - done) * factor_iteration_,
                            factorization_ + factor_iteration_);
    };
  const KrylovResult found = iterate(P, b, x, limits);
  past_.spent += found.iterations * factor_iteration_;
  ++past_.solves;
  const double rate = found.predicted / decades;
  past_.kept_growth = past_.solves < 3 ? 0 : std::max(0., rate - past_.kept_rate);  // the first solve is exact
  past_.kept_rate = rate;
  return found;
}

SolveReport AutoSolver::solve_new_factor(const Vector& b, Vector& x, double tolerance, int before) {
  need_factor();
  if (has_factor_ && !exact_) past_.mean_with_factor = past_.spent / past_.solves;
  past_.diagonal_rate *= forgetting_diagonal;
  if (!(has_factor_ && exact_)) {
    has_factor_ = exact_ = false;
    ++counts_.factorizations;
    const Status made = factor_->factorize(*A_);
    if (made != Status::ok) {
      x.setZero(b.size());
      return {made, before, 1};
    }
    has_factor_ = exact_ = true;
    past_.spent = factorization_;
    past_.solves = 0;
    past_.kept_rate = -1;
  }
  const KrylovResult found = try_kept_factor(b, x, tolerance, -std::log(tolerance));
  // An exact factor that does not solve within a few iterations is that of a numerically singular matrix.
  if (found.end == End::stopped) return {Status::singular, before + found.iterations, found.residual};
  return report(found, before);
}

SolveReport AutoSolver::report(const KrylovResult& found, int before) {
  const int its = exact_ && has_factor_ && found.iterations == 1 ? before : before + found.iterations;
  return {found.end == End::converged ? Status::ok : Status::indefinite, its, found.residual};
}

}  // namespace limber
