#pragma once  // internal
/// Linear systems of one process or several by PETSc: conjugate gradients with its algebraic multigrid (GAMG), which is
/// told the rigid motions of the shape, or factors by MUMPS. Each process gives the matrix of its own elements.

#include <memory>
#include <string>

#include "limber/linalg/solvers/linear_solver.hpp"

namespace limber {

enum class PetscMethod { multigrid, direct };

/// Options of PETSc itself, as on its command line, for all solvers made from now on. Throws InputError("method.petsc",
/// …) if they cannot be read.
void set_petsc_options(const std::string& options);
/// Throws InputError("method.solver", …) if there is no PETSc in this program.
std::unique_ptr<LinearSolver> make_petsc_solver(PetscMethod method, Symmetry symmetry, UnknownNodes nodes);

}  // namespace limber
