#pragma once
/// A x = b for a sequence of matrices on one pattern. The pattern is analysed once. A solver keeps what is worth
/// keeping between matrices: a factor that no longer fits exactly serves as a preconditioner. All decisions follow
/// from counts (entries, iterations), never from clocks, so that equal runs have equal bits.

#include <memory>
#include <string>
#include <vector>

#include "limber/core/space.hpp"
#include "limber/core/types.hpp"
#include "limber/linalg/solve_report.hpp"

namespace limber {

struct SolverCounts {  // since the construction
  long analyses = 0, factorizations = 0, solves = 0, iterations = 0;
  SolverCounts& operator+=(const SolverCounts& c) {
    analyses += c.analyses;
    factorizations += c.factorizations;
    solves += c.solves;
    iterations += c.iterations;
    return *this;
  }
};

/// The nodes that the unknowns belong to, as far as they are known. What is pointed to lives as long as the solver.
struct UnknownNodes {
  const Vector* positions = nullptr;  // [m], #n; of another size: not known. Multigrid needs them for rotations.
  /// Their numbers, in groups that forces other than contact hold together. Multigrid moves each group by itself.
  const std::vector<std::vector<int>>* parts = nullptr;
  /// Of each group, whether nodes are held in some directions only: it cannot turn as a whole.
  const std::vector<char>* guided_parts = nullptr;
  /// Null: of one process. Where several share them, matrices are those of each process's own elements.
  const Space* space = nullptr;

  const Space& where() const { return space ? *space : serial_space(); }
};

class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  /// New values (or a new pattern, which is then analysed again). `A` must stay alive and unchanged until the next
  /// call.
  virtual void set_matrix(const SparseMatrix& A) = 0;
  /// x with ‖b − A x‖ ≤ tolerance ‖b‖ for iterative solvers; direct ones are exact to rounding.
  /// indefinite: a symmetric solver met a direction of negative curvature (x is then not meaningful).
  virtual SolveReport solve(const Vector& b, Vector& x, double tolerance) = 0;
  /// y = A x with the present matrix.
  virtual void multiply(const Vector& x, Vector& y) const = 0;
  /// Forgets factors and statistics (keeps the analysis): what follows depends on the next matrix only.
  virtual void reset() = 0;
  virtual SolverCounts counts() const = 0;
};

/// "auto", "cholmod", "ldlt", "pcg", "multigrid" (symmetric); "auto", "lu", "gmres" (general; also accepted for
/// symmetric matrices).
std::vector<std::string> linear_solver_names();
/// Throws InputError("method.solver", …) for an unknown name or one that does not fit the symmetry.
std::unique_ptr<LinearSolver> make_linear_solver(const std::string& name, Symmetry symmetry, UnknownNodes nodes = {});

}  // namespace limber
