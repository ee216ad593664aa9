#pragma once
/// Find x with r(x) = 0 by damped Newton:  A(x) δ = −r(x),  x ← x + s δ,  A = ∂r/∂x.
///
/// Where r = ∇φ, steps are accepted by Armijo's rule on φ, and A is projected to a positive definite matrix only if the
/// exact one gives no descent direction. φ may change between iterates, as long as ∇φ = r at each (friction). Without φ
/// the merit is ½‖B r‖². The linear solves are inexact (Eisenstat-Walker).

#include <optional>
#include <string>

#include "limber/core/errors.hpp"
#include "limber/linalg/solvers/linear_solver.hpp"
#include "limber/model/low_rank.hpp"
#include "limber/model/system.hpp"

namespace limber {

/// The problem has no minimum, whatever the starting point.
struct NoMinimum : StepFailure {
  using StepFailure::StepFailure;
};

/// A symmetric A stores its lower triangle. `space`: the space of x and r. The whole matrix is A + times · (*apart),
/// where `apart` is a dense part of low rank.
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
  /// The residual at x; matrix() is then A at x.
  virtual Vector linearize(const Vector& x, Definiteness) = 0;
  virtual NewtonMatrix matrix() const = 0;
  /// φ(x) with ∇φ = r, +∞ outside its domain; nullopt if there is none.
  virtual std::optional<double> potential(const Vector& x) = 0;
  /// ½‖B r‖², the merit if there is no potential.
  virtual double residual_merit(const Vector& r) = 0;
  /// The largest s ≤ 1 for which x + s·dx stays in the domain, with a margin.
  virtual double max_step(const Vector& x, const Vector& dx) = 0;
  /// The largest position change [m] caused by dx.
  virtual double correction(const Vector& dx) const = 0;
  /// The iteration ends when the correction [m] at x is at most this.
  virtual double enough(const Vector& /*x*/, double tolerance) { return tolerance; }
};

/// Additional interface of a problem that changes during its solution.
class ChangingProblem {
 public:
  /// What `prepare` did. changed: φ is now another function. complete: this is now the final problem.
  struct Preparation {
    bool changed = false, complete = true;
  };

  virtual ~ChangingProblem() = default;
  /// Called at each iterate before linearisation; updates lagged quantities.
  virtual Preparation prepare(const Vector& x) = 0;
  /// While the problem is not complete, prescribed things (obstacles) are on their way. drift: the first-order change
  /// of r when they arrive while x stays. advance: the fraction in (0, 1] by which they and x + s·dx can move together;
  /// moves them by it.
  virtual Vector drift(const Vector& x) = 0;
  virtual double advance(const Vector& x, const Vector& dx) = 0;
  /// What is on its way, for messages: "a script or an obstacle".
  virtual std::string driven() const = 0;
  /// Called if the exact matrix stays indefinite. Throws NoMinimum if φ is known to have no minimum.
  virtual void require_minimum() = 0;
};

/// With contact, the last correction is at most this fraction of the smallest gap.
constexpr double gap_share = 1e-2;

enum class Merit { automatic, potential, residual };
enum class NonlinearSolver { newton, lbfgs };

struct NewtonOptions {
  double tolerance = 1e-6;  // [m] stops when the largest position correction is at most this
  double scale = 1;         // [m] corrections below 1e-8 scale that no longer shrink count as rounding errors
  int max_iterations = 50;
  Merit merit = Merit::automatic;
  NonlinearSolver solver = NonlinearSolver::newton;
};

struct NewtonReport {
  int iterations = 0;
  int projections = 0;    // iterations that needed the projected matrix
  double residual = 0;    // ‖r‖ at the last iterate at which it was evaluated
  double correction = 0;  // [m] of the last iteration
};

/// Throws StepFailure if it does not converge.
Vector solve_newton(NewtonProblem& problem, Vector x, LinearSolver& linear, const NewtonOptions& options,
                    NewtonReport& report);

}  // namespace limber
