#pragma once  // internal
/// Linear systems on one or several processes by PETSc: conjugate gradients with its algebraic multigrid (GAMG), which
/// is given the rigid motions of the shape, or factors by MUMPS. Each process passes the matrix of its own elements.

#include <memory>
#include <string>

#include "limber/linalg/solvers/linear_solver.hpp"

namespace limber {

enum class PetscMethod { multigrid, direct };

/// Sets PETSc's own options, as on its command line, for all solvers created from now on. Throws
/// InputError("method.petsc", …) if they cannot be parsed.
void set_petsc_options(const std::string& options);
/// Throws InputError("method.solver", …) if the program is built without PETSc.
std::unique_ptr<LinearSolver> make_petsc_solver(PetscMethod method, Symmetry symmetry, UnknownNodes nodes);

}  // namespace limber
