#include "limber/model/mass_matrix.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "support/several_threads.hpp"

namespace limber::test {
namespace {

/// Of a chain of n masses that are coupled to their neighbours.
SparseMatrix chain_mass(int n) {
  SparseMatrix M(n, n);
  for (int i = 0; i < n; ++i) {
    M.insert(i, i) = 4 + .1 * i / n;
    if (i + 1 < n) M.insert(i + 1, i) = 1;
  }
  M.makeCompressed();
  return M;
}

/// Its solver refers to a matrix, which must not stay behind.
TEST(MassMatrix, CanBeMovedAfterASolve) {
  for (const std::string solver : {"auto", "ldlt", "pcg"})
    for (const int n : {60, 1200}) {
      const SparseMatrix M = chain_mass(n);
      const Vector x = Vector::LinSpaced(n, -1, 2), f = MassMatrix(M, Symmetry::symmetric).apply(x);
      std::optional<MassMatrix> from(std::in_place, M, Symmetry::symmetric, solver);
      EXPECT_LT((from->solve(f) - x).norm(), 1e-11 * x.norm());
      MassMatrix to = std::move(*from);
      from.emplace(2 * M, Symmetry::symmetric, solver);
      for (int k = 0; k < 3; ++k) EXPECT_LT((to.solve(f) - x).norm(), 1e-11 * x.norm()) << solver << " " << n;
      EXPECT_LT((2 * from->solve(f) - x).norm(), 1e-11 * x.norm());
    }
}

TEST(MassMatrix, ForgetsWhatSolvesHaveLeftBehind) {
  const int n = 1200;
  const MassMatrix fresh(chain_mass(n), Symmetry::symmetric);
  MassMatrix used(chain_mass(n), Symmetry::symmetric);
  for (int k = 1; k < 40; ++k) static_cast<void>(used.solve(Vector::LinSpaced(n, -k, k * k).array().sin().matrix()));
  used.forget();
  for (int k = 1; k < 20; ++k) {
    const Vector f = Vector::LinSpaced(n, -k, 3 * k).array().cos().matrix();
    ASSERT_EQ(used.solve(f), fresh.solve(f)) << k;
  }
}

TEST(MassMatrix, SolvesForSeveralThreads) {
  for (const std::string solver : {"ldlt", "pcg"}) {
    const int n = 900;
    const MassMatrix shared(chain_mass(n), Symmetry::symmetric, solver);
    const auto load = [&](int k) { return Vector(Vector::LinSpaced(n, -k, 3 * k).array().cos().matrix()); };
    std::vector<Vector> expected;
    for (int k = 1; k <= 12; ++k)
      expected.push_back(MassMatrix(chain_mass(n), Symmetry::symmetric, solver).solve(load(k)));
    on_several_threads([&](int thread) {
      for (int i = 0; i < 60; ++i) {
        const int k = 1 + (7 * i + 3 * thread) % 12;
        EXPECT_EQ(shared.solve(load(k)), expected[static_cast<std::size_t>(k - 1)]) << solver << " " << k;
      }
    });
  }
}

}  // namespace
}  // namespace limber::test
