#include "limber/linalg/modes/null_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace limber {
namespace {

constexpr double rounding = 1e-12;

bool is_null(const BlockProduct& K, const Vector& r, const Vector& Kr) {
  if (const Space& space = K.space(); space.shared())
    return space.norm(Kr) <= rounding * space.norm(K.diagonal().cwiseProduct(r));
  return Kr.norm() <= rounding * K.diagonal().cwiseProduct(r).norm();
}

/// Appends r, made M-orthonormal to the columns of R, unless it depends on them.
void append(const BlockProduct& M, const Matrix& r, Matrix& R) {
  const auto norm = [&](const Matrix& x) { return std::sqrt(M.inner(x, M * x)(0, 0)); };
  Matrix x = r / norm(r);
  remove(R, M, x);
  const double left = norm(x);
  constexpr double independent = 1e-8;
  if (!(left > independent)) return;
  x /= left;
  remove(R, M, x);
  R.conservativeResize(r.rows(), R.cols() + 1);
  R.rightCols(1) = x / norm(x);
}

/// The right singular vectors of B, those of the smallest singular values first, by one-sided Jacobi rotations, which
/// keep all digits of small ones (BᵀB would lose half of them).
Matrix right_singular_vectors(Matrix B, const Space& space) {
  const Index k = B.cols();
  const auto dot = [&](Index p, Index q) {
    if (space.shared()) return space.dot(B.col(p), B.col(q));
    return p == q ? B.col(p).squaredNorm() : B.col(p).dot(B.col(q));
  };
  Matrix V = Matrix::Identity(k, k);
  const auto rotate = [](Matrix& X, Index p, Index q, double c, double s) {
    const Vector x = X.col(p);
    X.col(p) = c * x - s * X.col(q);
    X.col(q) = s * x + c * X.col(q);
  };
  bool orthogonal = false;
  for (int sweep = 0; sweep < 30 && !orthogonal; ++sweep) {
    orthogonal = true;
    for (Index p = 0; p + 1 < k; ++p)
      for (Index q = p + 1; q < k; ++q) {
        const double pp = dot(p, p), qq = dot(q, q), pq = dot(p, q);
        if (!(std::abs(pq) > 1e-15 * std::sqrt(pp * qq))) continue;
        orthogonal = false;
        const double gap = qq - pp, t = 2 * pq / (gap + std::copysign(std::hypot(gap, 2 * pq), gap));
        const double c = 1 / std::sqrt(1 + t * t);
        rotate(B, p, q, c, c * t);
        rotate(V, p, q, c, c * t);
      }
  }
  std::vector<Index> order(static_cast<std::size_t>(k));
  std::iota(order.begin(), order.end(), Index(0));
  Vector size(k);
  for (Index i = 0; i < k; ++i) size[i] = dot(i, i);
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return size[i] < size[j]; });
  Matrix sorted(k, k);
  for (Index i = 0; i < k; ++i) sorted.col(i) = V.col(order[static_cast<std::size_t>(i)]);
  return sorted;
}

/// Right singular vectors of diag(K)^(−1/2) K C for the smallest singular values, C's columns M-orthonormal.
Matrix nearly_null(const BlockProduct& K, const Matrix& C, const Matrix& KC) {
  const double least = 1e-12 * K.space().max_abs(K.diagonal());
  return combine(
      C, right_singular_vectors(K.diagonal().cwiseAbs().cwiseMax(least).cwiseSqrt().cwiseInverse().asDiagonal() * KC,
                                K.space()));
}

}  // namespace

Matrix null_vectors(const BlockProduct& K, const BlockProduct& M, const Matrix& candidates) {
  Matrix R(K.diagonal().size(), 0), rest(R.rows(), 0);
  if (candidates.cols() == 0) return R;
  const Matrix KC = K * candidates;
  for (Index c = 0; c < candidates.cols(); ++c) {
    if (!(K.space().norm(candidates.col(c)) > 0)) continue;
    if (is_null(K, candidates.col(c), KC.col(c))) {
      append(M, candidates.col(c), R);
    } else {
      rest.conservativeResize(Eigen::NoChange, rest.cols() + 1);
      rest.rightCols(1) = candidates.col(c);
    }
  }
  if (rest.cols() < 2) return R;
  remove(R, M, rest);
  const Matrix C = orthonormal_basis(M, unit_columns(M, rest), 1e-8);
  if (C.cols() == 0 || C.cols() > K.space().global_size(C.rows())) return R;
  const Matrix combined = nearly_null(K, C, K * C), image = K * combined;
  for (Index c = 0; c < combined.cols() && is_null(K, combined.col(c), image.col(c)); ++c)
    append(M, combined.col(c), R);
  return R;
}

}  // namespace limber
