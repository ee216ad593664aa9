#pragma once
/// Matrices that the tests of linalg share.

#include <random>
#include <vector>

#include "limber/core/types.hpp"

namespace limber::test {

using Triplets = std::vector<Eigen::Triplet<double>>;

inline SparseMatrix from_triplets(Index n, const Triplets& t) {
  SparseMatrix A(n, n);
  A.setFromTriplets(t.begin(), t.end());
  return A;
}

inline Vector random_vector(Index n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> u(-1, 1);
  Vector x(n);
  for (double& xi : x) xi = u(random);
  return x;
}

/// A grid of m × m × m nodes joined by springs with 3×3 stiffnesses: K (lower, whole 3×3 diagonal blocks), singular for
/// a constant motion. `turn` rotates the springs' directions a little, which changes values but not the pattern.
inline SparseMatrix spring_lattice(int m, double turn = 0) {
  Triplets t;
  const auto node = [m](int i, int j, int k) { return i + m * (j + m * k); };
  const auto add_block = [&](int a, int b, const Mat3& B) {
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) t.emplace_back(3 * a + r, 3 * b + c, B(r, c));
  };
  const auto join = [&](int a, int b, Vec3 d) {
    d[0] += turn * std::sin(.1 * a);
    const Mat3 B = d * d.transpose() / d.squaredNorm() + .3 * Mat3::Identity();
    add_block(a, a, B);
    add_block(b, b, B);
    add_block(std::max(a, b), std::min(a, b), -B);
  };
  for (int k = 0; k < m; ++k)
    for (int j = 0; j < m; ++j)
      for (int i = 0; i < m; ++i) {
        if (i + 1 < m) join(node(i, j, k), node(i + 1, j, k), Vec3(1, .1, 0));
        if (j + 1 < m) join(node(i, j, k), node(i, j + 1, k), Vec3(0, 1, .2));
        if (k + 1 < m) join(node(i, j, k), node(i, j, k + 1), Vec3(.3, 0, 1));
        if (i + 1 < m && j + 1 < m) join(node(i, j, k), node(i + 1, j + 1, k), Vec3(1, 1, 0));
      }
  return from_triplets(3 * m * m * m, t);
}

/// I + stiffness · K on the pattern of the lattice.
inline SparseMatrix stage_matrix(int m, double stiffness, double turn = 0) {
  SparseMatrix A = spring_lattice(m, turn);
  A *= stiffness;
  for (Index i = 0; i < A.cols(); ++i) A.coeffRef(i, i) += 1;
  return A;
}

/// Lower triangle of a random symmetric matrix; `shift` on the diagonal (large: positive definite).
inline SparseMatrix random_symmetric(Index n, double shift, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> u(-1, 1);
  std::uniform_int_distribution<int> at(0, static_cast<int>(n) - 1);
  Triplets t;
  for (int i = 0; i < n; ++i) t.emplace_back(i, i, shift + (shift == 0 ? 4 * (i % 2) - 2 + u(random) : 0));
  for (int e = 0; e < 3 * n; ++e) {
    const int i = at(random), j = at(random);
    if (i != j) t.emplace_back(std::max(i, j), std::min(i, j), .5 * u(random));
  }
  return from_triplets(n, t);
}

inline SparseMatrix random_general(Index n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> u(-1, 1);
  std::uniform_int_distribution<int> at(0, static_cast<int>(n) - 1);
  Triplets t;
  for (int i = 0; i < n; ++i) t.emplace_back(i, i, 4 + u(random));
  for (int e = 0; e < 4 * n; ++e) t.emplace_back(at(random), at(random), u(random));
  return from_triplets(n, t);
}

inline Matrix full(const SparseMatrix& lower) { return Matrix(lower).selfadjointView<Eigen::Lower>(); }

}  // namespace limber::test
