#include "limber/linalg/modes/block_lanczos.hpp"

#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/linalg/dense_eigen.hpp"

namespace limber {

BlockLanczos::BlockLanczos(const ShiftInvert& op, const BlockProduct& M, const Matrix& locked)
    : op_(op), M_(M), locked_(locked.cols()), V_(locked) {}

void BlockLanczos::reserve(Index count) {
  count_ = std::max(count, count_);
  if (V_.cols() < locked_ + most()) V_.conservativeResize(Eigen::NoChange, locked_ + most());
  const Index before = T_.cols();
  if (before >= most()) return;
  T_.conservativeResize(most(), most());
  T_.rightCols(most() - before).setZero();
  T_.bottomRows(most() - before).setZero();
}

/// Scaled so that light parts are no less present than heavy ones.
Matrix BlockLanczos::random_vectors(Index count) {
  Matrix R(V_.rows(), count);
  for (Index c = 0; c < count; ++c)
    for (Index i = 0; i < R.rows(); ++i)
      R(i, c) = (static_cast<double>(random_() >> 11) * 0x1p-53 - .5) / std::sqrt(M_.diagonal()[i]);
  return R;
}

/// U made M-orthogonal to V and M-orthonormal. Directions that vanish are replaced by random ones, on which the
/// coupling (rows of R with U = result · R) is zero.
Matrix BlockLanczos::orthonormal(Matrix U) {
  coupling_ = Matrix::Identity(block, block);
  bool removed = false;
  for (int pass = 0; pass < 6; ++pass) {
    if (!removed) remove(all(), M_, U);
    const Matrix gram = inner(U, M_ * U);
    const DenseEigen eigen = symmetric_eigen(gram);
    const Vector size = eigen.values.cwiseMax(0).cwiseSqrt();
    const double largest = pass == 0 ? size.maxCoeff() : 1;
    Matrix scaled = eigen.vectors;
    Matrix step = eigen.vectors.transpose();
    bool renewed = false;
    for (Index i = 0; i < block; ++i) {
      const bool vanished = !(size[i] > 1e-13 * largest);
      scaled.col(i) *= vanished ? 0 : 1 / size[i];
      step.row(i) *= vanished ? 0 : size[i];
      renewed = renewed || vanished;
    }
    U = combine(U, scaled);
    coupling_ = step * coupling_;
    if (renewed) {
      renew_zeros(U);
    } else if (size.minCoeff() > .5 && size.maxCoeff() < 2) {
      break;
    }
    // Scaling up a direction that was almost in the basis scales up what rounding left of the basis in it.
    removed = !renewed && size.minCoeff() > 1e-3 * size.maxCoeff();
  }
  return U;
}

void BlockLanczos::renew_zeros(Matrix& U) {
  for (Index c = 0; c < U.cols(); ++c) {
    if (!U.col(c).isZero(0)) continue;
    const Matrix fresh = random_vectors(1);
    U.col(c) = fresh / std::sqrt(inner(fresh, M_ * fresh)(0, 0));
  }
}

/// Adds the next block to the basis.
void BlockLanczos::expand() {
  if (size_ + block > most()) {
    ritz();
    restart(kept());
  }
  V_.middleCols(locked_ + size_, block) = next_;
  Matrix image = op_ * (M_ * next_);
  size_ += block;
  const Matrix overlap = inner(all(), M_ * image);
  const Matrix column = overlap.bottomRows(size_);
  T_.block(0, size_ - block, size_, block) = column;
  T_.block(size_ - block, 0, block, size_) = column.transpose();
  subtract(all(), overlap, image);
  next_ = orthonormal(std::move(image));
}

/// Ritz values, descending, and the M-norms of their residuals.
void BlockLanczos::ritz() {
  const Matrix T = .5 * (T_.topLeftCorner(size_, size_) + T_.topLeftCorner(size_, size_).transpose());
  const DenseEigen eigen = symmetric_eigen(T);
  pairs_.theta = eigen.values.reverse();
  pairs_.Y = eigen.vectors.rowwise().reverse();
  pairs_.residual = (coupling_ * pairs_.Y.bottomRows(block)).colwise().norm();
}

/// Keeps k Ritz vectors. What is not converged among them has its residual in the next block.
void BlockLanczos::restart(Index k) {
  V_.middleCols(locked_, k) = combine(basis(), pairs_.Y.leftCols(k));
  T_.setZero();
  T_.topLeftCorner(k, k).diagonal() = pairs_.theta.head(k);
  size_ = k;
}

Vector BlockLanczos::lambda() const {
  Vector lambda(pairs_.theta.size());
  for (Index i = 0; i < lambda.size(); ++i)
    lambda[i] = pairs_.theta[i] > 0 ? op_.sigma() + 1 / pairs_.theta[i] : std::numeric_limits<double>::infinity();
  return lambda;
}

Matrix BlockLanczos::vectors(Index count) const { return combine(basis(), pairs_.Y.leftCols(count)); }

/// The residual of pair i, relative to its λ: the operator only knows λ − σ.
double BlockLanczos::error(Index i) const {
  const double shifted = 1 / std::abs(pairs_.theta[i]);
  const double top =
      std::max(std::abs(op_.sigma() + 1 / pairs_.theta[count_ - 1]), std::abs(op_.sigma() + 1 / pairs_.theta[0]));
  const double scale = std::max({std::abs(op_.sigma() + 1 / pairs_.theta[i]), 1e-2 * top, 1e-12 * op_.top()});
  return pairs_.residual[i] * shifted * std::max(1., shifted / scale);
}

double BlockLanczos::worst() const {
  constexpr double less_for_next = 1e-5;
  double worst = 0;
  for (Index i = 0; i < count_; ++i) worst = std::max(worst, error(i));
  if (count_ < size_) worst = std::max(worst, less_for_next * error(count_));
  return std::isfinite(pairs_.residual.sum()) ? worst : std::numeric_limits<double>::infinity();
}

/// To relative residuals of `tolerance`, or to where rounding lets them come: they then stop to fall.
void BlockLanczos::converge(double tolerance) {
  constexpr int most_steps = 400;
  double best = 1;
  int stalled = 0;
  for (int steps = 0; steps < most_steps; ++steps) {
    heed_interrupts();
    expand();
    if (size_ <= count_) continue;
    ritz();
    const double now = worst();
    if (!std::isfinite(now)) break;
    stalled = now < .5 * best ? 0 : stalled + 1;
    best = std::min(best, now);
    if (now <= tolerance || (best <= 1e-11 && stalled >= 2) || (best <= 1e-7 && stalled >= 8)) return;
  }
  throw ModesNotFound("the eigenvalue iteration (block Lanczos) did not converge", most_steps, best);
}

/// Whether an eigenvalue has about as many copies as one block can find.
bool BlockLanczos::full_cluster() const {
  Index copies = 1;
  for (Index i = 1; i < count_; ++i) {
    copies = pairs_.theta[i - 1] - pairs_.theta[i] <= 1e-6 * pairs_.theta[i - 1] ? copies + 1 : 1;
    if (copies >= block - 1) return true;
  }
  return false;
}

void BlockLanczos::look(Index count) {
  reserve(count);
  next_ = orthonormal(random_vectors(block));
  while (size_ < std::max(count, 3 * block)) expand();
  ritz();
}

void BlockLanczos::find(Index count) {
  const bool fresh = size_ == 0;
  reserve(count);
  if (fresh) next_ = orthonormal(random_vectors(block));
  converge(1e-10);
  if (!full_cluster()) return;
  // What the found vectors lack would be lost with the block that is left out for the random one.
  constexpr double close = 1e-12;
  converge(close);
  for (int check = 0; check < 20; ++check) {
    const Vector found = pairs_.theta.head(count_);
    restart(count_);
    next_ = orthonormal(random_vectors(block));
    for (Index i = 1; i < blocks_of_a_check; ++i) expand();
    converge(close);
    if (((pairs_.theta.head(count_) - found).cwiseAbs().array() <= 1e-9 * found.array()).all()) return;
  }
  throw ModesNotFound("eigenvalues of high multiplicity keep appearing");
}

}  // namespace limber
