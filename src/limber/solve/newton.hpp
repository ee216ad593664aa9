#pragma once
/// Find x with r(x) = 0 by damped Newton:  A(x) δ = −r(x),  x ← x + s δ,  A = ∂r/∂x.
///
/// Where r = ∇φ, steps are accepted by Armijo's rule on φ, and A is projected to a positive definite one only where
/// the exact one gives no descent. φ may change from iterate to iterate, as long as ∇φ = r at each (friction). Without
/// φ the merit is ½‖B r‖². The linear solves are inexact (Eisenstat-Walker).

#include <optional>
#include <string>

#include "limber/core/errors.hpp"
#include "limber/linalg/solvers/linear_solver.hpp"
#include "limber/model/low_rank.hpp"
#include "limber/model/system.hpp"

namespace limber {

/// There is nothing to find, from wherever one starts.
struct NoMinimum : StepFailure {
  using StepFailure::StepFailure;
};

/// A symmetric one has its lower triangle stored. `space`: that of x and r. `apart`: what of the matrix is not in A,
/// being dense but of low rank, so many times.
struct NewtonMatrix {
  const SparseMatrix& A;
  bool symmetric;
  const Space& space = serial_space();
  const LowRank* apart = nullptr;
  double times = 1;
};

class NewtonProblem {
 public:
  virtual ~NewtonProblem() = default;
  virtual Vector residual(const Vector& x) = 0;
  /// The residual at x; matrix() is then A there.
  virtual Vector linearize(const Vector& x, Definiteness) = 0;
  virtual NewtonMatrix matrix() const = 0;
  /// φ(x) with ∇φ = r, +∞ outside its domain; nullopt if there is none.
  virtual std::optional<double> potential(const Vector& x) = 0;
  /// ½‖B r‖², the merit where there is no potential.
  virtual double residual_merit(const Vector& r) = 0;
  /// The largest s ≤ 1 for which x + s·dx stays in the domain, with some reserve.
  virtual double max_step(const Vector& x, const Vector& dx) = 0;
  /// The largest change of a position [m] that dx makes.
  virtual double correction(const Vector& dx) const = 0;
  /// The largest correction [m] at x that ends the iteration.
  virtual double enough(const Vector& /*x*/, double tolerance) { return tolerance; }
};

/// A problem that also is this one changes on the way to its solution.
class ChangingProblem {
 public:
  /// What `prepare` did: whether φ is another function now, and whether this is the problem to be solved yet.
  struct Preparation {
    bool changed = false, complete = true;
  };

  virtual ~ChangingProblem() = default;
  /// Called at each iterate before it is linearised: takes over what lags.
  virtual Preparation prepare(const Vector& x) = 0;
  /// While the problem is not complete, something (obstacles) is under way. By how much r changes, to first order, when
  /// it arrives and x stays; and how far, in (0, 1], it and x + s·dx can go together: this moves it there.
  virtual Vector drift(const Vector& x) = 0;
  virtual double advance(const Vector& x, const Vector& dx) = 0;
  /// What is under way, for messages: "a script or an obstacle".
  virtual std::string driven() const = 0;
  /// Asked where the exact matrix is indefinite again and again. Throws NoMinimum if φ is known to have none.
  virtual void require_minimum() = 0;
};

/// With contact, the last correction is at most this share of the smallest gap.
constexpr double gap_share = 1e-2;

enum class Merit { automatic, potential, residual };
enum class NonlinearSolver { newton, lbfgs };

struct NewtonOptions {
  double tolerance = 1e-6;  // [m] stops when the largest position correction is at most this
  double scale = 1;         // [m] corrections below 1e-8 scale that no longer shrink are rounding
  int max_iterations = 50;
  Merit merit = Merit::automatic;
  NonlinearSolver solver = NonlinearSolver::newton;
};

struct NewtonReport {
  int iterations = 0;
  int projections = 0;    // iterations that needed the projected matrix
  double residual = 0;    // ‖r‖ at the last iterate where it was evaluated
  double correction = 0;  // [m] of the last iteration
};

/// Throws StepFailure if it does not converge.
Vector solve_newton(NewtonProblem& problem, Vector x, LinearSolver& linear, const NewtonOptions& options,
                    NewtonReport& report);

}  // namespace limber
