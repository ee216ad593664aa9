/// Modes split off: the stage in their complement, their own motion, and when they are computed anew.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "limber/core/errors.hpp"
#include "limber/time/modal/complement_solver.hpp"
#include "support/methods.hpp"
#include "support/reference_hybrids.hpp"

namespace limber::test {
namespace {

Matrix random_matrix(Index rows, Index cols, unsigned seed) {
  std::mt19937 random(seed);
  Matrix A(rows, cols);
  for (Index i = 0; i < A.size(); ++i) A.data()[i] = static_cast<double>(random()) / 2147483648.0 - 1;
  return A;
}

/// M = I, so that any orthonormal X is a basis.
ModalBasis basis_of(const Matrix& columns) {
  ModalBasis basis;
  basis.X = Eigen::HouseholderQR<Matrix>(columns).householderQ() * Matrix::Identity(columns.rows(), columns.cols());
  basis.MX = basis.X;
  basis.lambda = Vector::Ones(columns.cols());
  return basis;
}

/// Pᵀ A x = Pᵀ b, P x = x, by the bordered dense system [[A, X], [Xᵀ, 0]].
Vector dense_complement(const Matrix& A, const Matrix& X, const Vector& b) {
  const Index n = A.rows(), s = X.cols();
  Matrix B = Matrix::Zero(n + s, n + s);
  B.topLeftCorner(n, n) = A;
  B.topRightCorner(n, s) = X;
  B.bottomLeftCorner(s, n) = X.transpose();
  Vector rhs = Vector::Zero(n + s);
  rhs.head(n) = b;
  return B.partialPivLu().solve(rhs).head(n);
}

struct ComplementCase {
  Matrix A, X;
  Symmetry symmetry;
  Indefinite policy = Indefinite::solve;
};

SolveReport solve_case(const ComplementCase& c, const Vector& b, Vector& x) {
  const SparseMatrix A = c.A.sparseView(0, 0);
  const SparseMatrix stored = c.symmetry == Symmetry::symmetric ? SparseMatrix(A.triangularView<Eigen::Lower>()) : A;
  const auto base = make_linear_solver("auto", c.symmetry);
  const ModalBasis basis = basis_of(c.X);
  double defect = 0;
  ComplementSolver solver(*base, &basis, c.symmetry, c.policy, defect);
  solver.set_matrix(stored);
  return solver.solve(b, x, 1e-12);
}

void expect_dense(const ComplementCase& c) {
  const Vector b = random_matrix(c.A.rows(), 1, 7);
  Vector x;
  EXPECT_EQ(solve_case(c, b, x).status, SolveReport::Status::ok);
  const Matrix X = basis_of(c.X).X;
  const Vector exact = dense_complement(c.A, X, b);
  EXPECT_LT((x - exact).norm(), 1e-10 * exact.norm());
  EXPECT_LT((X.transpose() * x).norm(), 1e-13 * x.norm());
}

Matrix definite(Index n) {
  const Matrix R = random_matrix(n, n, 3);
  return R * R.transpose() + Matrix::Identity(n, n);
}

TEST(ComplementSolver, WithExactModesOneSolveSuffices) {
  const Matrix A = definite(40);
  const Matrix X = Eigen::SelfAdjointEigenSolver<Matrix>(A).eigenvectors().leftCols(5);
  expect_dense({A, X, Symmetry::symmetric});
  Vector x;
  EXPECT_LE(solve_case({A, X, Symmetry::symmetric}, random_matrix(40, 1, 7), x).iterations, 1);
}

TEST(ComplementSolver, WithAnyBasisItIsTheDenseSolution) {
  expect_dense({definite(40), random_matrix(40, 5, 9), Symmetry::symmetric});
  expect_dense({definite(40) + random_matrix(40, 40, 4), random_matrix(40, 5, 9), Symmetry::general});
}

TEST(ComplementSolver, AnIndefiniteMatrixIsReportedOrSolved) {
  const Matrix A = definite(30) - 4 * Matrix::Identity(30, 30);
  ASSERT_LT(Eigen::SelfAdjointEigenSolver<Matrix>(A).eigenvalues()[0], -1);
  expect_dense({A, random_matrix(30, 3, 9), Symmetry::symmetric});
  Vector x;
  const ComplementCase reported{A, random_matrix(30, 3, 9), Symmetry::symmetric, Indefinite::report};
  EXPECT_EQ(solve_case(reported, Vector::Ones(30), x).status, SolveReport::Status::indefinite);
}

/// What rounding leaves of a modal right-hand side is no residual to be worked on, and never moves the modes.
TEST(ComplementSolver, OfAModalRightHandSideNothingIsLeft) {
  const Matrix A = definite(3), X = Eigen::SelfAdjointEigenSolver<Matrix>(A).eigenvectors().leftCols(1);
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Vector modal = 1e3 * X * random_matrix(1, 1, seed);
    for (const double more : {0., 1e-16, 1e-14, 1e-12, 1e-10, 1e-6}) {
      const Vector b = modal + more * modal.norm() * random_matrix(3, 1, seed + 1);
      Vector x;
      EXPECT_EQ(solve_case({A, X, Symmetry::symmetric}, b, x).status, SolveReport::Status::ok);
      const Vector exact = dense_complement(A, X, b);
      EXPECT_LT((x - exact).norm(), 1e-10 * exact.norm() + 1e-14 * b.norm()) << seed << " " << more;
    }
  }
}

TEST(ComplementSolver, NothingIsLeftWhereEverythingIsAMode) {
  Vector x;
  EXPECT_EQ(solve_case({definite(4), random_matrix(4, 4, 9), Symmetry::symmetric}, Vector::Ones(4), x).status,
            SolveReport::Status::ok);
  EXPECT_EQ(x, Vector::Zero(4));
}

/// s φ₁(s J) (rate, force), and s² φ₂(s J) (0, slope), by the series.
void expect_motion(const Matrix& K, const Matrix& D, double s, const ModalMotion& motion) {
  const Index m = K.rows();
  Matrix J = Matrix::Zero(2 * m, 2 * m);
  J.topRightCorner(m, m).setIdentity();
  J.bottomLeftCorner(m, m) = -K;
  J.bottomRightCorner(m, m) = -D;
  const Vector g = random_matrix(2 * m, 1, 5);
  const Vector exact = s * series_phi1(s * J, g);
  const ModalChange c = motion.after(s, g.head(m), g.tail(m));
  EXPECT_LT((c.a - exact.head(m)).norm(), 1e-12 * (1 + exact.head(m).norm())) << s;
  EXPECT_LT((c.b - exact.tail(m)).norm(), 1e-12 * (1 + exact.norm())) << s;
  Vector slope = Vector::Zero(2 * m);
  slope.tail(m) = g.tail(m);
  const Vector grown = s * s * series_phi2(s * J, slope);
  const ModalChange r = motion.after_ramp(s, g.tail(m));
  EXPECT_LT((r.a - grown.head(m)).norm(), 1e-12 * (1 + grown.head(m).norm())) << s;
  EXPECT_LT((r.b - grown.tail(m)).norm(), 1e-12 * (1 + grown.norm())) << s;
}

TEST(ModalMotion, IsTheExponentialOfTheReducedSystem) {
  const Matrix R = basis_of(random_matrix(4, 4, 2)).X;
  const Matrix K = R * Vector{{0, 3, 40, 500}}.asDiagonal() * R.transpose();
  const Matrix zero = Matrix::Zero(4, 4), rayleigh = 0.02 * K + 0.3 * Matrix::Identity(4, 4),
               coupling = definite(4) / 5;
  const Matrix general = K + random_matrix(4, 4, 6);
  for (const double s : {1e-3, 0.1, 2.0}) {
    for (const Matrix& D : {zero, rayleigh, coupling}) expect_motion(K, D, s, {K, D, NegativeModes::grow});
    expect_motion(general, coupling, s, {general, coupling, NegativeModes::grow});
  }
}

TEST(ModalMotion, NegativeModesGrowOrAreClamped) {
  const Matrix R = basis_of(random_matrix(3, 3, 2)).X;
  const Matrix K = R * Vector{{-4, 0, 9}}.asDiagonal() * R.transpose(),
               clamped = R * Vector{{0, 0, 9}}.asDiagonal() * R.transpose(), D = definite(3) / 10;
  for (const Matrix& damping : {Matrix(Matrix::Zero(3, 3)), D})
    for (const double s : {0.01, 1.0}) {
      expect_motion(K, damping, s, {K, damping, NegativeModes::grow});
      expect_motion(clamped, damping, s, {K, damping, NegativeModes::clamp});
    }
}

MethodOptions with_refresh(const Refresh& refresh, int count = 2) {
  MethodOptions options;
  options.modes = {count, refresh};
  return options;
}

TEST(ModalSubspace, IsRefreshedByItsRule) {
  const auto refreshes = [](const Refresh& rule) {
    Chain chain({.n = 6});
    Stepper stepper(find_method("SIERE"), {}, chain, with_refresh(rule));
    History u(chain.start());
    for (int i = 0; i < 12; ++i) stepper.accept(u, stepper.step(chain, u, 0.05));
    return stepper.modes()->refreshes();
  };
  EXPECT_EQ(refreshes({Refresh::Rule::once}), 1);
  EXPECT_EQ(refreshes({Refresh::Rule::every, 1}), 12);
  EXPECT_EQ(refreshes({Refresh::Rule::every, 4}), 3);
  EXPECT_EQ(refreshes({Refresh::Rule::residual, 1, 1e9}), 1);
  EXPECT_EQ(refreshes({Refresh::Rule::residual, 1, 1e-9}), 12);
  const long sometimes = refreshes({Refresh::Rule::residual, 1, 0.15});
  EXPECT_GT(sometimes, 1);
  EXPECT_LT(sometimes, 12);
}

TEST(ModalSubspace, AStepTriedAgainIsNotANewOne) {
  Chain chain({.n = 6});
  Stepper stepper(find_method("SIERE"), {}, chain, with_refresh({Refresh::Rule::every, 2}));
  const History u(chain.start());
  const State first = stepper.step(chain, u, 0.05);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(stepper.step(chain, u, 0.05).q, first.q);
  EXPECT_EQ(stepper.modes()->refreshes(), 1);
}

TEST(ModalSubspace, GoesOnFromItsMemory) {
  for (const auto& row : default_rows()) {
    if (find_method(row.method).splitting == Splitting::none) continue;
    Chain chain({.n = 6});
    const auto options = with_refresh({Refresh::Rule::every, 5});
    Stepper one(find_method(row.method), {}, chain, options);
    History u(chain.start());
    for (int i = 0; i < 7; ++i) one.accept(u, one.step(chain, u, 0.02));
    Stepper other(find_method(row.method), {}, chain, options);
    one.reset(chain);
    other.modes()->restore(*one.modes()->memory());
    History w = u;
    for (int i = 0; i < 7; ++i) {
      one.accept(u, one.step(chain, u, 0.02));
      other.accept(w, other.step(chain, w, 0.02));
    }
    EXPECT_EQ(u[0].q, w[0].q) << row.method;
    EXPECT_EQ(u[0].v, w[0].v) << row.method;
  }
}

/// Masses of 1 kg, each on its own spring.
class Oscillators : public System {
 public:
  explicit Oscillators(Vector stiffness) : k(std::move(stiffness)) {
    SparseMatrix M(k.size(), k.size());
    M.setIdentity();
    M_ = MassMatrix(M, Symmetry::symmetric);
  }

  SystemTraits traits() const override { return {.size = k.size()}; }
  const MassMatrix& inertia() const override { return M_; }
  Vector force(const State& u) const override { return -k.cwiseProduct(u.q); }
  Vector linearize(const State& u, Definiteness, Tangent& T) override {
    T.K = T.D = mass();
    T.K.coeffs() = k;
    T.D.coeffs().setZero();
    return force(u);
  }
  std::optional<Potentials> potentials(const State& u) const override {
    return Potentials{.5 * u.q.dot(k.cwiseProduct(u.q)), 0};
  }

  Vector k;  // [N/m]

 private:
  MassMatrix M_;
};

/// Modes computed anew in a step without limits, in which nobody asks which body they are of, may be of other bodies.
TEST(ModalSubspace, KnowsTheBodiesOfItsModesAfterStepsWithoutLimits) {
  Oscillators two(Vector{{1, 100}});
  ModalSubspace modes({1, {Refresh::Rule::every, 2}}, 2, ModalSubspace::Checks::each_step);
  const State rest{Vector::Zero(2), Vector::Zero(2), 0};
  const ModalLimits limits{.lowest = -50};
  const auto step = [&](const ModalLimits& of_step) {
    modes.begin_step(two, rest, .1, of_step);
    modes.commit();
  };
  step(limits);
  EXPECT_TRUE(modes.left_out().empty());
  step({});
  two.k = Vector{{100, -200}};
  step({});
  ASSERT_EQ(modes.refreshes(), 2);
  step(limits);
  ASSERT_EQ(modes.refreshes(), 2);
  ASSERT_EQ(modes.left_out().size(), 1u);
  EXPECT_EQ(modes.left_out()[0].unknowns, std::vector<int>{1});
}

TEST(ModalSubspace, RefusesACountThatCannotBe) {
  Chain chain({.n = 4});
  for (const int count : {-1, 5})
    EXPECT_THROW(Stepper(find_method("SIERE"), {}, chain, with_refresh({}, count)), InputError) << count;
  EXPECT_NO_THROW(Stepper(find_method("SIERE"), {}, chain, with_refresh({}, 4)));
  EXPECT_NO_THROW(Stepper(find_method("SIERE"), {}, chain, {}));  // 10 are more than there are: all four
}

/// Springs that buckle: K is indefinite at the start.
TEST(Hybrids, StayFiniteWhereTheStiffnessIsIndefinite) {
  for (const auto& row : default_rows()) {
    const auto& info = find_method(row.method);
    if (info.splitting == Splitting::none) continue;
    for (const NegativeModes negative : {NegativeModes::grow, NegativeModes::clamp}) {
      Chain chain({.n = 6, .k = -50, .k3 = 400});
      MethodOptions options = two_modes();
      options.modes.negative = negative;
      Runner runner(chain, row, {Vector::Constant(6, 1e-3), Vector::Constant(6, 0.01), 0}, options);
      for (int i = 0; i < 200; ++i) ASSERT_TRUE(is_finite(runner.step(0.005))) << row.method << " step " << i;
      EXPECT_GT(runner.history()[0].q.norm(), 0.05) << row.method << ": it must have buckled";
    }
  }
}

TEST(Hybrids, NewmarkTypeSchemesSayWhyThereAreNone) {
  for (const char* name : {"newmarkERE", "gen-alphaERE", "HHTERE", "S-newmarkERE", "gen-alpha-ERE"}) try {
      find_method(name);
      FAIL() << name;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find("tau_q differs from tau_v"), std::string::npos) << e.what();
    }
}

}  // namespace
}  // namespace limber::test
