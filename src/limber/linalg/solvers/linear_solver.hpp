#pragma once
/// A x = b for a sequence of matrices on one pattern, which is analysed once. A solver retains useful data between
/// matrices: a stale factor serves as a preconditioner. All decisions depend on counts (entries, iterations), never on
/// clocks, so that equal runs have equal bits.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "limber/core/space.hpp"
#include "limber/core/types.hpp"
#include "limber/linalg/solve_report.hpp"
#include "limber/linalg/solvers/correction.hpp"

namespace limber {

struct SolverCounts {  // since construction
  long analyses = 0, factorizations = 0, solves = 0, iterations = 0;
  SolverCounts& operator+=(const SolverCounts& c) {
    analyses += c.analyses;
    factorizations += c.factorizations;
    solves += c.solves;
    iterations += c.iterations;
    return *this;
  }
};

/// What is known about the nodes of the unknowns. The pointers must stay valid as long as the solver.
struct UnknownNodes {
  const Vector* positions = nullptr;  // [m], #n; of another size: unknown. Multigrid needs them for rotations.
  /// Node numbers, grouped by forces other than contact that connect them. Multigrid moves each group separately.
  const std::vector<std::vector<int>>* parts = nullptr;
  /// Per group: whether nodes are held in some directions only, so that the group cannot rotate as a whole.
  const std::vector<char>* guided_parts = nullptr;
  /// Null: one process. If several share the unknowns, matrices are those of each process's own elements.
  const Space* space = nullptr;

  const Space& where() const { return space ? *space : serial_space(); }
};

class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  /// Sets new values (or a new pattern, which is then analysed again). `A` must stay valid and unchanged until the next
  /// call.
  virtual void set_matrix(const SparseMatrix& A) = 0;
  /// x with ‖b − A x‖ ≤ tolerance ‖b‖ for iterative solvers; direct ones are exact to rounding. Returns indefinite if a
  /// symmetric solver met a direction of negative curvature (x is then meaningless).
  virtual SolveReport solve(const Vector& b, Vector& x, double tolerance) = 0;
  /// The same with A − U C Uᵀ + N, if one iteration for the whole sum is cheaper than several solves with A.
  virtual std::optional<SolveReport> solve_sum(const Correction& /*beside*/, const Vector& /*b*/, Vector& /*x*/,
                                               double /*tolerance*/) {
    return std::nullopt;
  }
  /// y = A x with the present matrix.
  virtual void multiply(const Vector& x, Vector& y) const = 0;
  /// Drops factors and statistics but keeps the analysis: later results depend on the next matrix only.
  virtual void reset() = 0;
  virtual SolverCounts counts() const = 0;
};

/// "auto", "cholmod", "ldlt", "pcg", "multigrid" (symmetric); "auto", "lu", "gmres" (general; also accepted for
/// symmetric matrices).
std::vector<std::string> linear_solver_names();
/// Throws InputError("method.solver", …) for an unknown name or one that does not fit the symmetry.
std::unique_ptr<LinearSolver> make_linear_solver(const std::string& name, Symmetry symmetry, UnknownNodes nodes = {});

}  // namespace limber
