#include "limber/linalg/exponential/phi1.hpp"

#include <fmt/format.h>

#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/linalg/chunks.hpp"
#include "limber/linalg/exponential/dense_exponential.hpp"
#include "limber/linalg/pattern.hpp"
#include "limber/linalg/row_matrix.hpp"

namespace limber {
namespace {

constexpr Index always_dense = 64, never_dense = 2000;

template <class M>
void check_matrix(const M& J, const Vector& b) {
  if (J.rows() != J.cols()) throw InputError("J", fmt::format("{} × {}, must be square", J.rows(), J.cols()));
  if (b.size() != J.rows()) throw InputError("b", fmt::format("has {} entries, J has {} rows", b.size(), J.rows()));
}

void check_finite(const double* values, Index count) {
  for (Index i = 0; i < count; ++i)
    if (!std::isfinite(values[i])) throw InputError("J", fmt::format("has an entry {}, must be finite", values[i]));
}

void check_vector(const Vector& b, double h) {
  for (const double x : b)
    if (!std::isfinite(x)) throw InputError("b", fmt::format("has an entry {}, must be finite", x));
  if (!std::isfinite(h)) throw InputError("h", fmt::format("{}, must be finite", h));
}

void check_tolerance(const Phi1Options& options) {
  if (!(options.tolerance > 0 && options.tolerance < 1))
    throw InputError("tol", fmt::format("{} is outside (0, 1)", options.tolerance));
}

/// φ₁(Z)b by the exponential of [[Z, b/‖b‖], [0, 0]].
Vector augmented(const Matrix& Z, const Vector& b, int extra_squarings) {
  const Index n = b.size();
  const double size = scaled_norm(b);
  if (size == 0) return Vector::Zero(n);
  Matrix A = Matrix::Zero(n + 1, n + 1);
  A.topLeftCorner(n, n) = Z;
  A.topRightCorner(n, 1) = b / size;
  return size * dense_exponential(A, extra_squarings).topRightCorner(n, 1);
}

/// Two scalings share no rounding errors: how much they differ says how much is noise.
Vector checked_dense(const Matrix& Z, const Vector& b, const Phi1Options& options, Phi1Report& report) {
  report = {};
  Vector x = augmented(Z, b, 0);
  if (!x.allFinite()) throw StepFailure(fmt::format("φ₁(hJ)b of a dense J of size {} is not finite", b.size()));
  const double size = scaled_norm(x);
  if (size == 0) return x;
  report.error = 2 * scaled_norm(x - augmented(Z, b, 1)) / size;
  if (!(report.error <= options.tolerance))
    throw StepFailure(fmt::format("φ₁(hJ)b of a dense J of size {}: rounding errors leave a relative error of {:.1e}, "
                                  "asked {:.1e}",
                                  b.size(), report.error, options.tolerance),
                      0, report.error);
  return x;
}

/// Flops: 10 + log₂‖Z‖ products of matrices, or about 1.5 ‖Z‖ products with J, each made orthogonal to about 40 others.
bool dense_is_cheaper(Index n, double entries, double norm) {
  if (n <= always_dense) return true;
  if (n > never_dense) return false;
  const double size = static_cast<double>(n), products = 40 + 1.5 * norm;
  const double dense = 2 * (10 + std::log2(1 + norm)) * 2 * size * size * size;
  return dense < products * (2 * entries + 300 * size + 3e4);
}

template <class M>
double sum_norm(const M& J) {
  return (Eigen::RowVectorXd::Ones(J.rows()) * J.cwiseAbs()).maxCoeff();
}

}  // namespace

Vector dense_phi1(const Matrix& J, const Vector& b, double h) {
  check_matrix(J, b);
  check_finite(J.data(), J.size());
  check_vector(b, h);
  if (b.size() == 0) return b;
  return augmented(h * J, b, 0);
}

Vector phi1(const Matrix& J, const Vector& b, double h, const Phi1Options& options, Phi1Report& report) {
  check_matrix(J, b);
  check_finite(J.data(), J.size());
  check_vector(b, h);
  check_tolerance(options);
  if (b.size() == 0) return b;
  if (dense_is_cheaper(b.size(), static_cast<double>(J.size()), std::abs(h) * sum_norm(J)))
    return checked_dense(h * J, b, options, report);
  return phi1([&](const Vector& x, Vector& y) { y.noalias() = J * x; }, b, h, options, report);
}

Vector phi1(const SparseMatrix& J, const Vector& b, double h, const Phi1Options& options, Phi1Report& report) {
  check_matrix(J, b);
  const SparseMatrix A = in_order(J);
  check_finite(A.valuePtr(), A.nonZeros());
  check_vector(b, h);
  check_tolerance(options);
  if (b.size() == 0) return b;
  if (dense_is_cheaper(b.size(), static_cast<double>(A.nonZeros()), std::abs(h) * sum_norm(A)))
    return checked_dense(h * Matrix(A), b, options, report);
  const auto rows = make_row_matrix(A, Symmetry::general);
  rows->refresh(A);
  const auto product = [&](const Vector& x, Vector& y) {
    y.resize(x.size());
    rows->multiply(x.data(), y.data());
  };
  return phi1(product, b, h, options, report);
}

}  // namespace limber
