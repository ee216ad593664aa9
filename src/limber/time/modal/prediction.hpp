#pragma once
/// x̂: where the modes go from a known state ū by the exact solution of their linearised equation,
///
///     (Δa, Δb) = s φ₁(s J_G) [G(ū) + ½s (I−Q̂) J Q̂F(ū)].
///
/// The last term stands for what couples modes and complement: modes that are not exact, damping, loads that change in
/// time. It is zero for exact undamped modes.

#include "limber/time/modal/subspace.hpp"

namespace limber {

/// How a method splits off its modes.
enum class Splitting {
  none,
  first_order,   // (beere), (SIERE) for exact modes: of the coupling only what comes from K, which is zero for them
  second_order,  // all of the coupling: second order where the scheme is
  printed        // (BDF2ERE), (sbdf2ere), (26n): u = u* + τ Q̂F(u) + τ φ₁(s J_G) G(ū), in the last stage only
};

/// The change over s [s] from `at`, whose tangent is `reduced` to the modes; f: all forces there. Throws StepFailure.
ModalChange predict(System& system, const ModalBasis& X, NegativeModes negative, Splitting rule,
                    const Linearization& at, const Vector& f, ReducedTangent reduced, double s);

}  // namespace limber
