#pragma once
/// B = (K − σM)⁻¹ with a small shift σ < 0 for which K − σM is positive definite, although free bodies have λ = 0 and a
/// strongly deformed body λ < 0. It has the eigenvectors of K x = λ M x:  B M x = x / (λ − σ). Applied by a factor, or
/// by conjugate gradients with multigrid if a factor would be too large. If several processes share the unknowns, K and
/// M are those of each process's own elements, and B is one multigrid cycle: a preconditioner. (Factors by MUMPS would
/// not be bitwise reproducible, as it adds contributions of other processes in order of arrival.)

#include <limits>

#include "limber/core/errors.hpp"
#include "limber/linalg/pattern.hpp"
#include "limber/linalg/solvers/factor.hpp"

namespace limber {

/// An eigenvalue lies below the floor.
struct BelowFloor final : StepFailure {
  BelowFloor() : StepFailure("modes: a mode grows more than e-fold in the step") {}
};

class ShiftInvert {
 public:
  /// Factorises with σ as close to 0 as the scale of K/M and definiteness permit. Keeps the analysis while the pattern
  /// stays the same. Throws StepFailure if M has no positive diagonal or no shift works, BelowFloor if an eigenvalue
  /// lies below the floor.
  void make(const SparseMatrix& K, const SparseMatrix& M);
  /// Factorises with this shift if possible; otherwise keeps the previous factor. K, M: those of `make`.
  void try_shift(const SparseMatrix& K, const SparseMatrix& M, double sigma);
  void drop() { made_ = false; }
  /// Like drop, and frees the memory.
  void forget();
  /// Sets the space of the unknowns.
  void set_space(const Space& space);
  const Space& space() const { return space_; }
  /// Node positions for multigrid, as in make_linear_solver; must stay valid as long as this object.
  void set_positions(const Vector* positions) { positions_ = positions; }
  /// From this number of unknowns on, B is one multigrid cycle: a preconditioner suffices, no inverse is needed.
  void set_rough_from(Index unknowns) { rough_from_ = unknowns; }
  /// Sets the largest number of entries a factor may have.
  void set_most_entries(double entries) { most_entries_ = entries; }
  /// Eigenvalues below this bound need not be found.
  void set_floor(double lambda) { floor_ = lambda; }
  /// Throws BelowFloor if λ is below the floor.
  void require_above_floor(double lambda) const;

  bool made() const { return made_; }
  double sigma() const { return sigma_; }
  /// max |K_ii| / M_ii, of the order of the largest λ.
  double top() const { return top_; }
  FactorCost cost() const { return factor_->cost(); }
  /// B Y, #n × k.
  Matrix operator*(const Eigen::Ref<const Matrix>& Y) const;

 private:
  std::unique_ptr<Factor> make_factor(const SparseMatrix& A) const;
  SolveReport::Status factorize(const SparseMatrix& K, const SparseMatrix& M, double sigma);

  Space space_;
  const Vector* positions_ = nullptr;
  double most_entries_ = 1e9;
  Index rough_from_ = std::numeric_limits<Index>::max();
  Pattern pattern_;
  std::unique_ptr<Factor> factor_;
  double sigma_ = 0, top_ = 0, floor_ = -std::numeric_limits<double>::infinity();
  bool made_ = false;
};

}  // namespace limber
