/// "gmres" and its incomplete factors.

#include <gtest/gtest.h>

#include "limber/core/parallel.hpp"
#include "limber/linalg/solvers/linear_solver.hpp"
#include "linalg/matrices.hpp"

namespace limber::test {
namespace {

/// A rope of n nodes in a spiral, 1e6 times as stiff along as across, with masses and forces that go round.
SparseMatrix rope(int n) {
  Triplets t;
  const auto add = [&](int a, int b, const Mat3& B) {
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) t.emplace_back(3 * a + r, 3 * b + c, B(r, c));
  };
  for (int i = 0; i < n; ++i) {
    const Vec3 d = Vec3(std::sin(.2 * i), std::cos(.2 * i), .3).normalized();
    const Mat3 along = 1e6 * d * d.transpose() + Mat3::Identity();
    Mat3 own = 100 * Mat3::Identity();
    own(0, 1) += 30;
    own(1, 0) -= 30;
    add(i, i, own + along);
    if (i == 0) continue;
    add(i - 1, i - 1, along);
    add(i, i - 1, -along);
    add(i - 1, i, -along);
  }
  return from_triplets(3 * n, t);
}

SolveReport solve(const SparseMatrix& A, Vector& x) {
  const auto solver = make_linear_solver("gmres", Symmetry::general);
  solver->set_matrix(A);
  const SolveReport report = solver->solve(random_vector(A.cols(), 3), x, 1e-10);
  EXPECT_LE((A * x - random_vector(A.cols(), 3)).norm(), 3e-10 * random_vector(A.cols(), 3).norm());
  return report;
}

/// Its factors are no fuller than itself: nothing is left to iterate. Pieces of a longer one are joined in few steps.
TEST(Gmres, SolvesRopesAtOnce) {
  for (const int n : {1, 2, 100, 4000}) {
    Vector x;
    const SolveReport report = solve(rope(n), x);
    EXPECT_EQ(report.status, SolveReport::Status::ok) << n;
    EXPECT_LE(report.iterations, 3) << n;
  }
  Vector x;
  EXPECT_LE(solve(rope(6000), x).iterations, 20);
}

TEST(Gmres, SolvesWithoutDiagonalBlocks) {
  Triplets t;
  for (int i = 0; i < 30; ++i) t.emplace_back(i, 29 - i, 1 + .1 * i);
  Vector x;
  EXPECT_EQ(solve(from_triplets(30, t), x).status, SolveReport::Status::ok);
}

TEST(Gmres, HasTheSameBitsForAnyNumberOfThreads) {
  const SparseMatrix lower = spring_lattice(21);  // three pieces
  SparseMatrix A = lower.selfadjointView<Eigen::Lower>();
  for (Index i = 0; i < A.cols(); ++i) A.coeffRef(i, i) += .1;
  Vector one, four;
  set_threads(1);
  const SolveReport first = solve(A, one);
  set_threads(4);
  const SolveReport second = solve(A, four);
  set_threads(0);
  EXPECT_EQ(first.status, SolveReport::Status::ok);
  EXPECT_EQ(first.iterations, second.iterations);
  EXPECT_EQ(one, four);
}

}  // namespace
}  // namespace limber::test
