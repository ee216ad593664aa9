#pragma once
/// A direct factorisation in three stages: analysis of a pattern, factorisation of a matrix on it, and solves. Costs
/// are known after the analysis, as counts.

#include <memory>

#include "limber/linalg/solvers/linear_solver.hpp"

namespace limber {

struct FactorCost {
  double flops = 0;    // of one factorisation
  double entries = 0;  // of the factors; a solve reads each twice (symmetric) or once (LU)
};

class Factor {
 public:
  virtual ~Factor() = default;
  virtual void analyze(const SparseMatrix& A) = 0;
  virtual FactorCost cost() const = 0;
  /// Returns indefinite or singular if there is no factor.
  virtual SolveReport::Status factorize(const SparseMatrix& A) = 0;
  /// X = A⁻¹B, B: #n × k.
  virtual void solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) = 0;
};

/// L Lᵀ of a positive definite matrix, supernodal with a nested-dissection or minimum-degree ordering.
/// Null if the program is built without CHOLMOD.
std::unique_ptr<Factor> make_cholmod_factor();
/// Eigen's simplicial L Lᵀ (positive definite) and L D Lᵀ (any symmetric matrix without a zero pivot).
std::unique_ptr<Factor> make_simplicial_llt();
std::unique_ptr<Factor> make_simplicial_ldlt();
/// Sparse L U: UMFPACK, or Eigen's if UMFPACK is not built in. A symmetric matrix is expanded from its lower triangle.
std::unique_ptr<Factor> make_lu_factor(Symmetry symmetry);
/// Dense L Lᵀ or L U, for matrices that are small or mostly full.
std::unique_ptr<Factor> make_dense_factor(Symmetry symmetry);

/// Replaces a factor that would be too large, for a positive definite matrix of 3×3 blocks: solves by conjugate
/// gradients with multigrid to 1e-12. Throws StepFailure if that does not converge. Needs no analysis. positions: see
/// UnknownNodes.
std::unique_ptr<Factor> make_multigrid_factor(const Vector* positions);
/// Approximate solves by one cycle of multigrid. Null if A is not made of 3×3 blocks. If several processes share the
/// unknowns, matrices are those of each process's own elements.
std::unique_ptr<Factor> make_multigrid_cycle(const SparseMatrix& A, const Vector* positions,
                                             const Space& space = serial_space());

/// The fastest available factor for A: dense, CHOLMOD or UMFPACK, or their replacements.
std::unique_ptr<Factor> make_best_factor(const SparseMatrix& A, Symmetry symmetry);
/// Whether a symmetric matrix, given by its lower triangle, is positive definite.
bool positive_definite(const SparseMatrix& A);

}  // namespace limber
