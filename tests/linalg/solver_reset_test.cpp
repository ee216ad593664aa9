/// What a solver has learnt must not outlive a reset: a motion that is resumed has solvers that never learnt it.

#include <gtest/gtest.h>

#include "limber/linalg/solvers/linear_solver.hpp"
#include "matrices.hpp"

namespace limber::test {
namespace {

/// A chain held by springs: the softer these are, the more iterations it takes. Its factor costs next to nothing.
SparseMatrix held_chain(int n, double springs) {
  Triplets t;
  for (int i = 0; i < n; ++i) {
    t.emplace_back(i, i, 2 + springs * (1 + .2 * std::sin(i)));
    if (i + 1 < n) t.emplace_back(i + 1, i, -1);
  }
  return from_triplets(n, t);
}

TEST(SolverReset, AFactorIsWeighedAnew) {
  constexpr int n = 900;
  for (const double springs : {2., 1., .6, .4, .3, .2, .1}) {
    const auto used = make_linear_solver("auto", Symmetry::symmetric),
               fresh = make_linear_solver("auto", Symmetry::symmetric);
    const SparseMatrix soft = held_chain(n, 1e-5), A = held_chain(n, springs);
    Vector x, y;
    used->set_matrix(soft);
    used->solve(noise(n, 0), x, 1e-10);
    ASSERT_GT(used->counts().factorizations, 0) << "nothing is tested";
    used->reset();
    for (int k = 1; k < 6; ++k) {
      for (LinearSolver* solver : {used.get(), fresh.get()}) solver->set_matrix(A);
      const SolveReport a = used->solve(noise(n, k), x, 1e-10), b = fresh->solve(noise(n, k), y, 1e-10);
      ASSERT_EQ(a.iterations, b.iterations) << springs << ", solve " << k;
      ASSERT_EQ(x, y) << springs << ", solve " << k;
    }
  }
}

}  // namespace
}  // namespace limber::test
