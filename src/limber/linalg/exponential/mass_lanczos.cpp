#include "limber/linalg/exponential/mass_lanczos.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/linalg/chunks.hpp"

namespace limber {
namespace {

constexpr Index small = 256;  // unknowns up to which vectors are made orthogonal

/// y += c x
void add_multiple(double c, const Vector& x, Vector& y) {
  for_chunks(x.size(),
             [&](Index begin, Index end) { y.segment(begin, end - begin) += c * x.segment(begin, end - begin); });
}

}  // namespace

MassLanczos::MassLanczos(Index n, int limit) : V_(n, limit), diagonal_(limit), off_(limit) {
  if (n <= small) MV_.resize(n, limit);
}

void MassLanczos::start(const Vector& p, const Vector& w) {
  m_ = 0;
  Q_.resize(0, 0);
  const double square = chunked_dot(p, w);
  if (!(square >= 0) || !std::isfinite(square))
    throw StepFailure("Lanczos' process: the mass matrix is not positive definite, or the start is not finite");
  size_ = std::sqrt(square);
  next_ = size_;
  if (size_ == 0) return;
  auto& n = next_vector_;
  n.p = p / size_;
  n.v = w / size_;
}

void MassLanczos::extend(const LinearOperator& stiffness, const LinearOperator& inverse_mass) {
  auto& n = next_vector_;
  V_.col(m_) = n.v;
  if (MV_.size() > 0) MV_.col(m_) = n.p;
  stiffness(n.v, n.rest);
  if (m_ > 0) add_multiple(-next_, n.p_before, n.rest);
  diagonal_[m_] = chunked_dot(n.v, n.rest);
  add_multiple(-diagonal_[m_], n.p, n.rest);
  ++m_;
  if (MV_.size() > 0)
    for (int twice = 0; twice < 2; ++twice) n.rest -= MV_.leftCols(m_) * (V_.leftCols(m_).transpose() * n.rest);
  inverse_mass(n.rest, n.preimage);
  const double square = chunked_dot(n.rest, n.preimage);
  if (!std::isfinite(square) || !std::isfinite(diagonal_[m_ - 1]))
    throw StepFailure("Lanczos' process: a product with the stiffness or the inverse mass is not finite");
  next_ = std::sqrt(std::max(0.0, square));
  off_[m_ - 1] = next_;
  if (m_ == V_.rows() || next_ <= 1e-14 * largest()) next_ = 0;
  if (next_ == 0 || m_ == limit()) return;
  n.p_before.swap(n.p);
  n.p = n.rest / next_;
  n.v = n.preimage / next_;
}

double MassLanczos::largest() const {
  double bound = 0;
  for (int i = 0; i < m_; ++i)
    bound = std::max(bound, std::abs(diagonal_[i]) + (i > 0 ? off_[i - 1] : 0) + (i + 1 < m_ ? off_[i] : 0));
  return bound;
}

void MassLanczos::diagonalize() {
  Eigen::SelfAdjointEigenSolver<Matrix> solver;
  solver.computeFromTridiagonal(diagonal_.head(m_), off_.head(m_ - 1));
  if (solver.info() != Eigen::Success)
    throw StepFailure("Lanczos' process: the projected eigenproblem did not converge");
  theta_ = solver.eigenvalues();
  Q_ = solver.eigenvectors();
}

}  // namespace limber
