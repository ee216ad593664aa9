#include "limber/linalg/exponential/oscillator_response.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "linalg/wide.hpp"

namespace limber {
namespace {

using test::Wide;

struct WideResponse {
  double impulse_rate, impulse, step, ramp;
};

/// (S, S', C, R) obey a linear system with constant coefficients. Units of time 1/scale keep its matrix balanced.
WideResponse wide_reference(double lambda, double damping, double t, double scale) {
  test::WideMatrix A(4);
  const Wide T = Wide(t) * Wide(scale);
  A(0, 1) = T;
  A(1, 0) = -Wide(lambda) / scale / scale * T;
  A(1, 1) = -Wide(damping) / scale * T;
  A(2, 0) = T;
  A(3, 2) = T;
  const test::WideMatrix E = test::wide_exponential(A);
  return {static_cast<double>(E(1, 1)), static_cast<double>(E(0, 1) / scale),
          static_cast<double>(E(2, 1) / scale / scale), static_cast<double>(E(3, 1) / scale / scale / scale)};
}

/// The error of each response against what it can be: its largest value, or what is left of its largest terms.
double error(double lambda, double damping, double t) {
  const double scale =
      std::exp2(std::round(std::log2(std::max({std::sqrt(std::abs(lambda)), std::abs(damping), 1 / t}))));
  const WideResponse r = wide_reference(lambda, damping, t, scale);
  const OscillatorResponse y = oscillator_response(lambda, damping, t);
  const double a = damping / 2, mu = std::sqrt(std::abs(a * a - lambda));
  const double rate = lambda <= a * a ? mu - a : -a,
               growth = std::exp(std::max(rate * t, -600.0));  // of the slowest root
  const double S = std::min(t, lambda > a * a ? 1 / mu : 1 / (2 * mu)) * growth;
  const double grows = std::max(1.0, std::abs(rate) * t);  // a relative error of the exponent
  const double slow = lambda > 0 ? std::max(1 / std::sqrt(lambda), damping / lambda) : t;
  const double C = std::max(std::abs(r.step), lambda > a * a ? std::min(t * t, std::max(1.0, growth) / lambda) : 0);
  const double R = std::max(std::abs(r.ramp), lambda > 0 ? std::min(t * t * t, growth * slow / lambda) : 0);
  double worst = std::abs(y.impulse - r.impulse) / (S * grows);
  worst = std::max(
      worst, std::abs(y.impulse_rate - r.impulse_rate) / (growth * grows * std::max(1.0, std::abs(a) * S / growth)));
  worst = std::max(worst, std::abs(y.step - r.step) / (C * std::max(1.0, rate * t)));
  return std::max(worst, std::abs(y.ramp - r.ramp) / (R * std::max(1.0, rate * t)));
}

TEST(OscillatorResponse, AgreesWithAWideMatrixExponential) {
  for (const double lambda : {0.0, 1e-12, 1e-6, 1e-3, 0.1, 1.0, 3.9, 4.1, 30.0, 1e3, 1e6, 1e9, 1e12})
    for (const double sign : {1.0, -1.0})
      for (const double d : {0.0, 1e-12, 1e-6, 1e-3, 0.1, 1.0, 4.0, 30.0, 1e3, 1e6, 1e12, -1e-6, -0.5, -3.0, -20.0})
        for (const double t : {1.0, 1e-3, 0.37, 12.0}) {
          const double a = d / 2, root = -a + std::sqrt(std::max(0.0, a * a - sign * lambda));
          if (root * t > 300) continue;
          if (std::max(std::sqrt(lambda), std::abs(d)) * t * 1e-33 > 1e-17) continue;
          EXPECT_LE(error(sign * lambda, d, t), 1e-14) << sign * lambda << " " << d << " " << t;
        }
}

TEST(OscillatorResponse, IsSmoothAcrossTheCriticalCase) {
  for (const double t : {0.1, 1.0, 5.0})
    for (const double a : {0.3, 1.0, 2.5, 11.0, -1.5})
      for (const double off : {0.0, 1e-16, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 1e-2})
        for (const double sign : {1.0, -1.0})
          EXPECT_LE(error(a * a * (1 + sign * off), 2 * a, t), 1e-14) << t << " " << a << " " << sign * off;
}

TEST(OscillatorResponse, ClosedForms) {
  const OscillatorResponse rigid = oscillator_response(0, 0, 0.3);
  EXPECT_EQ(rigid.impulse, 0.3);
  EXPECT_EQ(rigid.impulse_rate, 1);
  EXPECT_DOUBLE_EQ(rigid.step, 0.045);
  EXPECT_DOUBLE_EQ(rigid.ramp, 0.0045);
  const OscillatorResponse drag = oscillator_response(0, 2, 3);  // S = (1 − e^{−dt})/d
  EXPECT_DOUBLE_EQ(drag.impulse, (1 - std::exp(-6)) / 2);
  EXPECT_DOUBLE_EQ(drag.impulse_rate, std::exp(-6));
  const OscillatorResponse growing = oscillator_response(-4, 0, 1.5);
  EXPECT_DOUBLE_EQ(growing.impulse, std::sinh(3.0) / 2);
  EXPECT_DOUBLE_EQ(growing.step, (std::cosh(3.0) - 1) / 4);
  const OscillatorResponse settled = oscillator_response(1e12, 1e12, 1e3);  // roots −1 and −1e12
  EXPECT_NEAR(settled.step * 1e12, 1, 1e-15);
  const OscillatorResponse creeping = oscillator_response(1e12, 1e12, 1);
  EXPECT_NEAR(creeping.step * 1e12, 1 - std::exp(-1.0), 1e-11);
}

TEST(OscillatorResponse, UndampedModesAreNeitherAmplifiedNorDamped) {
  for (const double omega : {1e-3, 1.0, 7.3, 1e4})
    for (double phase = 0.01; phase <= 100; phase *= 1.037) {
      const OscillatorResponse y = oscillator_response(omega * omega, 0, phase / omega);
      // the eigenvalues of e^{tJ} are S' ± i√λ S
      EXPECT_NEAR(std::hypot(y.impulse_rate, omega * y.impulse), 1, 1e-15) << phase;
      EXPECT_NEAR(y.step * omega * omega, 2 * std::pow(std::sin(phase / 2), 2), 1e-13) << phase;
    }
}

TEST(OscillatorResponse, RunsBackwardsInTime) {
  for (const double lambda : {-2.0, 0.0, 0.2, 9.0})
    for (const double d : {0.0, 0.7, 8.0}) {
      const OscillatorResponse there = oscillator_response(lambda, d, 0.8), back = oscillator_response(lambda, d, -0.8);
      // e^{tJ} e^{−tJ} = I
      EXPECT_NEAR((there.impulse_rate + d * there.impulse) * back.impulse + there.impulse * back.impulse_rate, 0,
                  1e-12);
      EXPECT_NEAR(-lambda * there.impulse * back.impulse + there.impulse_rate * back.impulse_rate, 1, 1e-12);
    }
  const OscillatorResponse none = oscillator_response(5, 3, 0);
  EXPECT_EQ(none.impulse_rate, 1);
  EXPECT_EQ(none.impulse, 0);
  EXPECT_EQ(none.step, 0);
  EXPECT_EQ(none.ramp, 0);
}

TEST(OscillatorResponse, IsNeverNotANumber) {
  const double big = std::numeric_limits<double>::max(), small = std::numeric_limits<double>::denorm_min();
  for (const double lambda : {0.0, small, 1e-200, 1.0, 1e12, 1e200, big})
    for (const double d : {0.0, small, 1e-200, 1.0, 1e12, 1e200, big})
      for (const double t : {0.0, small, 1e-200, 1.0, 1e12, 1e200}) {
        const OscillatorResponse y = oscillator_response(lambda, d, t), z = oscillator_response(-lambda, d, t);
        EXPECT_TRUE(std::isfinite(y.impulse_rate) && std::isfinite(y.impulse)) << lambda << " " << d << " " << t;
        EXPECT_FALSE(std::isnan(y.step) || std::isnan(y.ramp)) << lambda << " " << d << " " << t;
        EXPECT_FALSE(std::isnan(z.impulse_rate) || std::isnan(z.impulse)) << -lambda << " " << d << " " << t;
        EXPECT_FALSE(std::isnan(z.step) || std::isnan(z.ramp)) << -lambda << " " << d << " " << t;
      }
}

}  // namespace
}  // namespace limber
