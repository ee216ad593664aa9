#pragma once
/// φ₁(hJ)b with φ₁(Z) = Z⁻¹(e^Z − I): the mean over [0, h] of e^{sJ}b. So x = hφ₁(hJ)b solves x' = Jx + b, x(0) = 0,
/// at time h. Dense by scaling and squaring, or by Krylov spaces with sub-steps, for J of any kind and sign of h.

#include <functional>

#include "limber/core/types.hpp"

namespace limber {

/// y = A x; resizes y.
using LinearOperator = std::function<void(const Vector& x, Vector& y)>;

struct Phi1Options {
  double tolerance = 1e-10;     // of the error, relative, 2-norm
  long max_products = 4000000;  // with J; ‖hJ‖ = 10⁶ takes about two times as many when J oscillates
};

struct Phi1Report {
  long products = 0, substeps = 0;  // 0, 0: dense
  double error = 0;                 // estimated, relative
};

/// Padé's approximant of the balanced matrix [[hJ, b], [0, 0]], scaled by its powers' norms: exact to rounding. Not
/// finite where the growth overflows. Throws InputError for wrong sizes and entries that are not finite.
Vector dense_phi1(const Matrix& J, const Vector& b, double h);

/// Arnoldi's process on the residual Jx + b of each sub-step. The error is bounded by the integral of the residual of
/// the projected motion times the growth that the projected matrix shows. Where rounding errors, of ε‖J‖, are too
/// large, once more in coordinates in which J is balanced, found by products with it; then by how much the answer
/// differs from another one, with shorter sub-steps in other coordinates. Throws StepFailure where the tolerance is not
/// reached: products exhausted, rounding errors too large, growth overflows.
Vector phi1(const LinearOperator& J, const Vector& b, double h, const Phi1Options& options, Phi1Report& report);

/// Dense or Krylov, whichever seems cheaper by its flops; dense for n ≤ 64, Krylov for n > 2000.
Vector phi1(const SparseMatrix& J, const Vector& b, double h, const Phi1Options& options, Phi1Report& report);
Vector phi1(const Matrix& J, const Vector& b, double h, const Phi1Options& options, Phi1Report& report);

}  // namespace limber
