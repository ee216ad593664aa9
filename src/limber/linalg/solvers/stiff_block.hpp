#pragma once
/// z = B⁻¹r with B = A_SS on the few stiff nodes S and A's diagonal blocks elsewhere. Contact couples nodes more
/// strongly than the rest by orders of magnitude; with a factor of their small matrix, the iteration is as well
/// conditioned as without contact.

#include <memory>
#include <vector>

#include "limber/linalg/pattern.hpp"
#include "limber/linalg/solvers/factor.hpp"
#include "limber/linalg/solvers/krylov.hpp"

namespace limber {

class StiffBlock {
 public:
  /// If several processes share A, each has the factor of the whole A_SS.
  explicit StiffBlock(const Space& space = serial_space()) : space_(space) {}

  /// Finds S in a symmetric A (lower triangle, compressed) made of blocks of `block` rows, and factors A_SS. S is empty
  /// if stiff nodes are no minority. Returns indefinite if A_SS, and hence A, is not positive definite.
  SolveReport::Status set(const SparseMatrix& A, int block);
  /// Later results depend on the next matrix only.
  void reset() { chosen_.clear(); }
  bool empty() const { return unknowns_ == 0; }
  FactorCost cost() const { return factor_->cost(); }
  /// Overwrites z on S; returns the resulting change of rᵀz.
  double apply(const Vector& r, Vector& z);
  /// Adds A_SS⁻¹r to z on S; returns the resulting change of rᵀz.
  double add(const Vector& r, Vector& z);

 private:
  void choose(const SparseMatrix& A, int block);
  void measure(const SparseMatrix& A, int block);
  double median_trace();
  void find_couplings(const SparseMatrix& A, int block, double least);
  void extract(const SparseMatrix& A);
  void gather(const SparseMatrix& A);
  void solve(const Vector& r);

  Space space_;
  Index unknowns_ = 0;  // of S, over all processes
  struct {
    std::vector<double> trace, below, coupling;
  } entries_;                 // per node, used while S is chosen
  std::vector<char> chosen_;  // per node
  std::vector<int> rows_;     // unknowns of S held here, ascending
  std::vector<int> place_;    // per row of A: index in S, or −1
  SparseMatrix A_SS_;
  Pattern pattern_;
  std::unique_ptr<Factor> factor_;
  Vector r_, z_;
};

/// The diagonal blocks, with A_SS if there are stiff nodes.
class StiffBlockPreconditioner final : public Preconditioner {
 public:
  StiffBlockPreconditioner(const RowMatrix& A, StiffBlock& stiff) : diagonal_(A), stiff_(stiff) {}
  double apply(const Vector& r, Vector& z) override {
    const double rz = diagonal_.apply(r, z);
    return stiff_.empty() ? rz : rz + stiff_.apply(r, z);
  }

 private:
  DiagonalPreconditioner diagonal_;
  StiffBlock& stiff_;
};

}  // namespace limber
