#pragma once  // internal
/// The lowest modes of K x = λ M x by block Lanczos on (K − σM)⁻¹M, with full orthogonalisation and thick restarts. The
/// basis V is M-orthonormal and M-orthogonal to the locked vectors, T = VᵀM·Op·V, and Op·V lies in the span of V and
/// the next block, so the residual of a Ritz pair is found from its last rows.

#include <random>

#include "limber/linalg/block_algebra.hpp"
#include "limber/linalg/modes/mode_iteration.hpp"
#include "limber/linalg/modes/shift_invert.hpp"

namespace limber {

class BlockLanczos final : public ModeIteration {
 public:
  /// locked: #n × k, known M-orthonormal modes. The references must outlive this object.
  BlockLanczos(const ShiftInvert& op, const BlockProduct& M, const Matrix& locked);

  /// A few blocks: enough for the order of magnitude of the lowest λ.
  void look(Index count) override;
  /// Converges the `count` lowest modes and, less accurately, the next one. An eigenvalue with as many copies as a
  /// block has vectors may have more: it is accepted only if a new random block, orthogonal to the modes found, yields
  /// nothing lower. Throws StepFailure if it does not converge.
  void find(Index count) override;

  /// Ritz values, ascending. After find(s) the first s are converged and the next is an estimate.
  Vector lambda() const override;
  /// n × count: the first Ritz vectors, M-orthonormal.
  Matrix vectors(Index count) const override;

 private:
  static constexpr Index block = 8, blocks_of_a_check = 4;
  Index kept() const { return count_ + block; }
  Index most() const { return 2 * count_ + 9 * block; }
  auto all() const { return V_.leftCols(locked_ + size_); }
  auto basis() const { return V_.middleCols(locked_, size_); }

  void reserve(Index count);
  Matrix random_vectors(Index count);
  Matrix orthonormal(Matrix U);
  void renew_zeros(Matrix& U);
  void expand();
  void ritz();
  void restart(Index k);
  double error(Index i) const;
  double worst() const;
  void converge(double tolerance);
  bool full_cluster() const;

  const ShiftInvert& op_;
  const BlockProduct& M_;
  Index locked_, count_ = 0, size_ = 0;
  Matrix V_, T_, next_, coupling_;
  struct {
    Vector theta, residual;
    Matrix Y;  // eigenvectors of T
  } pairs_;
  std::mt19937_64 random_{20240229};
};

}  // namespace limber
