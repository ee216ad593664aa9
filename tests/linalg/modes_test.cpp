#include "limber/linalg/modes/modes.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <numbers>

#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/linalg/modes/mode_search.hpp"
#include "linalg/matrices.hpp"

namespace limber {
namespace {

using namespace test;

SparseMatrix identity(Index n) {
  SparseMatrix I(n, n);
  I.setIdentity();
  return I;
}

/// `copies` decoupled chains of n unit springs and masses, fixed at one end and free at the other:
/// λ_j = 2 − 2cos((2j − 1)π/(2n + 1)).
SparseMatrix chains(int n, int copies) {
  Triplets t;
  for (int c = 0; c < copies; ++c)
    for (int i = 0; i < n; ++i) {
      const int at = c * n + i;
      t.emplace_back(at, at, i + 1 < n ? 2 : 1);
      if (i + 1 < n) t.emplace_back(at + 1, at, -1);
    }
  return from_triplets(n * copies, t);
}

double chain_eigenvalue(int n, int j) { return 2 - 2 * std::cos((2 * j - 1) * std::numbers::pi / (2 * n + 1)); }

void expect_modes(const Modes& modes, const SparseMatrix& K, const SparseMatrix& M, int s, double residual) {
  ASSERT_EQ(modes.lambda.size(), s);
  ASSERT_EQ(modes.X.cols(), s);
  const Matrix MX = M.selfadjointView<Eigen::Lower>() * modes.X, KX = K.selfadjointView<Eigen::Lower>() * modes.X;
  EXPECT_LE((modes.X.transpose() * MX - Matrix::Identity(s, s)).cwiseAbs().maxCoeff(), 1e-13);
  const double top = Vector(K.diagonal()).maxCoeff();
  for (int i = 0; i < s; ++i) {
    EXPECT_LE((KX.col(i) - modes.lambda[i] * MX.col(i)).norm(), residual * top * modes.X.col(i).norm()) << i;
    if (i > 0) {
      EXPECT_LE(modes.lambda[i - 1], modes.lambda[i]) << i;
    }
  }
}

TEST(Modes, ChainHasItsClosedForm) {
  for (const int n : {50, 1000}) {  // dense, Lanczos
    const SparseMatrix K = chains(n, 1), M = identity(n);
    const Modes modes = lowest_modes(K, M, 12);
    expect_modes(modes, K, M, 12, 1e-11);
    for (int j = 1; j <= 12; ++j) EXPECT_NEAR(modes.lambda[j - 1] / chain_eigenvalue(n, j), 1, 1e-9) << n << " " << j;
  }
}

TEST(Modes, RepeatedEigenvaluesComeWithTheirMultiplicity) {
  for (const int copies : {2, 3, 20}) {
    const int n = 200, s = copies == 20 ? 47 : 13;
    const SparseMatrix K = chains(n, copies), M = identity(n * copies);
    const Modes modes = lowest_modes(K, M, s);
    expect_modes(modes, K, M, s, 1e-11);
    for (int i = 0; i < s; ++i)
      EXPECT_NEAR(modes.lambda[i] / chain_eigenvalue(n, i / copies + 1), 1, 1e-9) << copies << " " << i;
  }
}

TEST(Modes, AgreeWithTheDenseSolutionForAConsistentMass) {
  const SparseMatrix K = spring_lattice(6);
  SparseMatrix M = stage_matrix(6, -.05);  // full blocks on K's pattern, positive definite
  for (int j = 0; j < M.cols(); ++j)
    for (SparseMatrix::InnerIterator it(M, j); it; ++it) it.valueRef() += it.row() == j ? 1 : 0;
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> dense(full(K), full(M));
  ASSERT_EQ(dense.info(), Eigen::Success);
  const Modes modes = lowest_modes(K, M, 15);
  expect_modes(modes, K, M, 15, 1e-10);
  for (int i = 0; i < 15; ++i)
    EXPECT_NEAR(modes.lambda[i], dense.eigenvalues()[i], 1e-10 * std::max(dense.eigenvalues()[i], 1.)) << i;
}

TEST(Modes, ZeroModesOfAFreeBodyAndMassOnTheWholePattern) {
  const SparseMatrix K = spring_lattice(7);
  SparseMatrix M = K;
  for (int j = 0; j < M.cols(); ++j)
    for (SparseMatrix::InnerIterator it(M, j); it; ++it) it.valueRef() = it.row() == j ? 2 + it.row() % 3 : 0;
  const Modes modes = lowest_modes(K, M, 10);
  expect_modes(modes, K, M, 10, 1e-11);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(modes.lambda[i], 0, 1e-10);
  EXPECT_GT(modes.lambda[3], 1e-3);
}

TEST(Modes, NegativeEigenvaluesAreFoundToo) {
  SparseMatrix K = chains(600, 1);
  for (Index i = 0; i < K.cols(); ++i) K.coeffRef(i, i) -= .01;
  const Modes modes = lowest_modes(K, identity(600), 8);
  for (int j = 1; j <= 8; ++j) EXPECT_NEAR(modes.lambda[j - 1], chain_eigenvalue(600, j) - .01, 1e-11);
}

TEST(Modes, AllOfThem) {
  const int n = 40;
  const Modes modes = lowest_modes(chains(n, 1), identity(n), n);
  expect_modes(modes, chains(n, 1), identity(n), n, 1e-11);
  for (int j = 1; j <= n; ++j) EXPECT_NEAR(modes.lambda[j - 1], chain_eigenvalue(n, j), 1e-12);
}

TEST(Modes, SameBitsForAnyNumberOfThreads) {
  const SparseMatrix K = spring_lattice(12), M = identity(K.cols());
  set_threads(1);
  const Modes one = lowest_modes(K, M, 9);
  set_threads(2);
  const Modes two = lowest_modes(K, M, 9);
  set_threads(0);
  EXPECT_EQ(one.lambda, two.lambda);
  EXPECT_EQ(one.X, two.X);
}

/// The part of M-normalised columns of C outside the span of X.
double outside(const Matrix& C, const Matrix& X, const SparseMatrix& M) {
  const Matrix MC = M.selfadjointView<Eigen::Lower>() * C;
  const Vector norm = C.cwiseProduct(MC).colwise().sum().cwiseSqrt();
  const Matrix unit = C * norm.cwiseInverse().asDiagonal();
  return (unit - X * (X.transpose() * (MC * norm.cwiseInverse().asDiagonal()))).cwiseAbs().maxCoeff();
}

SparseMatrix uneven_mass(Index n) {
  SparseMatrix M = identity(n);
  for (Index i = 0; i < n; ++i) M.coeffRef(i, i) = 2 + static_cast<double>(i / 3 % 3);
  return M;
}

TEST(Modes, RigidModesOfAFreeBodyAreExact) {
  for (const int length : {4, 14}) {  // dense, Lanczos
    const auto [K, rigid] = spring_box(length, 3, 3, [](int) { return 1.; });
    const SparseMatrix M = uneven_mass(K.cols());
    const Modes modes = lowest_modes(K, M, 12, rigid);
    expect_modes(modes, K, M, 12, 1e-11);
    EXPECT_EQ(modes.lambda.head(6), Vector::Zero(6));
    EXPECT_GT(modes.lambda[6], 1e-5);
    EXPECT_LE(outside(rigid.leftCols(3), modes.X, M), 1e-15);
    EXPECT_LE(outside(rigid, modes.X, M), 1e-14);
    EXPECT_LE(outside(modes.X.leftCols(6), Matrix(lowest_modes(K, M, 6, rigid).X), M), 1e-14);
    const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> dense(full(K), full(M));
    for (int i = 6; i < 12; ++i) EXPECT_NEAR(modes.lambda[i] / dense.eigenvalues()[i], 1, 1e-9) << i;
  }
}

TEST(Modes, TranslationsStayExactWhereRotationsAreNot) {
  auto [K, rigid] = spring_box(14, 3, 3, [](int) { return 1.; });
  rigid.rightCols(3) += 1e-3 * Matrix::Random(rigid.rows(), 3);
  const Modes modes = lowest_modes(K, identity(K.cols()), 8, rigid);
  EXPECT_EQ((modes.lambda.array() == 0).count(), 6);  // what is found of rotations is 0 to rounding
  EXPECT_LE(outside(rigid.leftCols(3), modes.X, identity(K.cols())), 1e-15);
}

TEST(Modes, CombinationsOfCandidatesAreTriedToo) {
  auto [K, rigid] = spring_box(14, 3, 3, [](int) { return 1.; });
  const Matrix bent = Vector::LinSpaced(K.cols(), 0, 1).array().sin();
  Matrix candidates(K.cols(), 2);
  candidates << Matrix(rigid.col(0) + bent), bent;
  const Modes modes = lowest_modes(K, identity(K.cols()), 7, candidates);
  EXPECT_LE(outside(rigid.leftCols(1), modes.X, identity(K.cols())), 1e-15);
}

TEST(Modes, NegativeOnesComeBeforeTheExactZeros) {
  const auto [K0, rigid] = spring_box(14, 3, 3, [](int) { return 1.; });
  for (const int s : {1, 2, 4, 9, 12}) {
    const SparseMatrix M = identity(K0.cols());
    const Modes plain = lowest_modes(K0, M, 8, rigid);
    // Two elastic modes are turned over: K − 2λxxᵀ, with dense K and few unknowns.
    Matrix K = full(K0);
    for (int i = 6; i < 8; ++i) K -= 2 * plain.lambda[i] * plain.X.col(i) * plain.X.col(i).transpose();
    const Modes modes = lowest_modes(K.sparseView(), M, s, rigid);
    const Eigen::SelfAdjointEigenSolver<Matrix> dense(K);
    for (int i = 0; i < s; ++i) EXPECT_NEAR(modes.lambda[i], dense.eigenvalues()[i], 1e-12) << s << " " << i;
    EXPECT_EQ((modes.lambda.array() == 0).count(), std::clamp(s - 2, 0, 6));
  }
}

TEST(Modes, ClustersAreNotCut) {
  for (const int length : {4, 14}) {  // dense, Lanczos; a square section bends equally in two directions
    const auto [K, rigid] = spring_box(length, 3, 3, [](int) { return 1.; });
    const SparseMatrix M = identity(K.cols());
    const Matrix none(K.cols(), 0);
    const Eigen::SelfAdjointEigenSolver<Matrix> dense(full(K));
    int more = 0;  // times that s alone would have cut a pair
    for (int s = 1; s < 14; ++s) {
      int expected = std::max(s, 6);
      while (s > 6 &&
             dense.eigenvalues()[expected] - dense.eigenvalues()[expected - 1] < 1e-7 * dense.eigenvalues()[expected])
        ++expected, ++more;
      EXPECT_EQ(whole_modes(K, M, s, rigid).lambda.size(), expected) << length << " " << s;
      EXPECT_EQ(whole_modes(K, M, s, none).lambda.size(), expected) << length << " " << s;
    }
    EXPECT_GE(more, 1);
  }
  const SparseMatrix K = chains(200, 20);
  const Modes modes = whole_modes(K, identity(4000), 13, Matrix(4000, 0));
  EXPECT_EQ(modes.lambda.size(), 20);
  expect_modes(modes, K, identity(4000), 20, 1e-11);
  EXPECT_EQ(whole_modes(chains(20, 2), identity(40), 40, Matrix(40, 0)).lambda.size(), 40);
}

TEST(Modes, SoftPartsBesideAVeryStiffOne) {
  SparseMatrix K = chains(400, 2);
  for (int j = 400; j < 800; ++j)
    for (SparseMatrix::InnerIterator it(K, j); it; ++it) it.valueRef() *= 1e10;
  const Modes modes = lowest_modes(K, identity(800), 5);
  for (int j = 1; j <= 5; ++j) EXPECT_NEAR(modes.lambda[j - 1] / chain_eigenvalue(400, j), 1, 1e-6);
}

TEST(Modes, BadInput) {
  const SparseMatrix K = chains(5, 1), M = identity(5);
  for (const int s : {0, -1, 6}) {
    try {
      lowest_modes(K, M, s);
      ADD_FAILURE() << s;
    } catch (const InputError& e) {
      EXPECT_EQ(e.where(), "modes");
    }
  }
  EXPECT_THROW(lowest_modes(K, SparseMatrix(-1. * M), 2), StepFailure);
  EXPECT_THROW(lowest_modes(chains(400, 1), SparseMatrix(-1. * identity(400)), 2), StepFailure);
  EXPECT_THROW(whole_modes(K, M, 6, Matrix(5, 0)), InputError);
  EXPECT_THROW(lowest_modes(K, M, 2, Matrix(4, 1)), InputError);
  for (const int at : {0, 7}) {
    SparseMatrix broken = chains(400, 1);
    broken.valuePtr()[at] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(lowest_modes(broken, identity(400), 2), StepFailure);
  }
}

TEST(Modes, MultigridStandsInForAFactorThatWouldBeTooLarge) {
  const int a = 30, b = 5, c = 6;
  const auto box = spring_box(a, b, c, [](int node) { return 1 + .5 * std::sin(.4 * (node % 30)); });
  const SparseMatrix M = identity(box.K.cols());
  Vector positions(box.K.cols());
  for (int n = 0; n < a * b * c; ++n) positions.segment<3>(3 * n) = Vec3(n % a, n / a % b, n / (a * b));
  for (const bool held : {false, true}) {
    SparseMatrix K = box.K;
    if (held)
      for (int n = 0; n < a * b * c; n += a)  // at one end, by springs
        for (int k = 0; k < 3; ++k) K.coeffRef(3 * n + k, 3 * n + k) += 10;
    const Matrix rigid = held ? Matrix(K.cols(), 0) : box.rigid;
    ShiftInvert by_factor, by_multigrid;
    by_multigrid.set_positions(&positions);
    by_multigrid.set_most_entries(0);
    const Modes expected = search_modes(K, M, 14, rigid, Extent::as_asked, by_factor);
    const Modes modes = search_modes(K, M, 14, rigid, Extent::as_asked, by_multigrid);
    EXPECT_GT(by_multigrid.cost().entries, by_factor.cost().entries);  // what it reads in a solve
    expect_modes(modes, K, M, 14, 1e-10);
    for (Index i = 0; i < 14; ++i)
      EXPECT_NEAR(modes.lambda[i], expected.lambda[i], 1e-10 * expected.lambda[13]) << held << " " << i;
  }
}

TEST(Modes, MultigridSeesThatAStiffnessIsIndefinite) {
  auto box = spring_box(20, 4, 4, [](int) { return 1.; });
  for (int k = 0; k < 3; ++k) box.K.coeffRef(30 + k, 30 + k) -= 40;
  const SparseMatrix M = identity(box.K.cols());
  ShiftInvert by_factor, by_multigrid;
  by_multigrid.set_most_entries(0);
  const Modes expected = search_modes(box.K, M, 5, box.rigid, Extent::as_asked, by_factor);
  ASSERT_LT(expected.lambda[0], 0);
  const Modes modes = search_modes(box.K, M, 5, box.rigid, Extent::as_asked, by_multigrid);
  for (Index i = 0; i < 5; ++i)
    EXPECT_NEAR(modes.lambda[i], expected.lambda[i], 1e-9 * std::abs(expected.lambda[0])) << i;
}

}  // namespace
}  // namespace limber
