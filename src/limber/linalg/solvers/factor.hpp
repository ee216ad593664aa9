#pragma once
/// A direct factorisation, in the three steps that differ in how often they are needed: the analysis of a pattern, the
/// factor of a matrix on it, and solves. Costs are known after the analysis, as counts.

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
  /// indefinite, singular: there is no factor then.
  virtual SolveReport::Status factorize(const SparseMatrix& A) = 0;
  /// X = A⁻¹B with the factor, B #n × k.
  virtual void solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) = 0;
};

/// L Lᵀ of a positive definite matrix, supernodal with a nested-dissection or minimum-degree ordering.
/// Null where the program is built without CHOLMOD.
std::unique_ptr<Factor> make_cholmod_factor();
/// Eigen's simplicial L Lᵀ (positive definite) and L D Lᵀ (any symmetric matrix without a zero pivot).
std::unique_ptr<Factor> make_simplicial_llt();
std::unique_ptr<Factor> make_simplicial_ldlt();
/// Sparse L U: UMFPACK, or Eigen's where it is not built in. A symmetric matrix is expanded from its lower triangle.
std::unique_ptr<Factor> make_lu_factor(Symmetry symmetry);
/// Dense L Lᵀ or L U, for matrices that are small or mostly full.
std::unique_ptr<Factor> make_dense_factor(Symmetry symmetry);

/// Stands in for a factor that would be too large, of a positive definite matrix of 3×3 blocks: solves by conjugate
/// gradients with multigrid to 1e-12, and throws StepFailure where that does not converge. Needs no analysis.
/// positions: as of UnknownNodes.
std::unique_ptr<Factor> make_multigrid_factor(const Vector* positions);
/// The like, but solves only roughly, by one cycle of multigrid. Null where A is not made of 3×3 blocks. Where several
/// processes share the unknowns, matrices are those of each one's own elements.
std::unique_ptr<Factor> make_multigrid_cycle(const SparseMatrix& A, const Vector* positions,
                                             const Space& space = serial_space());

/// The fastest kind at hand for A: dense, or CHOLMOD / UMFPACK or what stands in for them.
std::unique_ptr<Factor> make_best_factor(const SparseMatrix& A, Symmetry symmetry);
/// Of a symmetric matrix, by its lower triangle.
bool positive_definite(const SparseMatrix& A);

}  // namespace limber
