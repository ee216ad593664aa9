#pragma once  // internal
/// z ≈ A⁻¹r by one cycle of multigrid, for a symmetric positive definite A of 3×3 blocks, one for each node of an
/// elastic body. Nodes that hang together are gathered, level by level; the coarse space is six rigid motions of each
/// aggregate, orthonormal and smoothed once, P = (I − 4/(3λ) D⁻¹A) P₀, and the coarse matrix PᵀAP, six unknowns a node.
/// Each level is smoothed by a Chebyshev polynomial of degree 2 in D⁻¹A, D the diagonal blocks. The cycle is symmetric,
/// so conjugate gradients stay. It runs in single precision, and P is rounded to it; products PᵀAP and the coarsest
/// factor are in double.
///
/// Where several processes share A, each has of every level what it needs: of A the sum over its own elements, and then
/// PᵀAP of that; of P the whole rows of the nodes that it holds, which several may do. So making a coarse matrix takes
/// no messages; the rows of P and each product do, about the nodes that several hold. All have the coarsest matrix.

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

  /// Levels for A, and for other matrices of its pattern. Without positions the coarse space has no rotations; without
  /// parts, nodes of bodies that touch are gathered into one aggregate, which cannot slide. indefinite: A is not
  /// positive definite.
  SolveReport::Status set_up(const RowMatrix& A, const UnknownNodes& nodes);
  /// Takes the values of another A, with the aggregates and P of the set-up.
  SolveReport::Status refresh(const RowMatrix& A);
  /// The memory of the levels goes back.
  void forget();
  double apply(const Vector& r, Vector& z) override;
  /// Entries of the matrices of all levels over those of A.
  double complexity() const;

 private:
  SolveReport::Status factor_coarsest();
  void cycle(std::size_t k);

  std::vector<std::unique_ptr<GridLevel>> levels_;
  std::unique_ptr<Factor> coarsest_;
  SparseMatrix A_coarsest_;
  Vector b_coarsest_, x_coarsest_;
};

}  // namespace limber
