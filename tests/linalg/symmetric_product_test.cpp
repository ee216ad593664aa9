/// A x by the lower triangle of A.

#include "limber/linalg/symmetric_product.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/core/parallel.hpp"

namespace limber::test {
namespace {

/// Bands far apart, and in every other column an entry above the diagonal, which counts for nothing.
SparseMatrix banded(int n, int bands) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < n; ++j) {
    if (j % 2 == 1) entries.emplace_back(j - 1, j, 1e9);
    for (int k = 0; k < bands; ++k)
      if (const int i = j + k * k; i < n) entries.emplace_back(i, j, std::sin(1. + i + 3 * j));
  }
  SparseMatrix A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

TEST(SymmetricProduct, IsThatOfTheWholeMatrix) {
  for (const int n : {0, 1, 30, 20000}) {
    const SparseMatrix A = banded(n, 12);
    const Vector x = Vector::LinSpaced(n, -1, 2), expected = A.selfadjointView<Eigen::Lower>() * x;
    EXPECT_LE((symmetric_product(A, x) - expected).norm(), 1e-14 * expected.norm());
  }
}

TEST(SymmetricProduct, HasTheSameBitsOnAnyNumberOfThreads) {
  const SparseMatrix A = banded(50000, 12);
  const Vector x = Vector::LinSpaced(50000, -1, 2);
  set_threads(1);
  const Vector one = symmetric_product(A, x);
  for (const int n : {2, 3, 4}) {
    set_threads(n);
    EXPECT_EQ(symmetric_product(A, x), one);
  }
  set_threads(0);
}

TEST(SymmetricProduct, TakesMatricesWithGaps) {
  SparseMatrix A(3, 3);
  A.reserve(Eigen::VectorXi::Constant(3, 3));
  A.insert(0, 0) = 2;
  A.insert(2, 0) = -1;
  A.insert(1, 1) = 3;
  ASSERT_FALSE(A.isCompressed());
  EXPECT_EQ(symmetric_product(A, Vec3(1, 2, 3)), Vec3(-1, 6, -1));
}

}  // namespace
}  // namespace limber::test
