#include "limber/solve/interior_point.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "limber/core/errors.hpp"

namespace limber::test {
namespace {

/// φ(x) = ½ xᵀA x − b·x + Σ extra(xᵢ), A dense.
class Sample final : public NewtonProblem {
 public:
  Sample(Matrix A, Vector b) : A_(std::move(A)), b_(std::move(b)) {}
  std::function<double(double)> extra = [](double) { return 0.0; }, slope = extra, curvature = extra;

  Vector residual(const Vector& x) override { return A_ * x - b_ + x.unaryExpr(slope); }
  Vector linearize(const Vector& x, Definiteness) override {
    Matrix H = A_;
    H.diagonal() += x.unaryExpr(curvature);
    // A nonzero pattern that does not depend on x, as a lower triangle.
    std::vector<Eigen::Triplet<double>> entries;
    for (int j = 0; j < H.cols(); ++j)
      for (int i = j; i < H.rows(); ++i) entries.emplace_back(i, j, H(i, j));
    H_.resize(H.rows(), H.cols());
    H_.setFromTriplets(entries.begin(), entries.end());
    return residual(x);
  }
  NewtonMatrix matrix() const override { return {H_, true}; }
  std::optional<double> potential(const Vector& x) override {
    return .5 * x.dot(A_ * x) - b_.dot(x) + x.unaryExpr(extra).sum();
  }
  double residual_merit(const Vector& r) override { return .5 * r.squaredNorm(); }
  double max_step(const Vector&, const Vector&) override { return 1; }
  double correction(const Vector& dx) const override { return dx.lpNorm<Eigen::Infinity>(); }

 private:
  Matrix A_;
  Vector b_;
  SparseMatrix H_;
};

SparseMatrix rows(std::initializer_list<std::initializer_list<double>> list) {
  Matrix C(static_cast<Index>(list.size()), static_cast<Index>(list.begin()->size()));
  Index i = 0;
  for (const auto& row : list) {
    Index j = 0;
    for (const double x : row) C(i, j++) = x;
    ++i;
  }
  return C.sparseView();
}

constexpr InteriorPointOptions tight{.tolerance = 1e-10, .curvature = 1, .max_iterations = 200};

#define NEED_IPOPT \
  if (!has_interior_point()) GTEST_SKIP() << "built without IPOPT"

TEST(InteriorPoint, ActiveAndInactiveConstraints) {
  NEED_IPOPT;
  // Nearest point to (1, 2) with x₀ + x₁ ≤ 2 and x₀ ≥ −5: (½, 3/2) with λ = ½ and 0.
  Sample p(Matrix::Identity(2, 2), Vector{{1, 2}});
  const auto s = solve_interior_point(p, rows({{-1, -1}, {1, 0}}), Vector{{-2, -5}}, Vector::Zero(2), tight);
  EXPECT_NEAR(s.x[0], .5, 1e-8);
  EXPECT_NEAR(s.x[1], 1.5, 1e-8);
  EXPECT_NEAR(s.multipliers[0], .5, 1e-8);
  EXPECT_NEAR(s.multipliers[1], 0, 1e-8);
}

TEST(InteriorPoint, OfManyConstraintsFewAreActive) {
  NEED_IPOPT;
  // Nearest point of the polygon with 400 sides around the unit circle: on side 50, whose normal points to (3, 3).
  constexpr int sides = 400;
  std::vector<Eigen::Triplet<double>> entries;
  for (int k = 0; k < sides; ++k)
    for (int j = 0; j < 2; ++j)
      entries.emplace_back(k, j, j == 0 ? -std::cos(2 * M_PI * k / sides) : -std::sin(2 * M_PI * k / sides));
  SparseMatrix C(sides, 2);
  C.setFromTriplets(entries.begin(), entries.end());
  Sample p(Matrix::Identity(2, 2), Vector{{3, 3}});
  for (const Vector& start : {Vector{{0, 0}}, Vector{{3, 3}}, Vector{{-5, 1}}}) {
    const auto s = solve_interior_point(p, C, Vector::Constant(sides, -1), start, tight);
    EXPECT_LT((s.x - Vector::Constant(2, std::sqrt(.5))).norm(), 1e-8) << start.transpose();
    ASSERT_EQ(s.multipliers.size(), sides);
    EXPECT_NEAR(s.multipliers[50], std::sqrt(18) - 1, 1e-4) << start.transpose();
    EXPECT_NEAR(s.multipliers.sum(), std::sqrt(18) - 1, 1e-4) << start.transpose();
  }
}

TEST(InteriorPoint, ManyInactiveConstraintsLeaveTheFreeMinimum) {
  NEED_IPOPT;
  Sample p(Matrix::Identity(2, 2) * 2, Vector{{1, 2}});
  const auto s = solve_interior_point(p, rows({{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {0, 1}}), Vector{{-9, -9, -9, -9, -8}},
                                      Vector{{4, 5}}, tight);
  EXPECT_LT((s.x - Vector{{.5, 1}}).norm(), 1e-8);
  EXPECT_LT(s.multipliers.norm(), 1e-8);
}

TEST(InteriorPoint, WithoutActiveConstraintsItIsTheFreeMinimum) {
  NEED_IPOPT;
  const Matrix A{{4, 1, 0}, {1, 3, -1}, {0, -1, 2}};
  const Vector b{{1, 2, 3}}, free = Eigen::PartialPivLU<Matrix>(A).solve(b);
  Sample p(A, b);
  const auto s = solve_interior_point(p, rows({{1, 0, 0}, {0, 0, 1}}), Vector{{-10, -10}}, Vector::Ones(3), tight);
  EXPECT_LT((s.x - free).norm(), 1e-8);
  EXPECT_LT(s.multipliers.norm(), 1e-8);
}

/// The multiplier of an equality-constrained quadratic program solved by elimination.
TEST(InteriorPoint, CoupledQuadraticProgram) {
  NEED_IPOPT;
  const Matrix A{{4, 1, 0}, {1, 3, -1}, {0, -1, 2}};
  const Vector b{{1, 2, 3}}, a{{.6, 0, -.8}};
  const double c = 1;  // the free minimum has a·x < 0: active
  Matrix KKT = Matrix::Zero(4, 4);
  KKT.topLeftCorner(3, 3) = A;
  KKT.topRightCorner(3, 1) = -a;
  KKT.bottomLeftCorner(1, 3) = a.transpose();
  Vector rhs(4);
  rhs << b, c;
  const Vector expected = Eigen::PartialPivLU<Matrix>(KKT).solve(rhs);
  ASSERT_GT(expected[3], 0);
  Sample p(A, b);
  const auto s = solve_interior_point(p, rows({{.6, 0, -.8}}), Vector{{c}}, Vector::Zero(3), tight);
  EXPECT_LT((s.x - expected.head(3)).norm(), 1e-8);
  EXPECT_NEAR(s.multipliers[0], expected[3], 1e-8);
}

/// Small numbers stay accurate: the same program in other units of x and φ.
TEST(InteriorPoint, UnitsDoNotMatter) {
  NEED_IPOPT;
  Sample p(1e-6 * Matrix::Identity(2, 2), 1e-11 * Vector{{1, 2}});
  const auto s = solve_interior_point(p, rows({{-1, -1}}), Vector{{-2e-5}}, Vector::Zero(2),
                                      {.tolerance = 1e-13, .curvature = 1e-6, .max_iterations = 200});
  EXPECT_NEAR(s.x[0], .5e-5, 1e-12);
  EXPECT_NEAR(s.x[1], 1.5e-5, 1e-12);
  EXPECT_NEAR(s.multipliers[0], .5e-11, 1e-17);
}

TEST(InteriorPoint, NothingAllowedIsAFailure) {
  NEED_IPOPT;
  Sample p(Matrix::Identity(2, 2), Vector::Zero(2));
  EXPECT_THROW(solve_interior_point(p, rows({{1, 0}, {-1, 0}}), Vector{{1, 1}}, Vector::Zero(2), tight), StepFailure);
}

/// φ = x⁴/4 − x with x ≤ ½; and a domain that ends: −log x, +∞ for x ≤ 0.
TEST(InteriorPoint, NonlinearPotentials) {
  NEED_IPOPT;
  Sample quartic(Matrix::Zero(1, 1), Vector{{1}});
  quartic.extra = [](double x) { return x * x * x * x / 4; };
  quartic.slope = [](double x) { return x * x * x; };
  quartic.curvature = [](double x) { return 3 * x * x; };
  const auto bounded = solve_interior_point(quartic, rows({{-1}}), Vector{{-.5}}, Vector{{2}}, tight);
  EXPECT_NEAR(bounded.x[0], .5, 1e-8);
  EXPECT_NEAR(bounded.multipliers[0], 1 - .125, 1e-8);

  // ½ x² + 3 x − log x: x² + 3 x = 1. The second unknown is held at ¼ from above by its constraint.
  Sample barrier(Matrix::Identity(2, 2), Vector{{-3, -3}});
  barrier.extra = [](double x) { return x > 0 ? -std::log(x) : std::numeric_limits<double>::infinity(); };
  barrier.slope = [](double x) { return x > 0 ? -1 / x : std::numeric_limits<double>::quiet_NaN(); };
  barrier.curvature = [](double x) { return 1 / (x * x); };
  const auto s = solve_interior_point(barrier, rows({{0, -1}}), Vector{{-.25}}, Vector{{50, 60}}, tight);
  EXPECT_NEAR(s.x[0], (std::sqrt(13) - 3) / 2, 1e-8);
  EXPECT_NEAR(s.x[1], .25, 1e-6);  // the start, far off, sets the scale
}

TEST(InteriorPoint, SameBitsAgain) {
  NEED_IPOPT;
  const auto solve = [] {
    Sample p(Matrix{{4, 1, 0}, {1, 3, -1}, {0, -1, 2}}, Vector{{1, 2, 3}});
    return solve_interior_point(p, rows({{.6, 0, -.8}, {0, 1, 0}}), Vector{{1, 1}}, Vector::Zero(3), tight).x;
  };
  EXPECT_EQ(solve(), solve());
}

}  // namespace
}  // namespace limber::test
