#pragma once
/// x̂: where the modes go from a known state ū by the exact solution of their linearised equation,
///
///     (Δa, Δb) = s φ₁(s J_G) [G(ū) + ½s c],   c = (I−Q̂) J Q̂F(ū).
///
/// The last term stands for what couples modes and complement: modes that are not exact, damping, loads that change in
/// time. It is zero for exact undamped modes. c is how fast the force on the modes changes while the complement goes on
/// as at ū, and ½s c its mean. Once it is known where the complement went, that is made good: s² φ₂(s J_G) c' takes the
/// place of ½s² φ₁(s J_G) c.

#include "limber/time/modal/subspace.hpp"

namespace limber {

/// How a method splits off its modes.
enum class Splitting {
  none,
  first_order,   // (beere), (SIERE) for exact modes: of the coupling only what comes from K, which is zero for them
  second_order,  // all of the coupling: second order where the scheme is
  printed        // (BDF2ERE), (sbdf2ere), (26n): u = u* + τ Q̂F(u) + τ φ₁(s J_G) G(ū), in the last stage only
};

class ModalPrediction {
 public:
  /// Over s [s] from `at`, whose tangent is `reduced` to the modes; f: all forces there. Throws StepFailure. All that
  /// is given by reference outlives the prediction.
  ModalPrediction(System& system, const ModalBasis& X, NegativeModes negative, Splitting rule, const Linearization& at,
                  const Vector& f, ReducedTangent reduced, double s);

  const ModalChange& change() const { return change_; }
  /// s² φ₂(s J_G) c' − ½s² φ₁(s J_G) c, c' with the mean velocity (and, in second-order methods, acceleration) of the
  /// complement on its way to u. Throws StepFailure.
  ModalChange missed(const State& u) const;

 private:
  Vector slope(const Vector& velocity, const Vector& acceleration) const;

  System& system_;
  const ModalBasis& X_;
  const Linearization& at_;
  double s_;
  bool damped_;
  ReducedTangent reduced_;
  ModalMotion motion_;
  Vector acceleration_;  // M⁻¹f where it is needed
  Vector slope_;         // c
  ModalChange change_, coupled_;
};

}  // namespace limber
