#pragma once
/// φ₁(hJ)b with φ₁(Z) = Z⁻¹(e^Z − I): the mean of e^{sJ}b over [0, h]. So x = hφ₁(hJ)b solves x' = Jx + b, x(0) = 0, at
/// time h. Dense by scaling and squaring, or by Krylov spaces with sub-steps, for any J and either sign of h.

#include <functional>

#include "limber/core/types.hpp"

namespace limber {

/// y = A x; resizes y.
using LinearOperator = std::function<void(const Vector& x, Vector& y)>;

struct Phi1Options {
  double tolerance = 1e-10;     // relative error, 2-norm
  long max_products = 4000000;  // with J; ‖hJ‖ = 10⁶ takes about twice as many if J is oscillatory
};

struct Phi1Report {
  long products = 0, substeps = 0;  // 0, 0: dense
  double error = 0;                 // estimated, relative
};

/// Padé approximant of the balanced matrix [[hJ, b], [0, 0]], scaled by norms of its powers: exact to rounding. Not
/// finite if the growth overflows. Throws InputError for wrong sizes and non-finite entries.
Vector dense_phi1(const Matrix& J, const Vector& b, double h);

/// Arnoldi process on the residual Jx + b of each sub-step. The error is bounded by the integral of the residual of the
/// projected motion times the growth of the projected matrix. If rounding errors, of order ε‖J‖, are too large, the
/// computation is repeated in coordinates that balance J, found by products with it; the error is then the difference
/// from another solution, with shorter sub-steps in other coordinates. Throws StepFailure if the tolerance is not
/// reached: products exhausted, rounding errors too large, or overflow.
Vector phi1(const LinearOperator& J, const Vector& b, double h, const Phi1Options& options, Phi1Report& report);

/// Dense or Krylov, whichever seems cheaper in flops; dense for n ≤ 64, Krylov for n > 2000.
Vector phi1(const SparseMatrix& J, const Vector& b, double h, const Phi1Options& options, Phi1Report& report);
Vector phi1(const Matrix& J, const Vector& b, double h, const Phi1Options& options, Phi1Report& report);

}  // namespace limber
