#include "limber/linalg/modes.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <numbers>

#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
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
  EXPECT_LE((modes.X.transpose() * MX - Matrix::Identity(s, s)).cwiseAbs().maxCoeff(), 1e-10);
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
}

}  // namespace
}  // namespace limber
