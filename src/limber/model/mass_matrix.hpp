#pragma once
/// A mass matrix with products and solves. It has the pattern of all matrices of a system, which may be wider than the
/// mass itself, or is purely diagonal.

#include <memory>
#include <string>

#include "limber/core/shared_list.hpp"
#include "limber/linalg/solvers/linear_solver.hpp"

namespace limber {

/// A sparse matrix that stores its diagonal only.
SparseMatrix diagonal_matrix(const Vector& diagonal);

class MassMatrix {
 public:
  MassMatrix() = default;
  /// Symmetric: M is its lower triangle. `solver`, `tolerance`: used for solves unless M is diagonal.
  MassMatrix(const SparseMatrix& M, Symmetry symmetry, std::string solver = "auto", double tolerance = 1e-14);
  /// M is the contribution of this process's own elements.
  MassMatrix(const SparseMatrix& M, Symmetry symmetry, const Space& space);

  const SparseMatrix& matrix() const { return M_; }
  Vector apply(const Vector& x) const;
  /// Several threads may ask at once: each has a solver of its own then. "auto" chooses by what earlier solves have
  /// cost, so that its last bits may depend on which solver serves. Throws StepFailure.
  Vector solve(const Vector& f) const;
  /// Replaces the matrix by one with the same values on a pattern that contains the previous one.
  void widen(SparseMatrix M) { M_.swap(M); }
  /// Drops the solvers, so that the next solve depends on its right-hand side only.
  void forget() { solvers_.clear(); }

 private:
  /// A solver together with the data it refers to, at a fixed address even if the mass is moved.
  struct Solver {
    SparseMatrix matrix;
    Space space;
    std::unique_ptr<LinearSolver> solve_with;
  };

  SparseMatrix M_;
  Symmetry symmetry_ = Symmetry::symmetric;
  std::string solver_name_;
  double tolerance_ = 0;
  Space space_;
  Vector diagonal_;             // empty unless M is diagonal
  SharedList<Solver> solvers_;  // made when needed
};

}  // namespace limber
