#include "limber/linalg/solvers/linear_solver.hpp"

#include "limber/core/errors.hpp"
#include "limber/core/names.hpp"
#include "limber/linalg/solvers/auto_solver.hpp"
#include "limber/linalg/solvers/direct_solver.hpp"
#include "limber/linalg/solvers/krylov_solver.hpp"
#include "limber/linalg/solvers/multigrid_solver.hpp"
#include "limber/linalg/solvers/petsc_solver.hpp"
#include "limber/linalg/solvers/solver_catalog.hpp"

namespace limber {
namespace {

constexpr const char* key = "method.solver";

using MakeSolver = std::unique_ptr<LinearSolver> (*)(Symmetry, UnknownNodes);

template <std::unique_ptr<Factor> (*make_factor)()>
std::unique_ptr<LinearSolver> direct(Symmetry symmetry, UnknownNodes nodes) {
  make_factor();  // throws where the program has none
  return std::make_unique<DirectSolver>([](const SparseMatrix&) { return make_factor(); }, symmetry, nodes.where());
}

template <KrylovSolver::Method method>
std::unique_ptr<LinearSolver> krylov(Symmetry symmetry, UnknownNodes nodes) {
  return std::make_unique<KrylovSolver>(method, symmetry, nodes.where());
}

template <PetscMethod method>
std::unique_ptr<LinearSolver> petsc(Symmetry symmetry, UnknownNodes nodes) {
  return make_petsc_solver(method, symmetry, nodes);
}

std::unique_ptr<LinearSolver> automatic(Symmetry symmetry, UnknownNodes nodes) {
  return std::make_unique<AutoSolver>(symmetry, nodes);
}

std::unique_ptr<LinearSolver> multigrid(Symmetry, UnknownNodes nodes) {
  return std::make_unique<MultigridSolver>(nodes);
}

std::unique_ptr<LinearSolver> lu(Symmetry symmetry, UnknownNodes nodes) {
  const auto make = [symmetry](const SparseMatrix&) { return make_lu_factor(symmetry); };
  return std::make_unique<DirectSolver>(make, symmetry, nodes.where());
}

std::unique_ptr<Factor> cholmod_or_error() {
  if (auto factor = make_cholmod_factor()) return factor;
  throw InputError(key, "\"cholmod\" is not built into this program; use \"auto\", \"ldlt\" or \"pcg\"");
}

struct SolverRow {
  LinearSolverInfo info;
  MakeSolver make;
};

const std::vector<SolverRow>& solver_rows() {
  using Method = KrylovSolver::Method;
  static const std::vector<SolverRow> rows = {
      {{"auto", "whichever costs least", Symmetry::general}, automatic},
      {{"cholmod", "Cholesky factors by SuiteSparse", Symmetry::symmetric}, direct<cholmod_or_error>},
      {{"ldlt", "Cholesky factors by Eigen", Symmetry::symmetric}, direct<make_simplicial_ldlt>},
      {{"pcg", "conjugate gradients", Symmetry::symmetric}, krylov<Method::pcg>},
      {{"multigrid", "conjugate gradients with multigrid", Symmetry::symmetric}, multigrid},
      {{"lu", "LU factors", Symmetry::general}, lu},
      {{"gmres", "generalised minimal residuals", Symmetry::general}, krylov<Method::gmres>},
      {{"petsc", "conjugate gradients with multigrid by PETSc (`make mpi`)", Symmetry::general},
       petsc<PetscMethod::multigrid>},
      {{"mumps", "factors by MUMPS (`make mpi`)", Symmetry::general}, petsc<PetscMethod::direct>},
  };
  return rows;
}

std::vector<std::string> names_that_take(Symmetry symmetry) {
  std::vector<std::string> names;
  for (const LinearSolverInfo& info : linear_solver_catalog())
    if (symmetry == Symmetry::symmetric || info.takes == Symmetry::general) names.push_back(info.name);
  return names;
}

}  // namespace

const std::vector<LinearSolverInfo>& linear_solver_catalog() {
  static const auto list = [] {
    std::vector<LinearSolverInfo> all;
    for (const SolverRow& row : solver_rows()) all.push_back(row.info);
    return all;
  }();
  return list;
}

std::vector<std::string> linear_solver_names() { return names_that_take(Symmetry::symmetric); }

std::unique_ptr<LinearSolver> make_linear_solver(const std::string& name, Symmetry symmetry, UnknownNodes nodes) {
  for (const SolverRow& row : solver_rows()) {
    if (!same_name(row.info.name, name)) continue;
    if (symmetry == Symmetry::symmetric || row.info.takes == Symmetry::general) return row.make(symmetry, nodes);
    throw InputError(key, "\"" + row.info.name +
                              "\" needs a symmetric matrix, and a force of this scene makes it unsymmetric; use one "
                              "of " +
                              join(names_that_take(symmetry)));
  }
  const std::string near = nearest_name(name, linear_solver_names());
  throw InputError(key, "unknown solver \"" + name + "\"" + (near.empty() ? "" : " (did you mean \"" + near + "\"?)") +
                            "; known: " + join(linear_solver_names()));
}

}  // namespace limber
