#include <Eigen/SparseLU>

#include "limber/core/errors.hpp"
#include "limber/linalg/blas_threads.hpp"
#include "limber/linalg/solvers/factor.hpp"
#ifdef LIMBER_HAS_SUITESPARSE
#include <umfpack.h>
#endif

namespace limber {
namespace {

/// A general matrix as it is, a symmetric one with its upper triangle.
class Expanded {
 public:
  explicit Expanded(Symmetry symmetry) : symmetry_(symmetry) {}
  const SparseMatrix& of(const SparseMatrix& A) {
    if (symmetry_ == Symmetry::general) return A;
    full_ = A.selfadjointView<Eigen::Lower>();
    return full_;
  }

 private:
  Symmetry symmetry_;
  SparseMatrix full_;
};

#ifdef LIMBER_HAS_SUITESPARSE

class LuFactor final : public Factor {
 public:
  explicit LuFactor(Symmetry symmetry) : expanded_(symmetry) {
    pin_blas_threads();
    umfpack_di_defaults(control_);
    control_[UMFPACK_ORDERING] = UMFPACK_ORDERING_CHOLMOD;
    control_[UMFPACK_IRSTEP] = 0;  // refinement is the solvers' own, and needs no copy of the matrix
  }
  ~LuFactor() override {
    umfpack_di_free_symbolic(&symbolic_);
    umfpack_di_free_numeric(&numeric_);
  }
  LuFactor(const LuFactor&) = delete;
  LuFactor& operator=(const LuFactor&) = delete;

  void analyze(const SparseMatrix& given) override {
    const SparseMatrix& A = expanded_.of(given);
    const int n = static_cast<int>(A.cols());
    double info[UMFPACK_INFO];
    umfpack_di_free_symbolic(&symbolic_);
    // Without values: the strategy must follow from the pattern alone.
    check(umfpack_di_symbolic(n, n, A.outerIndexPtr(), A.innerIndexPtr(), nullptr, &symbolic_, control_, info));
    cost_ = {info[UMFPACK_FLOPS_ESTIMATE], info[UMFPACK_LNZ_ESTIMATE] + info[UMFPACK_UNZ_ESTIMATE]};
  }

  FactorCost cost() const override { return cost_; }

  SolveReport::Status factorize(const SparseMatrix& given) override {
    const SparseMatrix& A = expanded_.of(given);
    umfpack_di_free_numeric(&numeric_);
    const int status =
        umfpack_di_numeric(A.outerIndexPtr(), A.innerIndexPtr(), A.valuePtr(), symbolic_, &numeric_, control_, info_);
    if (status == UMFPACK_WARNING_singular_matrix || info_[UMFPACK_RCOND] < 1e-18) return SolveReport::Status::singular;
    check(status);
    return SolveReport::Status::ok;
  }

  void solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) override {
    for (Index c = 0; c < B.cols(); ++c) {
      x_ = B.col(c);
      y_.resize(x_.size());
      check(umfpack_di_solve(UMFPACK_A, nullptr, nullptr, nullptr, y_.data(), x_.data(), numeric_, control_, info_));
      X.col(c) = y_;
    }
  }

 private:
  void check(int status) const {
    if (status == UMFPACK_ERROR_out_of_memory)
      throw OutOfMemory("a factor of an unsymmetric matrix", sizeof(double) * cost_.entries);
    if (status < 0) throw StepFailure("UMFPACK failed with status " + std::to_string(status));
  }

  Expanded expanded_;
  void *symbolic_ = nullptr, *numeric_ = nullptr;
  double control_[UMFPACK_CONTROL], info_[UMFPACK_INFO];
  FactorCost cost_;
  Vector x_, y_;
};

#else

class LuFactor final : public Factor {
 public:
  explicit LuFactor(Symmetry symmetry) : expanded_(symmetry) {}
  void analyze(const SparseMatrix& given) override {
    const SparseMatrix& A = expanded_.of(given);
    lu_.analyzePattern(A);
    // Counts of a three-dimensional mesh under nested dissection: Eigen tells them only after a factorisation.
    const double n = static_cast<double>(A.cols());
    cost_ = {8 * n * n, 2 * static_cast<double>(A.nonZeros()) + 6 * std::pow(n, 4. / 3)};
  }
  FactorCost cost() const override { return cost_; }
  SolveReport::Status factorize(const SparseMatrix& given) override {
    lu_.factorize(expanded_.of(given));
    return lu_.info() == Eigen::Success ? SolveReport::Status::ok : SolveReport::Status::singular;
  }
  void solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) override { X = Matrix(lu_.solve(Matrix(B))); }

 private:
  Expanded expanded_;
  Eigen::SparseLU<SparseMatrix, Eigen::COLAMDOrdering<int> > lu_;
  FactorCost cost_;
};

#endif

}  // namespace

std::unique_ptr<Factor> make_lu_factor(Symmetry symmetry) { return std::make_unique<LuFactor>(symmetry); }

}  // namespace limber
