#include "limber/solve/newton.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/linalg/symmetric_product.hpp"

namespace limber {
namespace {

constexpr double armijo = 1e-4;
constexpr double underflow = 1e-180;  // squares below this are meaningless
constexpr double noisy = 1e-5;  // corrections below this share of the scale may be too small to change φ measurably
constexpr double rounding = 1e-13;  // relative size below which differences of the merit are noise
// Relative residuals of linear solves: far from the solution a descent direction suffices.
constexpr double loose = 1e-2, tight = 1e-4;
constexpr int patience = 10;   // indefinite matrices before require_minimum is called
constexpr double close = 100;  // times the tolerance: smaller corrections are solved for tightly

/// One point of the iteration: x, r(x) and the merit there.
struct Iterate {
  Vector x, r;
  double merit = 0;
};

class Iteration {
 public:
  Iteration(NewtonProblem& p, LinearSolver& l, const NewtonOptions& o, NewtonReport& rep)
      : problem_(p),
        changing_(dynamic_cast<ChangingProblem*>(&p)),
        linear_(l),
        options_(o),
        report_(rep),
        space_(p.matrix().space),
        allowed_(o.tolerance) {}

  Vector run(Vector x) {
    Iterate at{std::move(x), {}, 0};
    use_potential_ = options_.merit != Merit::residual && problem_.potential(at.x).has_value();
    if (options_.merit == Merit::potential && !use_potential_)
      throw StepFailure("the merit \"potential\" was asked for, but a force has no potential");
    if (options_.solver == NonlinearSolver::lbfgs && !use_potential_)
      throw StepFailure("L-BFGS needs forces with a potential; use Newton");
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < options_.max_iterations; ++k) {
      heed_interrupts();
      const auto [changed, complete] = prepared(at.x);
      stale_merit_ = stale_merit_ || changed;
      if (!complete) {
        follow(at);
        continue;
      }
      const Vector d = options_.solver == NonlinearSolver::newton ? newton_direction(at, k) : lbfgs_direction(at, k);
      const double size = problem_.correction(d);
      if (!std::isfinite(size)) throw failure("the correction is not finite");
      ++report_.iterations;
      const double longest = problem_.max_step(at.x, d);
      report_.correction = size;
      // Such a small correction is in the quadratic range of Newton's method, so no line search is needed.
      allowed_ = problem_.enough(at.x, options_.tolerance);
      // A correction solved for loosely must be correspondingly smaller.
      if (longest >= 1 && size <= (forcing_ <= tight ? 1 : tight / loose) * allowed_) return at.x + d;
      const bool at_rounding = size <= 1e-8 * options_.scale && size > 0.5 * last;
      if (longest >= 1 && at_rounding) return at.x + d;
      if (!search(at, d, longest)) {
        if (size <= 1e-8 * options_.scale) return at.x;
        if (size > noisy * options_.scale || !search_by_slope(at, d, longest))
          throw failure("the line search found no decrease");
      }
      last = size;
    }
    if (!prepared(at.x).complete)
      throw failure(
          fmt::format("{} is still under way after {} iterations", changing_->driven(), options_.max_iterations));
    throw failure(fmt::format("no convergence in {} iterations", options_.max_iterations));
  }

 private:
  ChangingProblem::Preparation prepared(const Vector& x) {
    return changing_ ? changing_->prepare(x) : ChangingProblem::Preparation{};
  }

  /// One step together with the prescribed motion, as far as the way is free. No line search, since φ changes with it.
  void follow(Iterate& at) {
    ++report_.iterations;
    at.r = problem_.linearize(at.x, Definiteness::exact) + changing_->drift(at.x);
    forcing_ = tight;
    linear_.set_matrix(problem_.matrix().A);
    Vector d = Vector::Zero(at.x.size());
    const auto solved = [&] { return linear_.solve(-at.r, d, forcing_).status == SolveReport::Status::ok; };
    if (space_.squared_norm(at.r) >= underflow) {
      const bool exact = solved();
      if (!exact || space_.dot(at.r, d) >= 0) {
        const Vector first = d;
        ++report_.projections;
        problem_.linearize(at.x, Definiteness::projected);
        linear_.set_matrix(problem_.matrix().A);
        if (!solved()) {
          if (!exact) throw failure("the stage matrix is singular or indefinite");
          d = first;  // not a descent direction, but the best available
        }
      }
    }
    if (!space_.all_finite(d)) throw failure("the correction is not finite");
    at.x += changing_->advance(at.x, d) * d;
  }

  StepFailure failure(const std::string& why) const {
    const std::string reason =
        allowed_ < options_.tolerance ? fmt::format(", {:g} % of the smallest gap", 100 * gap_share) : "";
    const char* name = options_.solver == NonlinearSolver::newton ? "Newton" : "L-BFGS";
    return StepFailure(fmt::format("{}: {} (last correction {:.2e} m, allowed {:.2e} m{})", name, why,
                                   report_.correction, allowed_, reason),
                       report_.iterations, report_.residual);
  }

  double merit(const Vector& x, const Vector* r) {
    if (use_potential_) return *problem_.potential(x);
    return problem_.residual_merit(r ? *r : problem_.residual(x));
  }

  /// −A⁻¹r with the exact matrix, or with the projected one if the exact one gives no descent direction.
  Vector newton_direction(Iterate& at, int k) {
    const double before = report_.residual;
    at.r = problem_.linearize(at.x, Definiteness::exact);
    report_.residual = space_.norm(at.r);
    if (!std::isfinite(report_.residual)) throw failure("the residual is not finite");
    if (stale_merit_) at.merit = merit(at.x, &at.r);
    stale_merit_ = false;
    if (space_.squared_norm(at.r) < underflow && space_.max_abs(at.r) > 0) return Vector::Zero(at.x.size());
    const double drop = k == 0 || before == 0 ? 1 : report_.residual / before;
    const bool near = k > 0 && report_.correction <= close * allowed_;
    forcing_ = std::clamp(0.5 * drop * drop, 1e-8, near ? tight : loose);
    linear_.set_matrix(problem_.matrix().A);
    Vector d;
    if (solve(at.r, d)) return d;
    if (problem_.matrix().symmetric || use_potential_) {
      ++report_.projections;
      if (changing_ && report_.projections > patience) changing_->require_minimum();
      const SparseMatrix exact = problem_.matrix().A;
      problem_.linearize(at.x, Definiteness::projected);
      linear_.set_matrix(problem_.matrix().A);
      if (solve(at.r, d)) return use_potential_ ? Vector(stretch(exact, at.r, d) * d) : d;
    }
    throw failure("the stage matrix is singular or indefinite");
  }

  /// A direction d of the projected matrix A₊ is too short if the exact curvature along it is smaller, especially near
  /// saddles. Returns 1/|θ|, θ = dᵀA d / dᵀA₊d, clamped to [1, 8].
  double stretch(const SparseMatrix& A, const Vector& r, const Vector& d) const {
    // A is the matrix of each process's own elements; the products are summed.
    const NewtonMatrix whole = problem_.matrix();
    const double curvature =
        space_.sum(whole.symmetric ? d.dot(symmetric_product(A, d)) : d.dot(A * d)) +  // local: summed
        (whole.apart ? whole.times * whole.apart->curvature(d) : 0);
    constexpr double most = 8;
    return std::clamp(-space_.dot(r, d) / std::abs(curvature), 1.0, most);
  }

  bool solve(const Vector& r, Vector& d) {
    const auto status = linear_.solve(-r, d, forcing_).status;
    if (status == SolveReport::Status::not_converged && !use_potential_)
      throw failure("the linear solver did not converge");
    return status == SolveReport::Status::ok && (!use_potential_ || space_.dot(r, d) < 0 || space_.is_zero(r));
  }

  /// L-BFGS two-loop recursion on the matrix of the first iterate.
  Vector lbfgs_direction(Iterate& at, int k) {
    if (k == 0) return newton_direction(at, 0);
    forcing_ = tight;
    const Vector r = problem_.residual(at.x);
    const Vector y = r - at.r;
    const bool same = !stale_merit_;  // φ is the one along which the last step was taken
    if (stale_merit_) at.merit = merit(at.x, &r);
    stale_merit_ = false;
    if (const double sy = space_.dot(y, last_step_); same && sy > 0) {
      pairs_.push_front({last_step_, y, 1 / sy});
      if (pairs_.size() > 10) pairs_.pop_back();
    }
    at.r = r;
    report_.residual = space_.norm(r);
    Vector g = r;
    std::vector<double> a;
    for (const auto& p : pairs_) {
      a.push_back(p.rho * space_.dot(p.s, g));
      g -= a.back() * p.y;
    }
    Vector d;
    if (linear_.solve(g, d, forcing_).status != SolveReport::Status::ok)
      throw failure("the linear solver did not converge");
    for (std::size_t i = pairs_.size(); i-- > 0;)
      d += (a[i] - pairs_[i].rho * space_.dot(pairs_[i].y, d)) * pairs_[i].s;
    return -d;
  }

  /// Armijo backtracking from x along d; moves `at` and returns true on success.
  bool search(Iterate& at, const Vector& d, double s) {
    const double slope = use_potential_ ? space_.dot(at.r, d) : -2 * at.merit;
    for (int tries = 0; tries < 40; ++tries, s /= 2) {
      Vector x = at.x + s * d;
      const double m = merit(x, nullptr);
      if (std::isfinite(m) && m <= at.merit + armijo * s * slope + rounding * std::abs(at.merit)) {
        last_step_ = s * d;
        at.x = std::move(x);
        at.merit = m;
        return true;
      }
    }
    return false;
  }

  /// If changes of φ are within rounding, its slope along d is used instead (Hager and Zhang 2005).
  bool search_by_slope(Iterate& at, const Vector& d, double s) {
    if (!use_potential_) return false;
    const double slope = space_.dot(at.r, d);
    for (int tries = 0; tries < 10; ++tries, s /= 2) {
      Vector x = at.x + s * d;
      if (!(std::abs(space_.dot(problem_.residual(x), d)) <= .9 * std::abs(slope))) continue;
      last_step_ = s * d;
      at.x = std::move(x);
      at.merit = merit(at.x, nullptr);
      return true;
    }
    return false;
  }

  struct Pair {
    Vector s, y;
    double rho;
  };

  NewtonProblem& problem_;
  ChangingProblem* changing_;  // the same problem if it changes; otherwise null
  LinearSolver& linear_;
  const NewtonOptions& options_;
  NewtonReport& report_;
  const Space& space_;
  double allowed_;  // [m] the largest correction that would have ended the last iteration
  std::deque<Pair> pairs_;
  Vector last_step_;
  double forcing_ = tight;
  bool use_potential_ = false;
  bool stale_merit_ = true;  // φ at the iterate is unknown or has changed
};

}  // namespace

Vector solve_newton(NewtonProblem& problem, Vector x, LinearSolver& linear, const NewtonOptions& options,
                    NewtonReport& report) {
  return Iteration(problem, linear, options, report).run(std::move(x));
}

}  // namespace limber
