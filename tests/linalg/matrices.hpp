#pragma once
/// Matrices that the tests of linalg share.

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
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

/// Numbers in [−1, 1] that look random.
inline Vector noise(Index n, double seed) {
  Vector x(n);
  for (Index i = 0; i < n; ++i) x[i] = std::sin(12.9898 * static_cast<double>(i + 1) + seed * 78.233);
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
  for (int e = 0; e < 4 * n; ++e) {
    const int i = at(random), j = at(random);
    t.emplace_back(i, j, u(random));
  }
  return from_triplets(n, t);
}

/// A box of a × b × c nodes at unit distances, joined by springs along edges and face and space diagonals, of
/// the stiffness of their first node: a free body with exactly six null vectors.
struct SpringBox {
  SparseMatrix K;  // lower, whole 3×3 blocks
  Matrix rigid;    // #n × 6: translations, then rotations
};
inline SpringBox spring_box(int a, int b, int c, const std::function<double(int node)>& stiffness) {
  Triplets t;
  const auto node = [=](int i, int j, int k) { return i + a * (j + b * k); };
  const auto place = [=](int n) { return Vec3(n % a, n / a % b, n / (a * b)); };
  const auto join = [&](int p, int q) {
    const Vec3 d = (place(q) - place(p)).normalized();
    const Mat3 B = stiffness(p) * d * d.transpose();
    for (int r = 0; r < 3; ++r)
      for (int l = 0; l < 3; ++l) {
        t.emplace_back(3 * p + r, 3 * p + l, B(r, l));
        t.emplace_back(3 * q + r, 3 * q + l, B(r, l));
        t.emplace_back(3 * std::max(p, q) + r, 3 * std::min(p, q) + l, -B(r, l));
      }
  };
  for (int p = 0; p < a * b * c; ++p)
    for (int dk = -1; dk <= 1; ++dk)
      for (int dj = -1; dj <= 1; ++dj)
        for (int di = -1; di <= 1; ++di) {
          const Vec3 x = place(p) + Vec3(di, dj, dk);
          if ((x.array() < 0).any() || x[0] >= a || x[1] >= b || x[2] >= c) continue;
          const int q = node(static_cast<int>(x[0]), static_cast<int>(x[1]), static_cast<int>(x[2]));
          if (q > p) join(p, q);
        }
  SpringBox box{from_triplets(3 * a * b * c, t), Matrix(3 * a * b * c, 6)};
  for (int p = 0; p < a * b * c; ++p)
    for (int l = 0; l < 3; ++l) {
      box.rigid.block<3, 1>(3 * p, l) = Vec3::Unit(l);
      box.rigid.block<3, 1>(3 * p, 3 + l) = Vec3::Unit(l).cross(place(p));
    }
  return box;
}

inline Matrix full(const SparseMatrix& lower) { return Matrix(lower).selfadjointView<Eigen::Lower>(); }

}  // namespace limber::test
