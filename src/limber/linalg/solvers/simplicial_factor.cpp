#include <Eigen/SparseCholesky>

#include "limber/linalg/solvers/factor.hpp"

namespace limber {
namespace {

using Llt = Eigen::SimplicialLLT<SparseMatrix, Eigen::Lower>;
using Ldlt = Eigen::SimplicialLDLT<SparseMatrix, Eigen::Lower>;

/// Opens the column counts that Eigen has after the analysis.
template <class Solver>
struct WithCounts : Solver {
  FactorCost counts() const {
    FactorCost cost;
    for (Index j = 0; j < this->m_nonZerosPerCol.size(); ++j) {
      const double below = this->m_nonZerosPerCol[j];
      cost.entries += below + 1;
      cost.flops += (below + 1) * (below + 1);
    }
    return cost;
  }
};

/// max_k |A_ik| of a symmetric matrix given by its lower triangle.
Vector largest_in_rows(const SparseMatrix& A) {
  Vector largest = Vector::Zero(A.cols());
  for (int j = 0; j < A.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(A, j); it; ++it) {
      if (it.row() < j) continue;
      largest[it.row()] = std::max(largest[it.row()], std::abs(it.value()));
      largest[j] = std::max(largest[j], std::abs(it.value()));
    }
  return largest;
}

template <class Solver>
class SimplicialFactor final : public Factor {
 public:
  void analyze(const SparseMatrix& A) override { solver_.analyzePattern(A); }
  FactorCost cost() const override { return solver_.counts(); }

  SolveReport::Status factorize(const SparseMatrix& A) override {
    solver_.factorize(A);
    if constexpr (std::is_same_v<Solver, Llt>)
      return solver_.info() == Eigen::Success ? SolveReport::Status::ok : SolveReport::Status::indefinite;
    else
      return solver_.info() == Eigen::Success && regular(A) ? SolveReport::Status::ok : SolveReport::Status::singular;
  }

  void solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) override { X = solver_.solve(B); }

 private:
  /// A pivot that is no more than the rounding of its row is a zero.
  bool regular(const SparseMatrix& A) const {
    if constexpr (std::is_same_v<Solver, Ldlt>) {
      const Vector D = solver_.vectorD(), scale = solver_.permutationP() * largest_in_rows(A);
      const double eps = 4 * std::numeric_limits<double>::epsilon();
      for (Index i = 0; i < D.size(); ++i)
        if (!(std::abs(D[i]) > eps * scale[i])) return false;
    }
    return true;
  }

  WithCounts<Solver> solver_;
};

}  // namespace

std::unique_ptr<Factor> make_simplicial_llt() { return std::make_unique<SimplicialFactor<Llt>>(); }
std::unique_ptr<Factor> make_simplicial_ldlt() { return std::make_unique<SimplicialFactor<Ldlt>>(); }

}  // namespace limber
