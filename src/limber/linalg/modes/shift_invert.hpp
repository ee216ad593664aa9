#pragma once
/// B = (K − σM)⁻¹ with a small shift σ < 0 for which K − σM is positive definite, although free bodies have λ = 0 and
/// a strongly deformed body λ < 0. Has the eigenvectors of K x = λ M x:  B M x = x / (λ − σ). By a factor, or by
/// conjugate gradients with multigrid where a factor would be too large. Where several processes share the unknowns, K
/// and M are those of each one's own elements, and B is one cycle of multigrid: a preconditioner. (Factors by MUMPS,
/// which adds what comes from other processes as it comes, would not give the same bits each time.)

#include <limits>

#include "limber/core/errors.hpp"
#include "limber/linalg/pattern.hpp"
#include "limber/linalg/solvers/factor.hpp"

namespace limber {

/// A λ is below what was asked for.
struct BelowFloor final : StepFailure {
  BelowFloor() : StepFailure("modes: a mode grows more than e-fold in the step") {}
};

class ShiftInvert {
 public:
  /// Factorises with σ as near to 0 as the scale of K/M and its definiteness let it. The analysis is kept while the
  /// pattern stays. Throws StepFailure if M has no positive diagonal or if no shift serves, BelowFloor if a λ is.
  void make(const SparseMatrix& K, const SparseMatrix& M);
  /// Factorises with this shift if that can be done; else the factor is as before. K, M: those of `make`.
  void try_shift(const SparseMatrix& K, const SparseMatrix& M, double sigma);
  void drop() { made_ = false; }
  /// The like, and its memory goes back.
  void forget();
  /// Of the unknowns.
  void set_space(const Space& space);
  const Space& space() const { return space_; }
  /// Of the nodes, for multigrid: as for make_linear_solver, alive as long as this.
  void set_positions(const Vector* positions) { positions_ = positions; }
  /// From so many unknowns on one cycle of multigrid will do for B: a preconditioner is asked for, no inverse.
  void set_rough_from(Index unknowns) { rough_from_ = unknowns; }
  /// Factors with more entries than this are not made.
  void set_most_entries(double entries) { most_entries_ = entries; }
  /// Who has no use for λ below this need not have them found.
  void set_floor(double lambda) { floor_ = lambda; }
  /// Throws BelowFloor if λ is.
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
