#include "limber/study/exact_slide.hpp"

#include <cmath>

namespace limber {

SlidePoint exact_slide(double radius, double speed, double t) {
  const double g = standard_gravity, k = g / radius;
  const double leaves = 2.0 / 3 + speed * speed / (3 * g * radius);  // cos θ there; above 1: at once
  constexpr int parts = 20000;
  const double dt = t / parts;
  double angle = 0, rate = speed / radius;
  for (int i = 0; i < parts; ++i) {
    if (std::cos(angle) <= leaves) {
      const double flown = t - i * dt, v = rate * radius;
      return {radius * std::sin(angle) + v * std::cos(angle) * flown,
              radius * std::cos(angle) - v * std::sin(angle) * flown - g * flown * flown / 2, angle, false};
    }
    // Verlet's method, of second order: 20000 steps leave less than 1e-8 of the radius.
    const double half = rate + dt / 2 * k * std::sin(angle);
    angle += dt * half;
    rate = half + dt / 2 * k * std::sin(angle);
  }
  return {radius * std::sin(angle), radius * std::cos(angle), angle, true};
}

}  // namespace limber
