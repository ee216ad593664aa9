#include "limber/linalg/exponential/oscillator_response.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

/// (e^z − 1)/z
double phi1(double z) { return z == 0 ? 1 : std::expm1(z) / z; }

/// (φ₁(z) − 1)/z
double phi2(double z) {
  if (std::abs(z) >= 1) return (phi1(z) - 1) / z;
  double term = 0.5, sum = 0.5;
  for (int k = 3; k < 24; ++k) sum += term *= z / k;
  return sum;
}

/// The mode in units of time in which the larger of |a| and √|λ| lies in (¼, 1]: squares cannot overflow.
struct Mode {
  double a, lambda, t;  // a = d/2, t ≥ 0
  OscillatorResponse response = {};

  void solve();

 private:
  void oscillate(double square, double square_tail);
  void decay(double square);
  void integrate_by_equation(double rest);
  void integrate_by_series();
};

/// C and R from λC = 1 − S' − dS and λR = t − S − dC; rest = S' + dS.
void Mode::integrate_by_equation(double rest) {
  response.step = (1 - rest) / lambda;
  response.ramp = (t - response.impulse - 2 * a * response.step) / lambda;
}

/// Taylor's series of C and R, for roots of modulus below 3/t.
void Mode::integrate_by_series() {
  double before = 0, term = t, step = 0, ramp = 0;
  for (int k = 1; k < 60 && std::abs(before) + std::abs(term) > 1e-19 * t; ++k) {
    step += term / (k + 1);
    ramp += term / ((k + 1.0) * (k + 2));
    const double next = -(2 * a * t * term + lambda * t * t * before / k) / (k + 1);
    before = term;
    term = next;
  }
  response.step = t * step;
  response.ramp = t * t * ramp;
}

/// Complex roots −a ± iω, ω² = square + square_tail > 0.
void Mode::oscillate(double square, double square_tail) {
  const double omega = std::sqrt(square), omega_tail = (std::fma(-omega, omega, square) + square_tail) / (2 * omega);
  const double phase = omega * t, tail = std::fma(omega, t, -phase) + omega_tail * t;
  const double sine = std::sin(phase), cosine = std::cos(phase);
  const double s = (sine + tail * cosine) / omega, c = cosine - tail * sine;
  const double decay = std::exp(-a * t);
  response.impulse = decay * s;
  response.impulse_rate = decay * (c - a * s);
  if (lambda * t * t < 4)
    integrate_by_series();
  else
    integrate_by_equation(decay * (c + a * s));
  if (a == 0) {
    const double half = (std::sin(phase / 2) + tail / 2 * std::cos(phase / 2)) / omega;
    response.step = 2 * half * half;
  }
}

/// Real roots −a ± μ, μ² = square ≥ 0. The smaller one comes from the product of both, which is λ.
void Mode::decay(double square) {
  const double mu = std::sqrt(square), large = a > 0 ? -a - mu : -a + mu, small = large == 0 ? 0 : lambda / large;
  const double upper = std::max(large, small), lower = std::min(large, small);
  const double z_upper = upper * t, z_lower = lower * t, gap = 2 * mu * t;
  response.impulse = std::exp(z_upper) * (gap > 0 ? -std::expm1(-gap) / (2 * mu) : t);
  response.impulse_rate = upper * response.impulse + std::exp(z_lower);
  if (z_upper <= -2) {
    integrate_by_equation(std::exp(z_lower) - lower * response.impulse);
  } else if (z_lower >= 2 && gap < 1) {
    integrate_by_equation(std::exp(z_lower) * (1 - z_lower * phi1(gap)));
  } else if (gap >= 1) {
    response.step = t * (phi1(z_upper) - phi1(z_lower)) / (2 * mu);
    response.ramp = t * (t * (phi2(z_upper) - phi2(z_lower))) / (2 * mu);
  } else {
    integrate_by_series();
  }
  if (a == 0 && mu > 0) {
    const double half = std::sinh(mu * t / 2) / mu;
    response.step = 2 * half * half;
  }
}

void Mode::solve() {
  // λ − a² with its rounding error: near the critical case it is what is left of two equal numbers.
  const double a2 = a * a, difference = lambda - a2, back = difference - lambda;
  const double tail = (lambda - (difference - back)) - (a2 + back) - std::fma(a, a, -a2);
  const double square = difference + tail;
  if (square > 0)
    oscillate(square, (difference - square) + tail);
  else
    decay(-square);
}

}  // namespace

OscillatorResponse oscillator_response(double lambda, double damping, double t) {
  if (t < 0) {  // y(−t) is the motion of the mode with damping −d
    const OscillatorResponse back = oscillator_response(lambda, -damping, -t);
    return {back.impulse_rate, -back.impulse, back.step, -back.ramp};
  }
  const double a = damping / 2;
  int unit = 0, square = 0;
  std::frexp(a, &unit);
  std::frexp(lambda, &square);
  const int root = (square + 1) >> 1;
  if (a == 0 || (lambda != 0 && root > unit)) unit = lambda == 0 ? 0 : root;
  const double longest = 1e300;  // whatever happens has happened by then
  Mode mode{std::ldexp(a, -unit), std::ldexp(lambda, -2 * unit), std::min(std::ldexp(t, unit), longest)};
  mode.solve();
  const OscillatorResponse& y = mode.response;
  return {y.impulse_rate, std::ldexp(y.impulse, -unit), std::ldexp(y.step, -2 * unit), std::ldexp(y.ramp, -3 * unit)};
}

}  // namespace limber
