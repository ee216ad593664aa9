#pragma once
/// Minimise φ(x) subject to C x ≥ c by an interior-point method (IPOPT): find x and λ ≥ 0 with
///
///     r(x) = Cᵀλ,   λ·(C x − c) = 0,   r = ∇φ.
///
/// φ, r and the exact Hessian come from a NewtonProblem; x must start in φ's domain. If there are more inequalities
/// than unknowns, those that x violates are imposed first, and then in rounds those that the solution violates.

#include "limber/solve/newton.hpp"

namespace limber {

struct InteriorPointOptions {
  double tolerance = 1e-6;  // [unit of x] of the solution
  /// The smallest second derivative of φ (for a stage: the smallest mass). A residual of curvature × tolerance then
  /// changes x by at most `tolerance`; this is the bound required of ‖r − Cᵀλ‖∞.
  double curvature = 1;
  int max_iterations = 200;
};

struct InteriorPointSolution {
  Vector x;
  Vector multipliers;  // λ, #c
  int iterations = 0;
};

/// Whether the program was built with IPOPT. The functions below require it.
bool has_interior_point();

/// C: #c × #x, with nonempty rows of about unit length. Throws StepFailure, also if no x satisfies C x ≥ c.
InteriorPointSolution solve_interior_point(NewtonProblem& problem, const SparseMatrix& C, const Vector& c,
                                           const Vector& start, const InteriorPointOptions& options);

}  // namespace limber
