#include "limber/linalg/modes/null_vectors.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>

namespace limber {
namespace {

constexpr double rounding = 1e-12;

bool is_null(const BlockProduct& K, const Vector& r, const Vector& Kr) {
  return Kr.norm() <= rounding * K.diagonal().cwiseProduct(r).norm();
}

/// Appends r, made M-orthonormal to the columns of R, unless it depends on them.
void append(const BlockProduct& M, const Matrix& r, Matrix& R) {
  const auto norm = [&](const Matrix& x) { return std::sqrt(inner(x, M * x)(0, 0)); };
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

/// Right singular vectors of diag(K)^(−1/2) K C for the smallest singular values, C's columns M-orthonormal.
Matrix nearly_null(const BlockProduct& K, const Matrix& C, const Matrix& KC) {
  const double least = 1e-12 * K.diagonal().cwiseAbs().maxCoeff();
  Matrix scaled = K.diagonal().cwiseAbs().cwiseMax(least).cwiseSqrt().cwiseInverse().asDiagonal() * KC;
  const Matrix R = Eigen::HouseholderQR<Matrix>(scaled).matrixQR().topRows(C.cols()).triangularView<Eigen::Upper>();
  const Eigen::JacobiSVD<Matrix> svd(R, Eigen::ComputeFullV);
  return combine(C, svd.matrixV().rowwise().reverse());
}

}  // namespace

Matrix null_vectors(const BlockProduct& K, const BlockProduct& M, const Matrix& candidates) {
  Matrix R(K.diagonal().size(), 0), rest(R.rows(), 0);
  if (candidates.cols() == 0) return R;
  const Matrix KC = K * candidates;
  for (Index c = 0; c < candidates.cols(); ++c) {
    if (!(candidates.col(c).norm() > 0)) continue;
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
  if (C.cols() == 0 || C.cols() > C.rows()) return R;
  const Matrix combined = nearly_null(K, C, K * C), image = K * combined;
  for (Index c = 0; c < combined.cols() && is_null(K, combined.col(c), image.col(c)); ++c)
    append(M, combined.col(c), R);
  return R;
}

}  // namespace limber
