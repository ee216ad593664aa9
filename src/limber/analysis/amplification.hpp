#pragma once
/// How lively a method is: run on q̈ + ω²q = 0 with step h, it multiplies its memory by a matrix T(θ), θ = ωh. The
/// spectral radius ρ(T) < 1 acts like a damping d in q̈ + d q̇ + ω²q = 0 (testm):  d = −(2/h) ln ρ,  d/ω = −2 ln ρ / θ.

#include <string>

#include "limber/time/stepper.hpp"

namespace limber {

/// T of the method, obtained by running it on a basis of its memory: (q, v), with the acceleration for Newmark-type
/// schemes, and with the state before for two-step schemes. Time is measured in steps (h = 1, ω = θ).
/// `mode`: whether the oscillator is among the modes that a hybrid splits off. Throws InputError("in_modes", …) if it
/// is said to be and the method splits off none, and InputError("method", …) if the scheme is not linear().
enum class ModePlace { outside, split_off };
Matrix amplification_matrix(const MethodInfo& method, const MethodParameters& parameters, double theta,
                            ModePlace mode = ModePlace::outside);

double spectral_radius(const MethodInfo& method, const MethodParameters& parameters, double theta,
                       ModePlace mode = ModePlace::outside);

/// d/ω at each θ > 0.
Vector damping_curve(const MethodInfo& method, const MethodParameters& parameters, const Vector& theta,
                     ModePlace mode = ModePlace::outside);

}  // namespace limber
