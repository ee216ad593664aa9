#include "limber/linalg/modes.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <random>
#include <string>

#include "limber/core/errors.hpp"
#include "limber/linalg/factor.hpp"
#include "limber/linalg/pattern.hpp"
#include "limber/linalg/row_matrix.hpp"

namespace limber {
namespace {

Modes dense_modes(const SparseMatrix& K, const SparseMatrix& M, int s) {
  const Matrix k = Matrix(K).selfadjointView<Eigen::Lower>(), m = Matrix(M).selfadjointView<Eigen::Lower>();
  if (Eigen::LLT<Matrix>(m).info() != Eigen::Success)
    throw StepFailure("modes: the mass matrix is not positive definite");
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> eigen(k, m);
  if (eigen.info() != Eigen::Success) throw StepFailure("modes: the dense eigenvalue iteration did not converge");
  return {eigen.eigenvalues().head(s), eigen.eigenvectors().leftCols(s)};
}

/// A symmetric matrix that multiplies blocks of vectors.
class Product {
 public:
  explicit Product(const SparseMatrix& lower) {
    SparseMatrix A = lower;
    A.prune([](Index, Index, double value) { return value != 0; });
    rows_ = make_row_matrix(A, Symmetry::symmetric);
    rows_->refresh(A);
  }
  Matrix operator*(const Matrix& X) const {
    Matrix Y(X.rows(), X.cols());
    for (Index c = 0; c < X.cols(); ++c) rows_->multiply(X.col(c).data(), Y.col(c).data());
    return Y;
  }

 private:
  std::unique_ptr<RowMatrix> rows_;
};

/// (K − σM)⁻¹M, with σ < 0 as near to 0 as keeps K − σM positive definite.
class ShiftInvert {
 public:
  ShiftInvert(const SparseMatrix& K, const SparseMatrix& M) : mass_(M) {
    const Vector k = K.diagonal(), m = M.diagonal();
    if (!(m.minCoeff() > 0)) throw StepFailure("modes: the mass matrix is not positive definite");
    const double top = std::max(k.cwiseQuotient(m).cwiseAbs().maxCoeff(), 1e-300);  // of the order of the largest λ
    constexpr double first = 1e-8, last = 1e4, growth = 1e3;
    for (double relative = first; relative <= last; relative *= growth) {
      SparseMatrix A = K + relative * top * M;
      A.makeCompressed();
      if (!factor_) {
        factor_ = make_best_factor(A, Symmetry::symmetric);
        factor_->analyze(A);
      }
      if (factor_->factorize(A) == SolveReport::Status::ok) return;
    }
    throw StepFailure("modes: the stiffness matrix shifted by the mass matrix is not positive definite");
  }

  const Product& mass() const { return mass_; }
  /// (K − σM)⁻¹Y for Y = M X.
  Matrix solve(const Matrix& Y) {
    Matrix Z(Y.rows(), Y.cols());
    factor_->solve(Y, Z);
    return Z;
  }

 private:
  Product mass_;
  std::unique_ptr<Factor> factor_;
};

/// Block Lanczos with full orthogonalisation and thick restarts. The basis V is M-orthonormal, T = VᵀM·Op·V, and
/// Op·V lies in the span of V and the next block, so the residual of a Ritz pair is seen in its last rows.
class BlockLanczos {
 public:
  BlockLanczos(ShiftInvert& op, Index n, int s) : op_(op), s_(s), V_(n, most()), T_(Matrix::Zero(most(), most())) {}

  /// n × s: the s vectors with the largest eigenvalues of the operator.
  Matrix run() {
    next_ = random_block();
    converge();
    for (int check = 0; check < 20; ++check) {
      const Vector found = theta_.head(s_);
      restart();
      next_ = random_block();
      for (int i = 0; i < blocks_of_a_check; ++i) expand();
      ritz();
      const bool same = ((theta_.head(s_) - found).cwiseAbs().array() <= 1e-9 * found.array()).all();
      if (same) return V_.leftCols(size_) * Y_.leftCols(s_);
      converge();
    }
    throw StepFailure("modes: eigenvalues of high multiplicity keep appearing");
  }

 private:
  static constexpr int block = 8, blocks_of_a_check = 4;
  Index kept() const { return s_ + block; }
  Index most() const { return 2 * s_ + 8 * block; }

  Matrix random_block() {
    Matrix R(V_.rows(), block);
    for (Index i = 0; i < R.size(); ++i) R.data()[i] = static_cast<double>(random_() >> 11) * 0x1p-53 - .5;
    return orthonormal(R);
  }

  /// U made M-orthogonal to V and M-orthonormal. Directions that vanish are replaced by random ones, on which the
  /// coupling (rows of R with U = result · R) is zero.
  Matrix orthonormal(Matrix U) {
    coupling_ = Matrix::Identity(block, block);
    bool removed = false;
    for (int pass = 0; pass < 6; ++pass) {
      if (!removed) remove_basis(U);
      const Matrix gram = U.transpose() * (op_.mass() * U);
      const Eigen::SelfAdjointEigenSolver<Matrix> eigen(gram);
      const Vector size = eigen.eigenvalues().cwiseMax(0).cwiseSqrt();
      const double largest = pass == 0 ? size.maxCoeff() : 1;
      Matrix scaled = eigen.eigenvectors();
      Matrix step = eigen.eigenvectors().transpose();
      bool renewed = false;
      for (int i = 0; i < block; ++i) {
        const bool vanished = !(size[i] > 1e-13 * largest);
        scaled.col(i) *= vanished ? 0 : 1 / size[i];
        step.row(i) *= vanished ? 0 : size[i];
        renewed = renewed || vanished;
      }
      U = U * scaled;
      coupling_ = step * coupling_;
      if (renewed)
        renew_zeros(U);
      else if ((gram - Matrix::Identity(block, block)).norm() < 1e-12)
        break;
      // Scaling up a direction that was almost in the basis scales up what rounding left of the basis in it.
      removed = !renewed && size.minCoeff() > 1e-4 * size.maxCoeff();
    }
    return U;
  }

  void renew_zeros(Matrix& U) {
    for (int c = 0; c < block; ++c) {
      if (!U.col(c).isZero(0)) continue;
      for (Index i = 0; i < U.rows(); ++i) U(i, c) = static_cast<double>(random_() >> 11) * 0x1p-53 - .5;
      U.col(c) /= std::sqrt(U.col(c).dot((op_.mass() * Matrix(U.col(c))).col(0)));
    }
  }

  void remove_basis(Matrix& U) {
    if (size_ == 0) return;
    const auto V = V_.leftCols(size_);
    const Matrix overlap = V.transpose() * (op_.mass() * U);
    U.noalias() -= V * overlap;
  }

  /// Adds the next block to the basis.
  void expand() {
    V_.middleCols(size_, block) = next_;
    const Matrix image = op_.solve(op_.mass() * next_);
    size_ += block;
    const Matrix column = V_.leftCols(size_).transpose() * (op_.mass() * image);
    T_.block(0, size_ - block, size_, block) = column;
    T_.block(size_ - block, 0, block, size_) = column.transpose();
    next_ = orthonormal(image - V_.leftCols(size_) * column);
  }

  /// Ritz values, descending, and the M-norms of their residuals.
  void ritz() {
    const Matrix T = .5 * (T_.topLeftCorner(size_, size_) + T_.topLeftCorner(size_, size_).transpose());
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(T);
    theta_ = eigen.eigenvalues().reverse();
    Y_ = eigen.eigenvectors().rowwise().reverse();
    residual_ = (coupling_ * Y_.bottomRows(block)).colwise().norm();
  }

  void restart() {
    const Index k = std::min(kept(), size_);
    const Matrix X = V_.leftCols(size_) * Y_.leftCols(k);
    V_.leftCols(k) = X;
    T_.setZero();
    T_.topLeftCorner(k, k).diagonal() = theta_.head(k);
    size_ = k;
  }

  /// To relative residuals of 1e-12, or to where rounding lets them come: they then stop to fall.
  void converge() {
    double best = 1;
    int stalled = 0;
    for (int steps = 0; steps < 400; ++steps) {
      if (size_ + block > most()) restart();
      expand();
      if (size_ < s_) continue;
      ritz();
      const double worst = residual_.head(s_).cwiseQuotient(theta_.head(s_).cwiseAbs()).maxCoeff();
      stalled = worst < .5 * best ? 0 : stalled + 1;
      best = std::min(best, worst);
      if (worst <= 1e-12 || (best <= 1e-10 && stalled >= 1) || (best <= 1e-7 && stalled >= 8)) return;
    }
    throw StepFailure("modes: block Lanczos did not converge", 400, best);
  }

  ShiftInvert& op_;
  int s_;
  Index size_ = 0;
  Matrix V_, T_, next_, coupling_, Y_;
  Vector theta_, residual_;
  std::mt19937_64 random_{20240229};
};

/// One step of inverse iteration, which damps what is left of high modes, then Rayleigh-Ritz with K and M themselves.
Modes polish(ShiftInvert& op, const SparseMatrix& K, const Matrix& X) {
  Matrix Z = op.solve(op.mass() * X);
  Matrix MZ = op.mass() * Z;
  for (Index c = 0; c < Z.cols(); ++c) {
    const double scale = 1 / std::sqrt(Z.col(c).dot(MZ.col(c)));
    Z.col(c) *= scale;
    MZ.col(c) *= scale;
  }
  const Matrix k = Z.transpose() * (Product(K) * Z), m = Z.transpose() * MZ;
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> eigen(.5 * (k + k.transpose()), .5 * (m + m.transpose()));
  if (eigen.info() != Eigen::Success) throw StepFailure("modes: the projected eigenvalue problem failed");
  return {eigen.eigenvalues(), Z * eigen.eigenvectors()};
}

}  // namespace

Modes lowest_modes(const SparseMatrix& K, const SparseMatrix& M, int s) {
  const Index n = K.cols();
  if (s < 1 || s > n)
    throw InputError("modes", std::to_string(s) + " is outside 1 to " + std::to_string(n) + ", the number of unknowns");
  SparseMatrix copy_k, copy_m;
  const SparseMatrix &k = compressed(K, copy_k), &m = compressed(M, copy_m);
  constexpr Index small = 300;
  if (n <= small || n < 4 * static_cast<Index>(s) + 100) return dense_modes(k, m, s);
  ShiftInvert op(k, m);
  return polish(op, k, BlockLanczos(op, n, s).run());
}

}  // namespace limber
