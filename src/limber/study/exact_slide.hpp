#pragma once  // internal
/// A particle that slides off the top of a circle of radius R without friction, v₀ at the top: θ̈ = (g/R) sin θ until
/// cos θ = 2/3 + v₀²/(3gR), then it flies.

namespace limber {

constexpr double standard_gravity = 9.81;  // [m/s²], downwards along y

/// From the centre [m].
struct SlidePoint {
  double x, y;
  double angle;  // [rad] from the top, while on the circle
  bool touches;
};

/// After the time t ≥ 0 [s].
SlidePoint exact_slide(double radius, double speed, double t);

}  // namespace limber
