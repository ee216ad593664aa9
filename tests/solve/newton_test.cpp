#include "limber/solve/newton.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "support/chain.hpp"

namespace limber::test {
namespace {

/// Separable: φ(x) = Σ g(xᵢ), r = g′, A = diag g″. Remembers where it was asked.
class Separable final : public NewtonProblem {
 public:
  std::function<double(double)> g, slope, curvature;
  std::function<double(double, double)> longest = [](double, double) { return 1.0; };
  bool with_potential = true;
  double softest = .1;  // least curvature of a projected matrix
  double gap = std::numeric_limits<double>::infinity();
  std::vector<Vector> seen;  // points of linearisation
  double least = std::numeric_limits<double>::infinity();

  Vector residual(const Vector& x) override { return note(x).unaryExpr(slope); }
  Vector linearize(const Vector& x, Definiteness d) override {
    note(x);
    if (d == Definiteness::exact) seen.push_back(x);
    A_.resize(x.size(), x.size());
    for (Index i = 0; i < x.size(); ++i) {
      const double c = curvature(x[i]);
      A_.coeffRef(i, i) = d == Definiteness::exact ? c : std::max(c, softest);
    }
    A_.makeCompressed();
    return x.unaryExpr(slope);
  }
  NewtonMatrix matrix() const override { return {A_, true}; }
  std::optional<double> potential(const Vector& x) override {
    if (!with_potential) return std::nullopt;
    return note(x).unaryExpr(g).sum();
  }
  double residual_merit(const Vector& r) override { return 0.5 * r.squaredNorm(); }
  double max_step(const Vector& x, const Vector& dx) override {
    double s = 1;
    for (Index i = 0; i < x.size(); ++i) s = std::min(s, longest(x[i], dx[i]));
    return s;
  }
  double correction(const Vector& dx) const override { return dx.lpNorm<Eigen::Infinity>(); }
  double enough(const Vector&, double tolerance) override { return std::min(tolerance, gap_share * gap); }

 private:
  const Vector& note(const Vector& x) {
    least = std::min(least, x.minCoeff());
    return x;
  }
  SparseMatrix A_;
};

/// φ = x⁴/4 + x²/2 − 3x, minimum where x³ + x = 3.
Separable hardening() {
  Separable p;
  p.g = [](double x) { return std::pow(x, 4) / 4 + x * x / 2 - 3 * x; };
  p.slope = [](double x) { return x * x * x + x - 3; };
  p.curvature = [](double x) { return 3 * x * x + 1; };
  return p;
}
const double hardening_root = 1.2134116627622296;

/// φ = (x² − 1)²/4: wells at ±1, indefinite between ±1/√3.
Separable wells() {
  Separable p;
  p.g = [](double x) { return std::pow(x * x - 1, 2) / 4; };
  p.slope = [](double x) { return x * (x * x - 1); };
  p.curvature = [](double x) { return 3 * x * x - 1; };
  return p;
}

Vector run(Separable& p, Vector x, const NewtonOptions& options, NewtonReport& report) {
  const auto linear = make_linear_solver("auto", Symmetry::symmetric);
  return solve_newton(p, std::move(x), *linear, options, report);
}
Vector run(Separable& p, Vector x, const NewtonOptions& options = {}) {
  NewtonReport report;
  return run(p, std::move(x), options, report);
}

TEST(Newton, ConvergesQuadratically) {
  Separable p = hardening();
  const Vector x = run(p, Vector::Constant(3, 2.0), {.tolerance = 1e-12});
  EXPECT_LT((x.array() - hardening_root).abs().maxCoeff(), 1e-14);
  std::vector<double> errors;
  for (const Vector& at : p.seen) errors.push_back(std::abs(at[0] - hardening_root));
  ASSERT_GE(errors.size(), 5u);
  // e₁ ≈ g‴/(2g″) e₀² = .67 e₀² here.
  for (std::size_t i = 1; i < errors.size(); ++i)
    EXPECT_LE(errors[i], 0.8 * errors[i - 1] * errors[i - 1] + 1e-15) << "iteration " << i;
}

TEST(Newton, EveryMeritFindsTheSameSolution) {
  const Vector start = (Vector(4) << -3, 0, 0.5, 7).finished();
  for (const Merit merit : {Merit::automatic, Merit::potential, Merit::residual}) {
    Separable p = hardening();
    EXPECT_LT((run(p, start, {.merit = merit}).array() - hardening_root).abs().maxCoeff(), 1e-11);
  }
  Separable bare = hardening();
  bare.with_potential = false;
  EXPECT_LT((run(bare, start).array() - hardening_root).abs().maxCoeff(), 1e-11);
}

TEST(Newton, LbfgsFindsTheSameSolution) {
  Separable p = hardening();
  NewtonReport report;
  const NewtonOptions options{.tolerance = 1e-10, .max_iterations = 200, .solver = NonlinearSolver::lbfgs};
  const Vector x = run(p, (Vector(4) << -3, 0, 0.5, 7).finished(), options, report);
  EXPECT_LT((x.array() - hardening_root).abs().maxCoeff(), 1e-8);
  EXPECT_EQ(p.seen.size(), 1u) << "one matrix serves all iterations";
  EXPECT_GT(report.iterations, 3);
}

TEST(Newton, AFailureNamesTheSolverThatFailed) {
  for (const auto& [solver, name] :
       {std::pair(NonlinearSolver::newton, "Newton: "), {NonlinearSolver::lbfgs, "L-BFGS: "}}) {
    Separable p = hardening();
    try {
      run(p, Vector::Constant(4, 7), {.tolerance = 1e-10, .max_iterations = 2, .solver = solver});
      ADD_FAILURE() << name;
    } catch (const StepFailure& e) {
      EXPECT_EQ(e.reason.find(name), 0u) << e.reason;
    }
  }
}

TEST(Newton, UsesTheProjectedMatrixWhereTheExactOneIsIndefinite) {
  Separable p = wells();
  NewtonReport report;
  const Vector x = run(p, (Vector(3) << 0.1, -0.3, 0.9).finished(), {}, report);
  EXPECT_GT(report.projections, 0);
  EXPECT_LT(report.projections, report.iterations);
  EXPECT_LT((x - (Vector(3) << 1, -1, 1).finished()).norm(), 1e-10);
  Separable good = wells();
  report = {};
  run(good, Vector::Constant(2, 1.3), {}, report);
  EXPECT_EQ(report.projections, 0) << "a definite matrix is used as it is";
}

/// From x near the saddle 0 a step x/10 of the projected matrix would take log(.577/.05)/log 1.1 = 26 iterations to
/// where the exact one serves; up to 8 times as long, log(.577/.05)/log 1.8 = 4.2.
TEST(Newton, LeavesASaddleByLongSteps) {
  Separable p = wells();
  p.softest = 10;
  NewtonReport report;
  const Vector x = run(p, Vector::Constant(1, .05), {}, report);
  EXPECT_NEAR(x[0], 1, 1e-10);
  EXPECT_GE(report.projections, 4);
  EXPECT_LE(report.projections, 6);
}

TEST(Newton, StaysWithinTheLongestStep) {
  // φ = x − ln x has its minimum at 1 and no meaning for x ≤ 0; the full step from 10 goes to −80.
  Separable p;
  p.g = [](double x) { return x > 0 ? x - std::log(x) : std::numeric_limits<double>::infinity(); };
  p.slope = [](double x) { return 1 - 1 / x; };
  p.curvature = [](double x) { return 1 / (x * x); };
  p.longest = [](double x, double dx) { return dx < 0 ? std::min(1.0, -0.9 * x / dx) : 1.0; };
  for (const Merit merit : {Merit::potential, Merit::residual}) {
    p.least = 10;
    EXPECT_NEAR(run(p, Vector::Constant(1, 10.0), {.merit = merit})[0], 1, 1e-10);
    EXPECT_GT(p.least, 0);
  }
}

TEST(Newton, FailsWithNumbersWhenItDoesNotConverge) {
  Separable p = hardening();
  try {
    NewtonReport report;
    run(p, Vector::Constant(1, 1e3), {.max_iterations = 3}, report);
    FAIL() << "three iterations are not enough";
  } catch (const StepFailure& failure) {
    EXPECT_EQ(failure.iterations, 3);
    EXPECT_GT(failure.residual, 1);
    EXPECT_NE(failure.reason.find("3 iterations"), std::string::npos) << failure.reason;
    EXPECT_NE(failure.reason.find("1.00e-06 m"), std::string::npos) << failure.reason;
  }
}

/// The limit that was not met, not the one that would have been enough without a gap.
TEST(Newton, NamesTheLimitThatFailed) {
  Separable p = hardening();
  p.gap = 3e-6;
  try {
    run(p, Vector::Constant(1, 1e3), {.max_iterations = 3});
    FAIL() << "three iterations are not enough";
  } catch (const StepFailure& failure) {
    EXPECT_NE(failure.reason.find("allowed 3.00e-08 m, 1 % of the smallest gap)"), std::string::npos) << failure.reason;
  }
  p.gap = 1;
  try {
    run(p, Vector::Constant(1, 1e3), {.max_iterations = 3});
    FAIL() << "three iterations are not enough";
  } catch (const StepFailure& failure) {
    EXPECT_NE(failure.reason.find("allowed 1.00e-06 m)"), std::string::npos) << failure.reason;
  }
}

TEST(Newton, IsInterruptedBetweenIterations) {
  Separable p = hardening();
  const Interruptible interruptible([&] { return p.seen.size() < 2; });
  EXPECT_THROW(run(p, Vector::Constant(1, 1e3)), Interrupted);
  EXPECT_EQ(p.seen.size(), 2u);
}

TEST(Newton, FailsWhereThereIsNoRoot) {
  Separable p;  // r = e^x
  p.g = p.slope = p.curvature = [](double x) { return std::exp(x); };
  EXPECT_THROW(run(p, Vector::Zero(1)), StepFailure);
  p.slope = [](double) { return std::nan(""); };
  EXPECT_THROW(run(p, Vector::Zero(1)), StepFailure);
}

TEST(Newton, RefusesWhatNeedsAPotentialWhereThereIsNone) {
  Separable p = hardening();
  p.with_potential = false;
  EXPECT_THROW(run(p, Vector::Zero(1), {.merit = Merit::potential}), StepFailure);
  EXPECT_THROW(run(p, Vector::Zero(1), {.solver = NonlinearSolver::lbfgs}), StepFailure);
}

}  // namespace
}  // namespace limber::test
