#pragma once
/// Barrier of a distance x [m] and smoothed friction of a sliding speed x [m/s], with their derivatives:
///   b(x; δ) = −(x−δ)² log(x/δ) on (0, δ), 0 beyond, +∞ at x ≤ 0,
///   s(x; ε) = 2x/ε − x²/ε² for x < ε, 1 beyond; S(x) = ∫₀ˣ s; s(x)/x with its limit 2/ε at 0.

namespace limber {

/// A function of one variable and its first two derivatives.
struct Jet {
  double value = 0, first = 0, second = 0;
};

/// b, b', b''. δ > 0. For x ≤ 0 the value is +∞, and the derivatives are their limits at 0⁺: −∞, +∞.
Jet barrier(double x, double delta);

/// s, s', s''. ε > 0, x ≥ 0.
Jet friction_smoothing(double x, double eps);

/// S(x) = ∫₀ˣ s, the potential of lagged friction.
double friction_potential(double x, double eps);

/// s(x)/x, and 2/ε at x = 0.
double friction_factor(double x, double eps);

/// d/dx of s(x)/x: −1/ε² below ε, −1/x² beyond; it is continuous.
double friction_factor_slope(double x, double eps);

}  // namespace limber
