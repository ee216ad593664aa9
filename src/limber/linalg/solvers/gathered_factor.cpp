#include "limber/linalg/solvers/gathered_factor.hpp"

#include "limber/linalg/gathered.hpp"

namespace limber {
namespace {

class GatheredFactor final : public Factor {
 public:
  GatheredFactor(Symmetry symmetry, const Space& space, MakeFactor make)
      : symmetry_(symmetry), space_(space), make_(std::move(make)) {}

  void analyze(const SparseMatrix& A) override {
    const SparseMatrix whole = gather_matrix(space_, A, symmetry_);
    factor_ = make_(whole);
    factor_->analyze(whole);
  }
  FactorCost cost() const override { return factor_->cost(); }
  SolveReport::Status factorize(const SparseMatrix& A) override {
    return factor_->factorize(gather_matrix(space_, A, symmetry_));
  }
  void solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) override {
    Matrix whole(space_.global_size(B.rows()), B.cols()), found(whole.rows(), B.cols());
    for (Index c = 0; c < B.cols(); ++c) whole.col(c) = space_.allgather(B.col(c));
    factor_->solve(whole, found);
    for (Index c = 0; c < B.cols(); ++c) X.col(c) = space_.restrict(found.col(c));
  }

 private:
  Symmetry symmetry_;
  Space space_;
  MakeFactor make_;
  std::unique_ptr<Factor> factor_;
};

}  // namespace

std::unique_ptr<Factor> make_gathered_factor(const SparseMatrix& A, Symmetry symmetry, const Space& space,
                                             const MakeFactor& make) {
  if (!space.shared()) return make(A);
  return std::make_unique<GatheredFactor>(symmetry, space, make);
}

}  // namespace limber
