/// A potential that is another function at each iterate: merits of different ones are not compared.

#include <gtest/gtest.h>

#include "limber/solve/newton.hpp"

namespace limber::test {
namespace {

/// φ = Σ (x⁴/4 + x²/2 − x) + c; c rises for some iterates, as friction's potential may with the forces that it takes
/// over.
class Rising final : public NewtonProblem, public ChangingProblem {
 public:
  int rises = 4;

  Preparation prepare(const Vector&) override {
    if (rises == 0) return {};
    --rises;
    c_ += 100;
    return {.changed = true};
  }
  Vector drift(const Vector& x) override { return Vector::Zero(x.size()); }
  double advance(const Vector&, const Vector&) override { return 1; }
  std::string driven() const override { return ""; }
  void require_minimum() override {}
  Vector residual(const Vector& x) override { return x.array().cube() + x.array() - 1; }
  Vector linearize(const Vector& x, Definiteness) override {
    A_.resize(x.size(), x.size());
    for (Index i = 0; i < x.size(); ++i) A_.coeffRef(i, i) = 3 * x[i] * x[i] + 1;
    A_.makeCompressed();
    return residual(x);
  }
  NewtonMatrix matrix() const override { return {A_, true}; }
  std::optional<double> potential(const Vector& x) override {
    return (x.array().pow(4) / 4 + x.array().square() / 2 - x.array()).sum() + c_;
  }
  double residual_merit(const Vector& r) override { return .5 * r.squaredNorm(); }
  double max_step(const Vector&, const Vector&) override { return 1; }
  double correction(const Vector& dx) const override { return dx.cwiseAbs().maxCoeff(); }

 private:
  SparseMatrix A_;
  double c_ = 0;
};

TEST(ChangingMerit, IsThatOfTheIterate) {
  for (const auto solver : {NonlinearSolver::newton, NonlinearSolver::lbfgs}) {
    Rising problem;
    NewtonOptions options{.tolerance = 1e-9, .solver = solver};
    NewtonReport report;
    const auto linear = make_linear_solver("auto", Symmetry::symmetric);
    const Vector x = solve_newton(problem, Vector::LinSpaced(5, -3, 4), *linear, options, report);
    for (const double root : x) EXPECT_NEAR(root, .6823278038280193, 1e-8);
    EXPECT_EQ(problem.rises, 0);
  }
}

}  // namespace
}  // namespace limber::test
