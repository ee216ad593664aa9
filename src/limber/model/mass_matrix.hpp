#pragma once
/// A mass matrix with its products and solves. Its pattern is that of all matrices of a system, so it may be wider than
/// the mass itself; or it has its diagonal alone.

#include <memory>
#include <string>

#include "limber/linalg/solvers/linear_solver.hpp"

namespace limber {

/// With nothing beside the diagonal.
SparseMatrix diagonal_matrix(const Vector& diagonal);

class MassMatrix {
 public:
  MassMatrix() = default;
  /// Symmetric: the lower triangle of M. `solver`, `tolerance`: how it is solved with, unless it is diagonal.
  MassMatrix(const SparseMatrix& M, Symmetry symmetry, std::string solver = "auto", double tolerance = 1e-14);
  /// The part of M that comes from a process's own elements.
  MassMatrix(const SparseMatrix& M, Symmetry symmetry, const Space& space);

  const SparseMatrix& matrix() const { return M_; }
  Vector apply(const Vector& x) const;
  /// Throws StepFailure.
  Vector solve(const Vector& f) const;
  /// The same values on a pattern that holds the one of before.
  void widen(SparseMatrix M) { M_.swap(M); }
  /// Forgets what solves have left behind: the next one depends on its right-hand side only.
  void forget() { solver_.reset(); }

 private:
  /// A solver with what it refers to, which stays where it is when the mass is moved.
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
  Vector diagonal_;                         // where nothing else is there, else empty
  mutable std::unique_ptr<Solver> solver_;  // made when it is needed
};

}  // namespace limber
