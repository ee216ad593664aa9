#pragma once
/// Minimise φ(x) subject to C x ≥ c by an interior-point method (IPOPT): find x and λ ≥ 0 with
///
///     r(x) = Cᵀλ,   λ·(C x − c) = 0,   r = ∇φ.
///
/// φ, r and the exact Hessian come from a problem as Newton sees it; x must start in φ's domain.

#include "limber/solve/newton.hpp"

namespace limber {

struct InteriorPointOptions {
  double tolerance = 1e-6;  // [unit of x] of the solution
  /// The least second derivative of φ (for a stage: the least mass). A residual of curvature × tolerance is then a
  /// change of x of at most `tolerance`: that is how small ‖r − Cᵀλ‖∞ has to be.
  double curvature = 1;
  int max_iterations = 200;
};

struct InteriorPointSolution {
  Vector x;
  Vector multipliers;  // λ, #c
  int iterations = 0;
};

/// Whether the program is built with IPOPT; without it nothing below works.
bool has_interior_point();

/// C: #c × #x, rows of about unit length and none of them empty. Throws StepFailure, also where no x obeys C x ≥ c.
InteriorPointSolution solve_interior_point(NewtonProblem& problem, const SparseMatrix& C, const Vector& c,
                                           const Vector& start, const InteriorPointOptions& options);

}  // namespace limber
