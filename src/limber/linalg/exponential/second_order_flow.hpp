#pragma once
/// The exact motion of a linear second-order system, K symmetric (of any definiteness), M positive definite:
///   M d'' + (αK + βM) d' + K d = f + t f_t,   d(0) = 0, d'(0) = v.
/// d = S v + C M⁻¹f + R M⁻¹f_t, where S, C, R are functions of M⁻¹K (oscillator_response.hpp), by a Lanczos process on
/// (K, M) for each of the three, with about h√λ_max/2 products with K each.

#include "limber/linalg/exponential/phi1.hpp"

namespace limber {

struct SecondOrderOperator {
  LinearOperator stiffness, mass, inverse_mass;  // Kx, Mx, M⁻¹x
  double alpha = 0, beta = 0;                    // [s], [1/s]
};

struct SecondOrderLoad {
  Vector v;       // #n [m/s]
  Vector f, f_t;  // #n [N], [N/s], or empty: zero
};

struct SecondOrderMotion {
  Vector d, rate;  // #n, d(h) and d'(h)
};

/// Errors in the M-norm: of d at most tol ‖d‖, of the rate at most tol max(‖d'‖, ‖v‖). If these norms vanish by chance,
/// a hundredth of the amplitude estimated from the start and its mean frequency is used instead. Errors are bounded by
/// the integral of the residual; the report gives the larger relative one. Its products are those with K. Throws
/// StepFailure as phi1 does, InputError("v", "f", "f_t", "h", "tol").
SecondOrderMotion second_order_flow(const SecondOrderOperator& op, const SecondOrderLoad& load, double h,
                                    const Phi1Options& options, Phi1Report& report);

}  // namespace limber
