#include "limber/core/errors.hpp"
#include "limber/linalg/modes_not_found.hpp"
#include "limber/linalg/solvers/factor.hpp"
#include "limber/linalg/solvers/multigrid_solver.hpp"

namespace limber {
namespace {

class MultigridFactor final : public Factor {
 public:
  explicit MultigridFactor(const Vector* positions) : solver_({positions}) {}

  void analyze(const SparseMatrix&) override {}

  /// A solve is some hundred products; levels cost about half of one.
  FactorCost cost() const override {
    const double entries = 100 * static_cast<double>(A_.nonZeros());
    return {5 * entries, entries};
  }

  /// Multigrid itself does not see whether A is positive definite: a solve does, as good as certainly.
  SolveReport::Status factorize(const SparseMatrix& A) override {
    A_ = A;
    solver_.reset();
    solver_.set_matrix(A_);
    Vector b(A.cols()), x;
    unsigned state = 1;  // of a plain linear congruence
    for (double& v : b) v = static_cast<double>((state = 1664525u * state + 1013904223u) >> 8) / (1u << 23) - 1;
    return solver_.solve(b, x, tolerance).status;
  }

  void solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) override {
    Vector x;
    for (Index c = 0; c < B.cols(); ++c) {
      if (solver_.solve(B.col(c), x, tolerance).status != SolveReport::Status::ok)
        throw ModesNotFound("conjugate gradients with multigrid do not converge");
      X.col(c) = x;
    }
  }

 private:
  static constexpr double tolerance = 1e-12;
  SparseMatrix A_;
  MultigridSolver solver_;
};

class MultigridCycle final : public Factor {
 public:
  MultigridCycle(std::unique_ptr<RowMatrix> rows, const Vector* positions)
      : rows_(std::move(rows)),
        positions_(positions),
        entries_(rows_->space().sum(static_cast<double>(rows_->entries()))) {}

  void analyze(const SparseMatrix&) override {}

  /// Levels cost as much as the cycles of about fifty columns.
  FactorCost cost() const override { return {500 * entries_, entries_}; }

  SolveReport::Status factorize(const SparseMatrix& A) override {
    rows_->refresh(A);
    return multigrid_.set_up(*rows_, {positions_, nullptr, nullptr, &rows_->space()});
  }

  void solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) override {
    Vector z;
    for (Index c = 0; c < B.cols(); ++c) {
      multigrid_.apply(B.col(c), z);
      X.col(c) = z;
    }
  }

 private:
  std::unique_ptr<RowMatrix> rows_;
  const Vector* positions_;
  double entries_;  // on all processes
  Multigrid multigrid_;
};

}  // namespace

std::unique_ptr<Factor> make_multigrid_cycle(const SparseMatrix& A, const Vector* positions, const Space& space) {
  auto rows = make_row_matrix(A, Symmetry::symmetric, space);
  if (rows->block_size() != 3) return nullptr;
  return std::make_unique<MultigridCycle>(std::move(rows), positions);
}

std::unique_ptr<Factor> make_multigrid_factor(const Vector* positions) {
  return std::make_unique<MultigridFactor>(positions);
}

}  // namespace limber
