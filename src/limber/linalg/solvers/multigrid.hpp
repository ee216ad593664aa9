#pragma once  // internal
/// z ≈ A⁻¹r by one multigrid cycle, for a symmetric positive definite A of 3×3 blocks, one per node of an elastic body.
/// Smoothed aggregation: connected nodes are aggregated, level by level; the coarse space consists of the six rigid
/// motions of each aggregate, orthonormalised and smoothed once, P = (I − 4/(3λ) D⁻¹A) P₀, and the coarse matrix is
/// PᵀAP, with six unknowns per node. The smoother is a Chebyshev polynomial of degree 2 in D⁻¹A, D the diagonal blocks.
/// The cycle is symmetric, as conjugate gradients require. It runs in single precision, to which P is rounded; products
/// PᵀAP and the coarsest factor are in double precision.
///
/// If several processes share A, each stores its part of every level: of A the sum over its own elements, and PᵀAP of
/// that; of P the complete rows of the nodes it holds, some of which other processes hold too. So forming a coarse
/// matrix needs no messages; rows of P and products exchange data for shared nodes. All processes have the coarsest
/// matrix.

#include <memory>
#include <vector>

#include "limber/linalg/row_matrix.hpp"
#include "limber/linalg/solvers/factor.hpp"
#include "limber/linalg/solvers/krylov.hpp"
#include "limber/linalg/solvers/linear_solver.hpp"

namespace limber {

class GridLevel;

class Multigrid final : public Preconditioner {
 public:
  Multigrid();
  ~Multigrid() override;

  /// Builds levels for A and other matrices on its pattern. Without positions the coarse space has no rotations.
  /// Without parts, nodes of touching bodies may share an aggregate, which cannot slide. Returns indefinite if A is not
  /// positive definite.
  SolveReport::Status set_up(const RowMatrix& A, const UnknownNodes& nodes);
  /// Takes the values of another A, retaining the aggregates and P.
  SolveReport::Status refresh(const RowMatrix& A);
  /// Where A differs from the matrix of the levels at a few nodes only, as contact makes it, takes these changes into
  /// the levels. Otherwise they stay as they are. Returns indefinite if the coarsest matrix has become so.
  SolveReport::Status follow(const RowMatrix& A);
  /// Frees the memory of the levels.
  void forget();
  double apply(const Vector& r, Vector& z) override;
  /// Entries of the matrices of all levels divided by those of A.
  double complexity() const;

 private:
  SolveReport::Status finish();
  SolveReport::Status factor_coarsest();
  void cycle(std::size_t k);

  std::vector<std::unique_ptr<GridLevel>> levels_;
  std::unique_ptr<Factor> coarsest_;
  SparseMatrix A_coarsest_;
  Vector b_coarsest_, x_coarsest_;
};

}  // namespace limber
