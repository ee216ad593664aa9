#include "limber/linalg/solvers/auto_solver.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "limber/linalg/cost_model.hpp"

namespace limber {
namespace {

using End = KrylovResult::End;
using Status = SolveReport::Status;

// What was given up is tried again from time to time: the matrices may have become easier for it.
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
constexpr double most_directions = 20;       // of GMRES with the diagonal
constexpr Index always_factored = 500;       // unknowns: a factor costs next to nothing, and solves to rounding

/// Not when as much is spent as the other approach would have cost, or half of it without a prospect: early residuals
/// of conjugate gradients say little of what is to come, and a wrong turn should never cost more than twice the right
/// one.
bool worth_going_on(double spent, double left, double other) {
  return spent < .5 * other || (spent < other && left < 2 * other);
}

int rank(const Correction* beside) { return beside ? static_cast<int>(beside->U.cols()) : 0; }

}  // namespace

void AutoSolver::set_matrix(const SparseMatrix& given) {
  assert(given.rows() == given.cols());
  if (matrix_.set(given) == PatternChange::changed) {
    const SparseMatrix& A = matrix_.sparse();
    // Couplings that come and go with contact hardly change how well the diagonal does. Levels are made anew.
    const bool same_nodes = space_.global_size(A.cols()) == shape_.unknowns;
    rates_ = {.diagonal = same_nodes ? rates_.diagonal : -1};
    diagonal_.stiff.reset();
    multigrid_.forget();
    factor_.pattern_changed();
    shape_ = {.unknowns = space_.global_size(A.cols()),
              .entries = space_.sum(static_cast<double>(A.nonZeros())),
              .stored = space_.sum(static_cast<double>(matrix_.rows().entries()))};
    // Processes share the work of an iteration.
    shape_.iteration = (cost::per_entry * shape_.stored + cost::per_unknown * static_cast<double>(shape_.unknowns)) /
                       space_.processes().size();
    ++counts_.analyses;
  }
  multigrid_.matrix_changed();
  factor_.matrix_changed();
  diagonal_.inverted.reset();
}

void AutoSolver::reset() {
  rates_ = {};
  diagonal_.stiff.reset();
  multigrid_.forget();
  factor_.reset();
}

bool AutoSolver::takes_multigrid() const {
  return symmetric() && matrix_.rows().block_size() == 3 && shape_.unknowns >= multigrid_unknowns &&
         rates_.multigrid < multigrid_failure;
}

double AutoSolver::multigrid_cost(double decades) const {
  const double made = !multigrid_.has_levels() ? multigrid_levels : multigrid_.stale() ? multigrid_values : 0;
  return (rates_.multigrid * decades * multigrid_iteration + made) * shape_.iteration;
}

AutoSolver::Approach AutoSolver::choose(double decades) {
  if (factor_.exact()) return Approach::kept_factor;
  if (shape_.unknowns <= always_factored) return Approach::new_factor;
  if (rates_.diagonal < 0) return Approach::diagonal;
  const double diagonal = rates_.diagonal * decades * shape_.iteration;
  if (takes_multigrid()) {
    // Levels serve many solves: what making them costs is left out.
    const double multigrid = rates_.multigrid * decades * multigrid_iteration * shape_.iteration;
    if (diagonal <= multigrid) return Approach::diagonal;
    // A factor on several processes is not divided among them.
    if (space_.shared() || shape_.unknowns > analysed_unknowns) return Approach::multigrid;
    factor_.estimate(matrix_.sparse(), shape_);
    if (multigrid <= factor_.usual_cost()) return Approach::multigrid;
  }
  if (!factor_.weighed() && rates_.diagonal * decades <= iterations_before_analysis) return Approach::diagonal;
  factor_.estimate(matrix_.sparse(), shape_);
  if (factor_.any()) {
    const double kept = factor_.cost_of_next(decades), mean = factor_.mean_cost();
    if (kept <= mean) return kept <= diagonal ? Approach::kept_factor : Approach::diagonal;
    return mean <= diagonal ? Approach::new_factor : Approach::diagonal;
  }
  return factor_.usual_cost() <= diagonal ? Approach::new_factor : Approach::diagonal;
}

/// GMRES keeps all directions and makes each one orthogonal to those before it. Where the diagonal needs many, solves
/// with A by conjugate gradients within a few iterations of GMRES cost less.
std::optional<SolveReport> AutoSolver::solve_sum(const Correction& beside, const Vector& b, Vector& x,
                                                 double tolerance) {
  const Request request{b, std::clamp(tolerance, 1e-14, .5), &beside};
  const double directions = rates_.diagonal < 0 ? most_directions : rates_.diagonal * request.decades();
  if (choose(request.decades()) == Approach::diagonal && directions >= most_directions) return std::nullopt;
  return solve_request(request, x);
}

SolveReport AutoSolver::solve_request(Request request, Vector& x) {
  assert(matrix_.any() && request.b.size() == matrix_.sparse().cols());
  ++counts_.solves;
  request.tolerance = std::clamp(request.tolerance, 1e-14, .5);
  const double decades = request.decades();
  const auto factor_approach = [&] { return factor_.serves(decades) ? Approach::kept_factor : Approach::new_factor; };
  Approach approach = choose(decades);
  int before = 0;
  if (approach == Approach::diagonal) {
    const KrylovResult found = try_diagonal(request, x);
    if (found.end != End::stopped) return report(found, 0);
    before = found.iterations;
    approach = choose(decades);
    if (approach == Approach::diagonal) approach = factor_approach();
  }
  if (approach == Approach::multigrid) {
    const KrylovResult found = try_multigrid(request, x);
    if (found.end != End::stopped) return report(found, before);
    before += found.iterations;
    approach = factor_approach();
  }
  if (approach == Approach::kept_factor) {
    const KrylovResult found = try_kept_factor(request, x);
    if (found.end != End::stopped) return report(found, before);
    before += found.iterations;
  }
  return solve_new_factor(request, x, before);
}

KrylovResult AutoSolver::iterate(Preconditioner& M, const Request& request, Vector& x, const KrylovLimits& limits) {
  const RowMatrix& A = matrix_.rows();
  const Vector& b = request.b;
  const KrylovResult found = request.beside ? gmres(CorrectedMap(A, *request.beside), M, b, x, limits, work_)
                             : symmetric()  ? pcg(A, M, b, x, limits, work_)
                                            : gmres(A, M, b, x, limits, work_);
  counts_.iterations += found.iterations;
  return found;
}

SolveReport::Status AutoSolver::need_diagonal(RowMatrix::Inverse inverse) {
  Diagonal& d = diagonal_;
  if (d.inverted == inverse) return d.status;
  const Status found = matrix_.rows().invert_diagonal(inverse);
  if (!d.inverted) {
    d.status = found;
    d.rounding = 0;
    if (symmetric() && d.status == Status::ok) d.status = d.stiff.set(matrix_.sparse(), matrix_.rows().block_size());
  }
  d.inverted = inverse;
  return d.status;
}

KrylovResult AutoSolver::try_diagonal(const Request& request, Vector& x) {
  const double tolerance = request.tolerance, decades = request.decades(), iteration = shape_.iteration;
  if (need_diagonal(RowMatrix::Inverse::kept) == Status::indefinite) {
    x.setZero(request.b.size());
    return {End::indefinite, 0, 1, 0};
  }
  StiffBlockPreconditioner D(matrix_.rows(), diagonal_.stiff);
  KrylovLimits limits{tolerance, 20000};
  if (symmetric() && tolerance >= rounded_tolerance && shape_.stored >= rounded_entries &&
      rates_.diagonal * decades >= rounded_iterations) {
    if (diagonal_.rounding == 0) diagonal_.rounding = matrix_.rows().round(RowMatrix::Rounded::kept);
    limits.rounding = diagonal_.rounding;
  }
  limits.go_on = [&](int done, double predicted) {
    if (done % 8 != 0) return true;
    const double spent = done * iteration, left = (predicted - done) * iteration;
    if (takes_multigrid()) return worth_going_on(spent, left, .5 * multigrid_cost(decades));
    if (!factor_.weighed() && done < iterations_before_analysis && predicted < 8 * done) return true;
    factor_.estimate(matrix_.sparse(), shape_);
    return worth_going_on(spent, left, factor_.cost_anew());
  };
  const KrylovResult found = iterate(D, request, x, limits);
  factor_.note_other();
  if (found.end != End::indefinite)
    rates_.diagonal = std::min(found.predicted, 20. * std::max(found.iterations, 1000)) / decades;
  return found;
}

KrylovResult AutoSolver::try_multigrid(const Request& request, Vector& x) {
  if (need_diagonal(RowMatrix::Inverse::dropped) == Status::indefinite) {
    x.setZero(request.b.size());
    return {End::indefinite, 0, 1, 0};
  }
  diagonal_.rounding = matrix_.rows().round(RowMatrix::Rounded::dropped);
  const int most = static_cast<int>(std::ceil(multigrid_failure * request.decades())) + 10 + rank(request.beside);
  const KrylovResult found = multigrid_.solve(matrix_.rows(), diagonal_.stiff, request.b, x, {request.tolerance, most},
                                              work_, counts_, request.beside);
  if (found.end != End::indefinite && multigrid_.rate() > 0) rates_.multigrid = multigrid_.rate();
  if (found.end == End::stopped) rates_.multigrid = std::max(rates_.multigrid, multigrid_failure);
  rates_.diagonal *= forgetting_multigrid;
  return found;
}

KrylovResult AutoSolver::try_kept_factor(const Request& request, Vector& x) {
  const auto P = factor_.preconditioner();
  // With an exact factor it takes about as many iterations as what lies beside A has dimensions, fewer where it is
  // weak.
  KrylovLimits limits{request.tolerance, factor_.exact() && !request.beside ? 30 : 500 + rank(request.beside)};
  if (!factor_.exact())
    limits.go_on = [&](int done, double predicted) {
      return worth_going_on(done * factor_.iteration(), (predicted - done) * factor_.iteration(), factor_.cost_anew());
    };
  const KrylovResult found = iterate(*P, request, x, limits);
  factor_.note(found, request.decades());
  return found;
}

SolveReport AutoSolver::solve_new_factor(const Request& request, Vector& x, int before) {
  rates_.diagonal *= forgetting_diagonal;
  const Status made = factor_.make(matrix_.sparse(), shape_, counts_.factorizations);
  if (made != Status::ok) {
    x.setZero(request.b.size());
    return {made, before, 1};
  }
  const KrylovResult found = try_kept_factor(request, x);
  // An exact factor that does not solve within a few iterations is that of a numerically singular matrix.
  if (found.end == End::stopped) return {Status::singular, before + found.iterations, found.residual};
  return report(found, before);
}

SolveReport AutoSolver::report(const KrylovResult& found, int before) {
  const int its = factor_.exact() && found.iterations == 1 ? before : before + found.iterations;
  return {found.end == End::converged ? Status::ok : Status::indefinite, its, found.residual};
}

}  // namespace limber
