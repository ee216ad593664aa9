#include "limber/linalg/solvers/petsc_solver.hpp"

#include "limber/core/errors.hpp"

#ifdef LIMBER_HAS_PETSC
#include <fmt/format.h>

#include <vector>

#include "limber/linalg/solvers/distributed_matrix.hpp"
#include "limber/linalg/symmetric_product.hpp"
#endif

namespace limber {

#ifndef LIMBER_HAS_PETSC

void set_petsc_options(const std::string& options) {
  if (options.empty()) return;
  throw InputError("method.petsc", "this program was built without PETSc: `make mpi` builds one that has it");
}

std::unique_ptr<LinearSolver> make_petsc_solver(PetscMethod, Symmetry, UnknownNodes) {
  throw InputError("method.solver", "this program was built without PETSc: `make mpi` builds one that has it");
}

#else

void check_petsc(PetscErrorCode code) {
  if (code == 0) return;
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  throw StepFailure(fmt::format("PETSc: {} (error {})", text ? text : "unknown error", code));
}

void begin_petsc() {
  static const bool begun = [] {
    // Other ways to make coarse matrices add what comes from other processes in the order of its arrival: with three
    // processes or more, equal runs then had other bits (PETSc 3.18).
    int processes = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    int argc = processes > 1 ? 4 : 2;  // there is no such way on one
    char name[] = "limber", quiet[] = "-no_signal_handler", key[] = "-matptap_via", value[] = "allatonce";
    char* list[] = {name, quiet, key, value, nullptr};
    char** argv = list;
    check_petsc(PetscInitialize(&argc, &argv, nullptr, nullptr));
    check_petsc(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
    Processes::at_end([] { PetscFinalize(); });
    return true;
  }();
  (void)begun;
}

namespace {

using Status = SolveReport::Status;

/// Options that were given but that nobody has asked for.
std::string& options_given() {
  static std::string text;
  return text;
}

void require_all_used() {
  if (options_given().empty()) return;
  PetscInt count = 0;
  char **names = nullptr, **values = nullptr;
  check_petsc(PetscOptionsLeftGet(nullptr, &count, &names, &values));
  std::vector<std::string> unused;
  for (PetscInt i = 0; i < count; ++i)
    if (const std::string name = std::string("-") + names[i]; options_given().find(name) != std::string::npos)
      unused.push_back(name);
  check_petsc(PetscOptionsLeftRestore(nullptr, &count, &names, &values));
  if (!unused.empty()) throw InputError("method.petsc", fmt::format("PETSc does not know {} here", join(unused)));
}

class PetscSolver final : public LinearSolver {
 public:
  PetscSolver(PetscMethod method, Symmetry symmetry, UnknownNodes nodes)
      : method_(method),
        symmetry_(symmetry),
        nodes_(nodes),
        space_(nodes.space ? *nodes.space : Space()),
        matrix_(space_, symmetry) {
    begin_petsc();
  }

  void set_matrix(const SparseMatrix& A) override {
    local_ = &A;
    if (matrix_.take(A)) {
      check_petsc(MatCreateVecs(matrix_.matrix(), x_.fresh(), b_.fresh()));
      add_rigid_motions(A.cols());
      ksp_.reset();
      ++counts_.analyses;
    }
    levels_.fresh = true;
  }

  SolveReport solve(const Vector& b, Vector& x, double tolerance) override {
    ++counts_.solves;
    if (space_.is_zero(b)) {
      x.setZero(b.size());
      return {};
    }
    const bool had = prepare();
    SolveReport report = attempt(b, x, tolerance);
    if (had && method_ == PetscMethod::multigrid && report.status != Status::ok) {  // levels of another matrix
      ksp_.reset();
      prepare();
      report = attempt(b, x, tolerance);
    }
    return report;
  }

  void multiply(const Vector& x, Vector& y) const override {
    y = symmetry_ == Symmetry::symmetric ? symmetric_product(*local_, x) : Vector(*local_ * x);
    space_.add_up(y);
  }
  void reset() override { ksp_.reset(); }
  SolverCounts counts() const override { return counts_; }

 private:
  /// Of the shape at the start: what multigrid must not smear.
  void add_rigid_motions(Index unknowns) {
    if (!space_.all(nodes_.positions && nodes_.positions->size() == unknowns)) return;
    PetscOwned<Vec, VecDestroy> places;
    check_petsc(VecDuplicate(x_, places.fresh()));
    check_petsc(VecSetBlockSize(places, 3));
    matrix_.to_petsc(*nodes_.positions, places);
    MatNullSpace motions = nullptr;
    check_petsc(MatNullSpaceCreateRigidBody(places, &motions));
    check_petsc(MatSetNearNullSpace(matrix_.matrix(), motions));
    check_petsc(MatNullSpaceDestroy(&motions));
  }

  /// Whether levels or factors of an earlier matrix are still in use.
  bool prepare() {
    if (ksp_) {
      const bool stale =
          method_ == PetscMethod::direct ? levels_.fresh : levels_.last > most_growth * levels_.first + most_more;
      if (!stale) {
        if (levels_.fresh) check_petsc(KSPSetOperators(ksp_, matrix_.matrix(), matrix_.matrix()));
        check_petsc(KSPSetReusePreconditioner(ksp_, PETSC_TRUE));
        levels_.fresh = false;
        return true;
      }
    }
    check_petsc(KSPCreate(PETSC_COMM_WORLD, ksp_.fresh()));
    check_petsc(KSPSetOperators(ksp_, matrix_.matrix(), matrix_.matrix()));
    PC pc = nullptr;
    check_petsc(KSPGetPC(ksp_, &pc));
    if (method_ == PetscMethod::direct) {
      check_petsc(KSPSetType(ksp_, KSPPREONLY));
      check_petsc(PCSetType(pc, symmetry_ == Symmetry::symmetric ? PCCHOLESKY : PCLU));
      check_petsc(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
    } else {
      check_petsc(KSPSetType(ksp_, symmetry_ == Symmetry::symmetric ? KSPCG : KSPGMRES));
      check_petsc(KSPSetNormType(ksp_, KSP_NORM_UNPRECONDITIONED));
      if (symmetry_ == Symmetry::general) check_petsc(KSPSetPCSide(ksp_, PC_RIGHT));
      check_petsc(PCSetType(pc, PCGAMG));
      check_petsc(PCGAMGSetNSmooths(pc, 1));
    }
    check_petsc(KSPSetFromOptions(ksp_));
    check_petsc(KSPSetUp(ksp_));
    ++counts_.factorizations;
    levels_.first = levels_.last = 0;
    levels_.fresh = false;
    return false;
  }

  SolveReport attempt(const Vector& b, Vector& x, double tolerance) {
    constexpr int most = 2000;
    check_petsc(KSPSetTolerances(ksp_, tolerance, 1e-300, 1e100, most));
    matrix_.to_petsc(b, b_);
    check_petsc(KSPSolve(ksp_, b_, x_));
    if (counts_.solves == 1) require_all_used();
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    PetscInt iterations = 0;
    PetscReal left = 0, size = 1;
    check_petsc(KSPGetConvergedReason(ksp_, &reason));
    check_petsc(KSPGetIterationNumber(ksp_, &iterations));
    check_petsc(KSPGetResidualNorm(ksp_, &left));
    check_petsc(VecNorm(b_, NORM_2, &size));
    SolveReport report{Status::ok, static_cast<int>(iterations), left / size};
    counts_.iterations += iterations;
    levels_.last = static_cast<int>(iterations);
    if (levels_.first == 0) levels_.first = levels_.last;
    if (reason == KSP_DIVERGED_INDEFINITE_MAT || reason == KSP_DIVERGED_INDEFINITE_PC)
      report.status = Status::indefinite;
    else if (reason < 0)
      report.status = method_ == PetscMethod::direct ? Status::singular : Status::not_converged;
    if (method_ == PetscMethod::direct && report.status == Status::ok && negative_pivots() > 0)
      report.status = Status::indefinite;
    matrix_.from_petsc(x_, x);
    if (!space_.all_finite(x)) report.status = Status::singular;
    return report;
  }

  int negative_pivots() const {
    if (symmetry_ != Symmetry::symmetric) return 0;
    PC pc = nullptr;
    Mat factor = nullptr;
    PetscInt count = 0;
    check_petsc(KSPGetPC(ksp_, &pc));
    check_petsc(PCFactorGetMatrix(pc, &factor));
    check_petsc(MatMumpsGetInfog(factor, 12, &count));
    return static_cast<int>(count);
  }

  /// Levels of an earlier matrix serve until a solve takes this many more iterations than their first one.
  static constexpr double most_growth = 1.5;
  static constexpr int most_more = 4;

  PetscMethod method_;
  Symmetry symmetry_;
  UnknownNodes nodes_;
  Space space_;
  const SparseMatrix* local_ = nullptr;
  DistributedMatrix matrix_;
  PetscOwned<Vec, VecDestroy> x_, b_;
  PetscOwned<KSP, KSPDestroy> ksp_;
  struct {
    bool fresh = false;       // there are new values since the last solve
    int first = 0, last = 0;  // iterations with the present levels
  } levels_;
  SolverCounts counts_;
};

}  // namespace

void set_petsc_options(const std::string& options) {
  if (options.empty()) return;
  begin_petsc();
  options_given() = options;
  if (PetscOptionsInsertString(nullptr, options.c_str()) != 0)
    throw InputError("method.petsc", "\"" + options + "\" is not a list of options such as \"-ksp_type cg\"");
}

std::unique_ptr<LinearSolver> make_petsc_solver(PetscMethod method, Symmetry symmetry, UnknownNodes nodes) {
  return std::make_unique<PetscSolver>(method, symmetry, nodes);
}

#endif

}  // namespace limber
