#pragma once
/// One mode  y'' + d y' + λ y = forcing  from rest, at time t: its responses to an impulse (S), a step (C = ∫S) and a
/// ramp (R = ∫C), for either sign of λ, d and t. With J = [[0, 1], [−λ, −d]]:
///   e^{tJ} = [[S' + dS, S], [−λS, S']],   tφ₁(tJ) = [[S + dC, C], [−λC, S]].

namespace limber {

struct OscillatorResponse {
  double impulse_rate = 1;  // S'
  double impulse = 0;       // S [s]
  double step = 0;          // C [s²]
  double ramp = 0;          // R [s³]
};

/// λ [1/s²], d [1/s], t [s]. Accurate to rounding in every regime: overdamped, critically damped, underdamped, growing.
/// Infinite only if the growth itself overflows.
OscillatorResponse oscillator_response(double lambda, double damping, double t);

}  // namespace limber
