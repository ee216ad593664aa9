#include "limber/linalg/solvers/factor.hpp"

#ifdef LIMBER_HAS_PETSC
#include "limber/linalg/solvers/distributed_matrix.hpp"
#else
#include "limber/core/errors.hpp"
#endif

namespace limber {

#ifndef LIMBER_HAS_PETSC

std::unique_ptr<Factor> make_mumps_factor(const Space&) {
  throw InputError("method.solver", "this program was built without PETSc: `make mpi` builds one that has it");
}

#else

namespace {

class MumpsFactor final : public Factor {
 public:
  explicit MumpsFactor(const Space& space) : space_(space), matrix_(space, Symmetry::symmetric) { begin_petsc(); }

  void analyze(const SparseMatrix& A) override {
    matrix_.take(A);
    check_petsc(MatSetErrorIfFailure(matrix_.matrix(), PETSC_FALSE));
    check_petsc(MatGetFactor(matrix_.matrix(), MATSOLVERMUMPS, MAT_FACTOR_CHOLESKY, factor_.fresh()));
    // Who asks for a positive definite matrix needs no pivots but those that come; their signs still tell what it is.
    check_petsc(MatMumpsSetCntl(factor_, 1, 0));
    MatFactorInfo info;
    check_petsc(MatFactorInfoInitialize(&info));
    check_petsc(MatCholeskyFactorSymbolic(factor_, matrix_.matrix(), nullptr, &info));
    check_petsc(MatCreateVecs(matrix_.matrix(), x_.fresh(), b_.fresh()));
    PetscInt entries = 0;
    PetscReal flops = 0;
    check_petsc(MatMumpsGetInfog(factor_, 20, &entries));
    check_petsc(MatMumpsGetRinfog(factor_, 1, &flops));
    cost_ = {flops, entries < 0 ? -1e6 * static_cast<double>(entries) : static_cast<double>(entries)};
  }

  FactorCost cost() const override { return cost_; }

  SolveReport::Status factorize(const SparseMatrix& A) override {
    if (matrix_.take(A)) analyze(A);
    MatFactorInfo info;
    check_petsc(MatFactorInfoInitialize(&info));
    // More room than the analysis foresees [%], where that does not do.
    for (const PetscInt room : {20, 60, 200}) {
      check_petsc(MatMumpsSetIcntl(factor_, 14, room));
      check_petsc(MatCholeskyFactorNumeric(factor_, matrix_.matrix(), &info));
      MatFactorError error = MAT_FACTOR_NOERROR;
      check_petsc(MatFactorGetError(factor_, &error));
      if (error == MAT_FACTOR_NOERROR) break;
      if (error != MAT_FACTOR_OUTMEMORY || room == 200) return SolveReport::Status::singular;
    }
    PetscInt negative = 0;
    check_petsc(MatMumpsGetInfog(factor_, 12, &negative));
    return negative > 0 ? SolveReport::Status::indefinite : SolveReport::Status::ok;
  }

  void solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) override {
    Vector x;
    for (Index c = 0; c < B.cols(); ++c) {
      matrix_.to_petsc(B.col(c), b_);
      check_petsc(MatSolve(factor_, b_, x_));
      matrix_.from_petsc(x_, x);
      X.col(c) = x;
    }
  }

 private:
  Space space_;
  DistributedMatrix matrix_;
  PetscOwned<Mat, MatDestroy> factor_;
  PetscOwned<Vec, VecDestroy> x_, b_;
  FactorCost cost_;
};

}  // namespace

std::unique_ptr<Factor> make_mumps_factor(const Space& space) { return std::make_unique<MumpsFactor>(space); }

#endif

}  // namespace limber
