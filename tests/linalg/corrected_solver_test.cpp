#include "limber/linalg/solvers/corrected_solver.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "linalg/matrices.hpp"

namespace limber {
namespace {

using namespace test;
using Status = SolveReport::Status;

Matrix random_matrix(Index n, Index m, unsigned seed) {
  return Eigen::Map<const Matrix>(random_vector(n * m, seed).data(), n, m);
}

struct Problem {
  SparseMatrix A;
  Symmetry symmetry;
  Correction change;
  Matrix dense() const {
    const Matrix base = symmetry == Symmetry::symmetric ? full(A) : Matrix(A);
    const Matrix less = base - change.U * change.C * change.U.transpose();
    return change.N.nonZeros() > 0 ? Matrix(less + Matrix(change.N)) : less;
  }
};

void expect_solves(const Problem& p, const std::string& solver, double tolerance, double size = 1) {
  const auto base = make_linear_solver(solver, p.symmetry);
  CorrectedSolver corrected(*base, p.change);
  corrected.set_matrix(p.A);
  const Vector b = size * random_vector(p.A.cols(), 11);
  const Matrix A = p.dense();
  Vector x, y;
  const SolveReport report = corrected.solve(b, x, tolerance);
  ASSERT_EQ(report.status, Status::ok) << solver;
  EXPECT_LE((b - A * x).norm(), 3 * tolerance * b.norm()) << solver;
  EXPECT_LE(report.residual, tolerance) << solver;
  const Eigen::PartialPivLU<Matrix> lu(A);
  const Vector exact = lu.solve(b);
  EXPECT_LE((x - exact).norm(), 10 * tolerance / lu.rcond() * exact.norm()) << solver;
  corrected.multiply(x, y);
  EXPECT_LE((y - A * x).norm(), 1e-11 * (1 + (A * x).norm())) << solver;
}

TEST(CorrectedSolver, SymmetricBase) {
  for (const Index rank : {1, 3, 8}) {
    const Matrix B = random_matrix(rank, rank, 3), U = random_matrix(192, rank, 2);
    for (const Matrix& C :
         {Matrix(.01 * B * B.transpose()), Matrix(-.5 * B * B.transpose()), Matrix(.1 * (B + B.transpose()))})
      for (const char* solver : {"auto", "ldlt", "pcg", "multigrid"})
        expect_solves({stage_matrix(4, 3), Symmetry::symmetric, {U, C, {}}}, solver, 1e-9);
  }
}

TEST(CorrectedSolver, GeneralBaseAndCore) {
  for (const Index rank : {1, 5})
    for (const char* solver : {"auto", "lu", "gmres"})
      expect_solves(
          {random_general(80, 4), Symmetry::general, {random_matrix(80, rank, 5), random_matrix(rank, rank, 6), {}}},
          solver, 1e-9);
}

/// Coupled friction: a sparse part that is not symmetric, alone or beside modes that are taken out.
TEST(CorrectedSolver, AnUnsymmetricSparsePart) {
  const SparseMatrix A = stage_matrix(4, 3);
  Triplets entries;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) entries.emplace_back(20 + i, 20 + j, i < j ? 8.0 : -.3 * i);
  const SparseMatrix N = from_triplets(A.cols(), entries);
  for (const Index rank : {0, 3})
    for (const char* solver : {"auto", "ldlt", "pcg", "multigrid"})
      expect_solves({A, Symmetry::symmetric, {random_matrix(A.cols(), rank, 2), .01 * Matrix::Identity(rank, rank), N}},
                    solver, 1e-9);
}

/// The stage of a hybrid with contact: PᵀKP taken out of a stiff K, of rank 2s and indefinite.
TEST(CorrectedSolver, ModesTakenOutOfAStiffMatrix) {
  const SparseMatrix A = stage_matrix(4, 2000);
  const Index n = A.cols(), s = 4;
  const Matrix K = full(A) - Matrix::Identity(n, n);
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(K);
  const Matrix X = eigen.eigenvectors().middleCols(3, s), KX = K * X;
  Correction change{Matrix(n, 2 * s), Matrix::Zero(2 * s, 2 * s), {}};
  change.U << X, KX;
  change.C.topLeftCorner(s, s) = -X.transpose() * KX;
  change.C.topRightCorner(s, s).setIdentity();
  change.C.bottomLeftCorner(s, s).setIdentity();
  for (const char* solver : {"auto", "ldlt"}) expect_solves({A, Symmetry::symmetric, change}, solver, 1e-9);
}

/// A symmetric matrix that the change makes indefinite is solved as it is.
TEST(CorrectedSolver, IndefiniteSum) {
  const SparseMatrix A = stage_matrix(3, 1);
  Problem p{A, Symmetry::symmetric, {random_matrix(A.cols(), 2, 8), 40 * Matrix::Identity(2, 2), {}}};
  EXPECT_LT(Eigen::SelfAdjointEigenSolver<Matrix>(p.dense()).eigenvalues().minCoeff(), -1);
  expect_solves(p, "auto", 1e-9);
}

TEST(CorrectedSolver, ReportsAnIndefiniteBase) {
  const SparseMatrix A = random_symmetric(40, 0, 1);
  const Correction change{random_matrix(40, 2, 8), Matrix::Identity(2, 2), {}};
  const auto base = make_linear_solver("auto", Symmetry::symmetric);
  CorrectedSolver corrected(*base, change);
  corrected.set_matrix(A);
  Vector x;
  EXPECT_EQ(corrected.solve(random_vector(40, 1), x, 1e-9).status, Status::indefinite);
}

TEST(CorrectedSolver, OfRankZeroIsTheBaseItself) {
  const SparseMatrix A = stage_matrix(3, 1);
  const auto base = make_linear_solver("auto", Symmetry::symmetric),
             other = make_linear_solver("auto", Symmetry::symmetric);
  other->set_matrix(A);
  const Vector b = random_vector(A.cols(), 1);
  Vector x, y, z;
  other->solve(b, y, 1e-10);
  const Correction none{Matrix(A.cols(), 0), Matrix(0, 0), {}};
  CorrectedSolver corrected(*base, none);
  corrected.set_matrix(A);
  EXPECT_EQ(corrected.solve(b, x, 1e-10).status, Status::ok);
  EXPECT_EQ(x, y);
  corrected.multiply(x, z);
  EXPECT_LE((z - b).norm(), 1e-9 * b.norm());
}

/// It follows what the change holds at the time of the solve.
TEST(CorrectedSolver, FollowsItsChange) {
  const SparseMatrix A = stage_matrix(3, 1);
  Correction change{random_matrix(A.cols(), 2, 8), Matrix::Identity(2, 2), {}};
  const auto base = make_linear_solver("auto", Symmetry::symmetric);
  CorrectedSolver corrected(*base, change);
  corrected.set_matrix(A);
  change.C *= -3;
  const Vector b = random_vector(A.cols(), 1);
  Vector x;
  corrected.solve(b, x, 1e-11);
  EXPECT_LE(((full(A) - change.U * change.C * change.U.transpose()) * x - b).norm(), 1e-10 * b.norm());
}

/// Nothing depends on the unit of the right-hand side.
TEST(CorrectedSolver, AnyLengthOfTheRightHandSide) {
  const SparseMatrix A = stage_matrix(4, 3);
  const Problem p{A, Symmetry::symmetric, {random_matrix(A.cols(), 3, 2), .01 * Matrix::Identity(3, 3), {}}};
  for (const double size : {1e-30, 1e-8, 1e8, 1e20}) expect_solves(p, "auto", 1e-9, size);
}

TEST(CorrectedSolver, ZeroHasTheSolutionZero) {
  const SparseMatrix A = stage_matrix(3, 1);
  const Correction change{random_matrix(A.cols(), 2, 8), Matrix::Identity(2, 2), {}};
  const auto base = make_linear_solver("auto", Symmetry::symmetric);
  CorrectedSolver corrected(*base, change);
  corrected.set_matrix(A);
  Vector x;
  EXPECT_EQ(corrected.solve(Vector::Zero(A.cols()), x, 1e-9).status, Status::ok);
  EXPECT_EQ(x, Vector::Zero(A.cols()));
}

/// A sum that has no solution is not called solved.
TEST(CorrectedSolver, SaysWhereTheSumIsSingular) {
  SparseMatrix A(6, 6);
  A.setIdentity();
  const Correction change{Matrix(Vector::Unit(6, 2)), Matrix::Identity(1, 1), {}};
  const auto base = make_linear_solver("auto", Symmetry::symmetric);
  CorrectedSolver corrected(*base, change);
  corrected.set_matrix(A);
  Vector x;
  EXPECT_NE(corrected.solve(Vector::Ones(6), x, 1e-9).status, Status::ok);
}

}  // namespace
}  // namespace limber
