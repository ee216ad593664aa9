#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "limber/linalg/solvers/factor.hpp"

namespace limber {
namespace {

class DenseLlt final : public Factor {
 public:
  void analyze(const SparseMatrix& A) override { n_ = static_cast<double>(A.cols()); }
  FactorCost cost() const override { return {n_ * n_ * n_ / 3, n_ * n_ / 2}; }
  SolveReport::Status factorize(const SparseMatrix& A) override {
    dense_ = A;
    llt_.compute(dense_);
    return llt_.info() == Eigen::Success ? SolveReport::Status::ok : SolveReport::Status::indefinite;
  }
  void solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) override {
    X = B;
    if (B.cols() == 1) {  // a product of matrices would copy the factor first
      auto x = X.col(0);
      llt_.matrixL().solveInPlace(x);
      llt_.matrixU().solveInPlace(x);
    } else {
      llt_.solveInPlace(X);
    }
  }

 private:
  double n_ = 0;
  Matrix dense_;
  Eigen::LLT<Matrix> llt_;
};

class DenseLu final : public Factor {
 public:
  explicit DenseLu(Symmetry symmetry) : symmetry_(symmetry) {}
  void analyze(const SparseMatrix& A) override { n_ = static_cast<double>(A.cols()); }
  FactorCost cost() const override { return {2 * n_ * n_ * n_ / 3, n_ * n_}; }
  SolveReport::Status factorize(const SparseMatrix& A) override {
    dense_ = A;
    if (symmetry_ == Symmetry::symmetric) dense_ = Matrix(dense_.selfadjointView<Eigen::Lower>());
    lu_.compute(dense_);
    const Vector scale = dense_.cwiseAbs().rowwise().maxCoeff();
    const Vector pivots = lu_.matrixLU().diagonal().cwiseAbs();
    const double smallest = 4 * std::numeric_limits<double>::epsilon();
    const Vector row_scale = lu_.permutationP() * scale;
    for (Index i = 0; i < pivots.size(); ++i)
      if (!(pivots[i] > smallest * row_scale[i])) return SolveReport::Status::singular;
    return SolveReport::Status::ok;
  }
  void solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) override { X = lu_.solve(B); }

 private:
  Symmetry symmetry_;
  double n_ = 0;
  Matrix dense_;
  Eigen::PartialPivLU<Matrix> lu_;
};

/// Whether a dense factor is the cheaper one without a look at the pattern.
bool better_dense(const SparseMatrix& A, Symmetry symmetry) {
  const double n = static_cast<double>(A.cols());
  const double entries = static_cast<double>(A.nonZeros()) * (symmetry == Symmetry::symmetric ? 2 : 1);
  return n <= 48 || (n <= 3000 && entries > .4 * n * n);
}

}  // namespace

std::unique_ptr<Factor> make_dense_factor(Symmetry symmetry) {
  if (symmetry == Symmetry::symmetric) return std::make_unique<DenseLlt>();
  return std::make_unique<DenseLu>(symmetry);
}

std::unique_ptr<Factor> make_best_factor(const SparseMatrix& A, Symmetry symmetry) {
  if (better_dense(A, symmetry)) return make_dense_factor(symmetry);
  if (symmetry == Symmetry::general) return make_lu_factor(symmetry);
  if (auto cholmod = make_cholmod_factor()) return cholmod;
  return make_simplicial_llt();
}

bool positive_definite(const SparseMatrix& A) {
  const auto factor = make_best_factor(A, Symmetry::symmetric);
  factor->analyze(A);
  return factor->factorize(A) == SolveReport::Status::ok;
}

}  // namespace limber
