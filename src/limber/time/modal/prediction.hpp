#pragma once
/// x̂: the motion of the modes from a known state ū by the exact solution of their linearised equation,
///
///     (Δa, Δb) = s φ₁(s J_G) [G(ū) + ½s c],   c = (I−Q̂) J Q̂F(ū).
///
/// The last term accounts for the coupling of modes and complement: inexact modes, damping, time-dependent loads. It
/// vanishes for exact undamped modes. c is the rate of the force on the modes while the complement continues as at ū,
/// and ½s c is its mean. Once the motion of the complement is known, s² φ₂(s J_G) c' replaces ½s² φ₁(s J_G) c.

#include "limber/time/modal/subspace.hpp"

namespace limber {

/// How a method splits off its modes.
enum class Splitting {
  none,
  first_order,   // (beere), (SIERE) for exact modes: only the coupling by K, which is zero for them
  second_order,  // all of the coupling: second order if the scheme is
  printed        // (BDF2ERE), (sbdf2ere), (26n): u = u* + τ Q̂F(u) + τ φ₁(s J_G) G(ū), in the last stage only
};

class ModalPrediction {
 public:
  /// Over s [s] from `at`, whose tangent reduced to the modes is `reduced`; f: all forces there. Throws StepFailure.
  /// All references must outlive the prediction.
  ModalPrediction(System& system, const ModalBasis& X, NegativeModes negative, Splitting rule, const Linearization& at,
                  const Vector& f, ReducedTangent reduced, double s);

  const ModalChange& change() const { return change_; }
  /// The correction s² φ₂(s J_G) c' − ½s² φ₁(s J_G) c, where c' uses the mean velocity (and, in second-order methods,
  /// acceleration) of the complement on its way to u. Throws StepFailure.
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
  Vector acceleration_;  // M⁻¹f if it is needed
  Vector slope_;         // c
  ModalChange change_, coupled_;
};

}  // namespace limber
