#include "limber/linalg/modes/slepc_search.hpp"

#include "limber/core/errors.hpp"

#ifdef LIMBER_HAS_SLEPC
#include <slepceps.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "limber/core/nodes.hpp"
#include "limber/linalg/scattered_numbers.hpp"
#include "limber/linalg/solvers/petsc_support.hpp"
#endif

namespace limber {

#ifndef LIMBER_HAS_SLEPC

bool slepc_serves(const Communicator&) { return false; }

std::unique_ptr<ModeIteration> make_slepc_search(const ShiftInvert&, const BlockProduct&, const BlockProduct&,
                                                 const Matrix&) {
  throw InputError("modes", "this program was built without SLEPc: `make mpi` builds one that has it");
}

#else

namespace {

void begin_slepc() {
  static const bool begun = [] {
    begin_petsc();
    check_petsc(SlepcInitialize(nullptr, nullptr, nullptr, nullptr));  // it ends with PETSc
    return true;
  }();
  (void)begun;
}

/// Vectors of PETSc have the rows that a process answers for.
class OwnRows {
 public:
  explicit OwnRows(const Space& space) : space_(space) {
    for (Index i = 0; i < static_cast<Index>(space.places().size()); ++i)
      if (space.owns(i)) own_.emplace_back(i, space.numbering().number[static_cast<std::size_t>(i)] - numbers().first);
  }
  const Space::Numbering& numbers() const { return space_.numbering(); }

  template <class From>
  void write(const From& x, Vec out) const {
    PetscScalar* values = nullptr;
    check_petsc(VecGetArrayWrite(out, &values));
    for (const auto& [held, own] : own_)
      for (Index c = 0; c < 3; ++c) values[3 * own + c] = x[3 * held + c];
    check_petsc(VecRestoreArrayWrite(out, &values));
  }

  Vector read(Vec in) const {
    Vector x = Vector::Zero(3 * static_cast<Index>(space_.places().size()));
    const PetscScalar* values = nullptr;
    check_petsc(VecGetArrayRead(in, &values));
    for (const auto& [held, own] : own_)
      for (Index c = 0; c < 3; ++c) x[3 * held + c] = values[3 * own + c];
    check_petsc(VecRestoreArrayRead(in, &values));
    space_.add_up(x);
    return x;
  }

  Vec make() const {
    Vec x = nullptr;
    check_petsc(VecCreateMPI(PETSC_COMM_WORLD, 3 * numbers().own, 3 * numbers().nodes, &x));
    return x;
  }

 private:
  Space space_;
  std::vector<std::pair<Index, Index> > own_;  // nodes: among those held, and among its own
};

class SlepcSearch final : public ModeIteration {
 public:
  SlepcSearch(const ShiftInvert& op, const BlockProduct& K, const BlockProduct& M, const Matrix& locked)
      : op_(op), K_(K), M_(M), locked_(locked), rows_(M.space()) {
    begin_slepc();
    found_.X.resize(locked.rows(), 0);
    const Vector& m = M.diagonal();
    mass_ = M.space().dot(m, Vector::Ones(m.size())) / (3. * rows_.numbers().nodes);
    if (!M.only_diagonal()) return;
    *diagonal_.fresh() = rows_.make();
    rows_.write(m, diagonal_);
  }

  /// Goes on to the end unless the shift turns out to be a bad one.
  void look(Index count) override {
    run_.looking = true;
    extend(count, count);
    run_.looking = false;
  }

  void find(Index count) override {
    if (found_.lambda.size() == 0) extend(count, count);
    for (Index runs = 0; known() < count + 1; ++runs) {
      if (runs > count + 100) throw ModesNotFound("eigenvalues of high multiplicity keep appearing");
      extend(1, count);
    }
  }

  Vector lambda() const override { return found_.lambda.size() > 0 ? found_.lambda : run_.seen; }
  Matrix vectors(Index count) const override { return found_.X.leftCols(count); }

 private:
  static constexpr double tolerance = 1e-8;
  static constexpr double rounding = 1e-7;  // of the largest λ: residuals below `tolerance` of this are noise
  static constexpr PetscInt block = 8, most_iterations = 2000;

  /// Nothing is missing among those that are at most the lowest mode of the last run.
  Index known() const { return (found_.lambda.array() <= found_.complete_to).count(); }

  /// A run beside all that is known, for so many more modes; `count`: of those that are wanted in all.
  void extend(Index more, Index count) {
    run_.count = count;
    PetscOwned<EPS, EPSDestroy> eps;
    PetscOwned<Mat, MatDestroy> K, M;
    make_matrix(K_product, K);
    make_matrix(M_product, M);
    const auto wanted = static_cast<PetscInt>(more);
    check_petsc(EPSCreate(PETSC_COMM_WORLD, eps.fresh()));
    check_petsc(EPSSetOperators(eps, K, M));
    check_petsc(EPSSetProblemType(eps, EPS_GHEP));
    check_petsc(EPSSetType(eps, EPSGD));
    check_petsc(EPSSetWhichEigenpairs(eps, EPS_SMALLEST_REAL));
    check_petsc(EPSSetDimensions(eps, wanted, 3 * wanted + 20, PETSC_DEFAULT));
    check_petsc(EPSGDSetBlockSize(eps, std::min(block, wanted)));
    check_petsc(EPSGDSetBOrth(eps, PETSC_TRUE));
    check_petsc(EPSSetTolerances(eps, tolerance, most_iterations));
    check_petsc(EPSSetConvergenceTestFunction(eps, judge, this, nullptr));
    check_petsc(EPSSetStoppingTestFunction(eps, may_stop, this, nullptr));
    check_petsc(EPSMonitorSet(eps, note, this, nullptr));
    set_preconditioner(eps);
    set_known(eps);
    set_start(eps, std::min(block, wanted));
    run_.seen.resize(0);
    const PetscErrorCode code = EPSSolve(eps);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    check_petsc(code);
    EPSConvergedReason reason = EPS_CONVERGED_ITERATING;
    PetscInt iterations = 0;
    check_petsc(EPSGetConvergedReason(eps, &reason));
    check_petsc(EPSGetIterationNumber(eps, &iterations));
    if (reason == EPS_CONVERGED_USER) return;  // another shift is needed
    if (reason < 0)
      throw ModesNotFound("the eigenvalue iteration (Davidson) did not converge", static_cast<int>(iterations));
    take(eps);
  }

  void make_matrix(PetscErrorCode (*product)(Mat, Vec, Vec), PetscOwned<Mat, MatDestroy>& matrix) {
    const PetscInt own = 3 * rows_.numbers().own, all = 3 * rows_.numbers().nodes;
    check_petsc(MatCreateShell(PETSC_COMM_WORLD, own, own, all, all, this, matrix.fresh()));
    check_petsc(MatShellSetOperation(matrix, MATOP_MULT, reinterpret_cast<void (*)()>(product)));
    check_petsc(MatSetOption(matrix, MAT_SYMMETRIC, PETSC_TRUE));
  }

  void set_preconditioner(EPS eps) {
    ST st = nullptr;
    KSP ksp = nullptr;
    PC pc = nullptr;
    check_petsc(EPSGetST(eps, &st));
    check_petsc(STSetType(st, STPRECOND));
    check_petsc(STSetMatMode(st, ST_MATMODE_SHELL));
    check_petsc(STGetKSP(st, &ksp));
    check_petsc(KSPSetType(ksp, KSPPREONLY));
    check_petsc(KSPGetPC(ksp, &pc));
    check_petsc(PCSetType(pc, PCSHELL));
    check_petsc(PCShellSetContext(pc, this));
    check_petsc(PCShellSetApply(pc, precondition));
  }

  /// SLEPc keeps copies.
  template <class Set>
  void give(const Matrix& X, const Set& set) {
    std::vector<Vec> columns;
    for (Index c = 0; c < X.cols(); ++c) {
      columns.push_back(rows_.make());
      rows_.write(X.col(c), columns.back());
    }
    set(static_cast<PetscInt>(columns.size()), columns.data());
    for (Vec& x : columns) check_petsc(VecDestroy(&x));
  }

  void set_known(EPS eps) {
    Matrix known(locked_.rows(), locked_.cols() + found_.X.cols());
    known << locked_, found_.X;
    if (known.cols() == 0) return;
    give(known, [&](PetscInt count, Vec* x) { check_petsc(EPSSetDeflationSpace(eps, count, x)); });
  }

  /// Other vectors in each run, scaled so that light parts are no less present than heavy ones, and smoothed.
  void set_start(EPS eps, Index count) {
    const Matrix R = scattered_numbers(M_.space(), locked_.rows(), count, ++seed_ << 32);
    give(op_ * Matrix(M_.diagonal().cwiseSqrt().asDiagonal() * R),
         [&](PetscInt columns, Vec* x) { check_petsc(EPSSetInitialSpace(eps, columns, x)); });
  }

  /// Numbers that processes compute alike are made equal in all bits, since decisions follow from them.
  void take(EPS eps) {
    const Space& space = M_.space();
    PetscInt found = 0;
    check_petsc(EPSGetConverged(eps, &found));
    const Index before = found_.X.cols();
    Vector lambda(before + found);
    Matrix X(found_.X.rows(), before + found);
    lambda.head(before) = found_.lambda;
    X.leftCols(before) = found_.X;
    Vec x = rows_.make();
    found_.complete_to = std::numeric_limits<double>::infinity();
    for (PetscInt i = 0; i < found; ++i) {
      PetscScalar value = 0, imaginary = 0;
      check_petsc(EPSGetEigenpair(eps, i, &value, &imaginary, x, nullptr));
      lambda[before + i] = space.min(value);
      found_.complete_to = std::min(found_.complete_to, lambda[before + i]);
      X.col(before + i) = rows_.read(x);
    }
    check_petsc(VecDestroy(&x));
    std::vector<Index> order(static_cast<std::size_t>(lambda.size()));
    std::iota(order.begin(), order.end(), Index(0));
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return lambda[a] < lambda[b]; });
    found_.lambda = lambda(order);
    found_.X = X(Eigen::all, order);
  }

  /// Does what may throw within SLEPc, which is not to be unwound.
  template <class Work>
  static PetscErrorCode guarded(SlepcSearch& search, const Work& work) {
    try {
      work();
      return 0;
    } catch (...) {
      if (!search.failure_) search.failure_ = std::current_exception();
      return PETSC_ERR_USER;
    }
  }

  static SlepcSearch& of(Mat matrix) {
    void* self = nullptr;
    check_petsc(MatShellGetContext(matrix, &self));
    return *static_cast<SlepcSearch*>(self);
  }

  static PetscErrorCode K_product(Mat matrix, Vec x, Vec y) {
    SlepcSearch& here = of(matrix);
    return guarded(here, [&] { here.rows_.write((here.K_ * here.rows_.read(x)).col(0), y); });
  }

  static PetscErrorCode M_product(Mat matrix, Vec x, Vec y) {
    SlepcSearch& here = of(matrix);
    if (here.diagonal_) return VecPointwiseMult(y, here.diagonal_, x);
    return guarded(here, [&] { here.rows_.write((here.M_ * here.rows_.read(x)).col(0), y); });
  }

  static PetscErrorCode precondition(PC pc, Vec x, Vec y) {
    void* self = nullptr;
    if (const PetscErrorCode code = PCShellGetContext(pc, &self)) return code;
    auto& here = *static_cast<SlepcSearch*>(self);
    return guarded(here, [&] { here.rows_.write((here.op_ * here.rows_.read(x)).col(0), y); });
  }

  /// ‖Kx − λMx‖ in the norm of M⁻¹ (of a mean mass), relative to λ, or to those of vectors that it is kept orthogonal
  /// to: what these lack is found in every residual.
  static PetscErrorCode judge(EPS, PetscScalar lambda, PetscScalar, PetscReal residual, PetscReal* error, void* self) {
    const auto& here = *static_cast<const SlepcSearch*>(self);
    const double scale = std::max({std::abs(lambda), 1e-2 * here.run_.high, -here.run_.low, rounding * here.op_.top()});
    *error = residual / (std::sqrt(here.mass_) * scale);
    return 0;
  }

  /// After each iteration: what the λ look like. Those of a subspace are not below the true ones.
  static PetscErrorCode note(EPS, PetscInt, PetscInt, PetscScalar* ritz, PetscScalar*, PetscReal*, PetscInt all,
                             void* self) {
    auto& here = *static_cast<SlepcSearch*>(self);
    return guarded(here, [&] {
      Vector lambda = Eigen::Map<const Vector>(ritz, std::min<Index>(all, here.run_.count));
      if (lambda.size() == 0) return;
      for (double& value : lambda) value = here.M_.space().min(value);
      std::sort(lambda.begin(), lambda.end());
      here.op_.require_above_floor(lambda[0]);
      here.run_.high = std::max(std::abs(lambda[0]), std::abs(lambda[lambda.size() - 1]));
      here.run_.low = std::min(here.run_.low, lambda[0]);
      here.run_.seen = lambda;
    });
  }

  static PetscErrorCode may_stop(EPS eps, PetscInt iterations, PetscInt most, PetscInt converged, PetscInt wanted,
                                 EPSConvergedReason* reason, void* self) {
    const auto& here = *static_cast<const SlepcSearch*>(self);
    const double sigma = here.op_.sigma();
    if (here.run_.looking && here.run_.seen.size() == here.run_.count &&
        (-sigma > 4 * here.run_.high || here.run_.seen[0] < sigma)) {
      *reason = EPS_CONVERGED_USER;
      return 0;
    }
    return EPSStoppingBasic(eps, iterations, most, converged, wanted, reason, nullptr);
  }

  const ShiftInvert& op_;
  const BlockProduct &K_, &M_;
  const Matrix& locked_;
  OwnRows rows_;
  PetscOwned<Vec, VecDestroy> diagonal_;  // of M, where that is all
  double mass_ = 1;                       // the mean of its diagonal
  struct {
    Vector lambda;  // ascending
    Matrix X;       // #n × (as many as lambda)
    double complete_to = -std::numeric_limits<double>::infinity();
  } found_;
  struct {
    Vector seen;           // λ of a run that is not at its end, ascending
    double high = 0;       // the largest |λ| of the run that is wanted, as far as it is known
    double low = 0;        // the lowest λ, if any is negative
    Index count = 0;       // of modes that are wanted in all
    bool looking = false;  // it may stop where another shift is needed
  } run_;
  std::uint64_t seed_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

bool slepc_serves(const Communicator& processes) {
  int all = 1;
  if (processes.size() > 1) MPI_Comm_size(MPI_COMM_WORLD, &all);
  return all > 1 && all == processes.size();
}

std::unique_ptr<ModeIteration> make_slepc_search(const ShiftInvert& op, const BlockProduct& K, const BlockProduct& M,
                                                 const Matrix& locked) {
  return std::make_unique<SlepcSearch>(op, K, M, locked);
}

#endif

}  // namespace limber
