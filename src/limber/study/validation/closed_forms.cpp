#include "limber/study/validation/closed_forms.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace limber {

namespace {

using std::numbers::pi;

/// ∫ f over [a, b] by Simpson's rule.
double simpson_integral(const std::function<double(double)>& f, double a, double b) {
  constexpr int parts = 2000;
  const double h = (b - a) / parts;
  double sum = f(a) + f(b);
  for (int i = 1; i < parts; ++i) sum += (i % 2 ? 4 : 2) * f(a + i * h);
  return sum * h / 3;
}

/// cos √x and sin(√x h)/√x for any sign of x.
double cos_root(double x, double h) { return x >= 0 ? std::cos(std::sqrt(x) * h) : std::cosh(std::sqrt(-x) * h); }
double sin_root(double x, double h) {
  const double s = std::sqrt(std::abs(x));
  if (s * h < 1e-6) return h;
  return (x > 0 ? std::sin(s * h) : std::sinh(s * h)) / s;
}

/// The time since the start or until the end of a period, whichever is less: of a motion that runs backwards from its
/// middle on.
double folded(double t, double period) {
  const double s = std::fmod(t, period);
  return std::min(s, period - s);
}

double bessel(int n, double x) { return std::sph_bessel(static_cast<unsigned>(n), x); }

}  // namespace

double smallest_root(const std::function<double(double)>& f, double from, double to, int parts) {
  const double step = (to - from) / parts;
  for (int i = 0; i < parts; ++i) {
    double a = from + i * step, b = a + step;
    const bool below = f(a) < 0;
    if (below == (f(b) < 0)) continue;
    for (int k = 0; k < 100; ++k) {
      const double middle = (a + b) / 2;
      ((f(middle) < 0) == below ? a : b) = middle;
    }
    return (a + b) / 2;
  }
  throw std::logic_error("no root");
}

double ElasticConstants::mu() const { return young / (2 * (1 + poisson)); }
double ElasticConstants::lambda() const { return young * poisson / ((1 + poisson) * (1 - 2 * poisson)); }
double ElasticConstants::shear_speed() const { return std::sqrt(mu() / density); }
double ElasticConstants::pressure_speed() const { return std::sqrt((lambda() + 2 * mu()) / density); }

double plate_bending_frequency(const ElasticConstants& c, double h, double k) {
  const double cl = c.pressure_speed(), ct = c.shear_speed();
  const auto equation = [&](double w) {
    const double p = w * w / (cl * cl) - k * k, q = w * w / (ct * ct) - k * k;
    return (q - k * k) * (q - k * k) * sin_root(p, h / 2) * cos_root(q, h / 2) +
           4 * k * k * q * cos_root(p, h / 2) * sin_root(q, h / 2);
  };
  // Bending waves are slower than those of shear, and faster than nothing.
  return smallest_root(equation, 1e-3 * ct * k, ct * k, 4000) / (2 * pi);
}

double plate_shear_frequency(const ElasticConstants& c, double k) { return c.shear_speed() * k / (2 * pi); }

double sphere_torsional(int n) {
  return smallest_root([&](double y) { return (n - 1) * bessel(n, y) - y * bessel(n + 1, y); }, 0.5, 20, 4000);
}

double sphere_spheroidal(int n, double poisson) {
  const double ratio = std::sqrt((1 - 2 * poisson) / (2 - 2 * poisson));  // c_T/c_L
  return smallest_root(
      [&](double y) {
        const double x = y * ratio;
        if (n == 0) return (1 - y * y / 4) * std::sin(x) - x * std::cos(x);
        const double a = (n * (n - 1) - y * y / 2) * bessel(n, x) + 2 * x * bessel(n + 1, x);
        const double b = n * (n + 1) * ((n - 1) * bessel(n, y) - y * bessel(n + 1, y));
        const double c = (n - 1) * bessel(n, x) - x * bessel(n + 1, x);
        const double d = (n * n - 1 - y * y / 2) * bessel(n, y) + y * bessel(n + 1, y);
        return a * d - b * c;
      },
      0.5, 20, 4000);
}

double torsion_factor(double a_over_b) {
  double sum = 0;
  for (int n = 1; n < 200; n += 2) sum += std::tanh(n * pi * a_over_b / 2) / std::pow(n, 5);
  return (1 - 192 / std::pow(pi, 5) / a_over_b * sum) / 3;
}

ElasticaTip elastica_tip(double load) {
  const auto amplitude = [](double p) { return std::asin(1 / (p * std::numbers::sqrt2)); };
  const auto root = [](double p, double t) { return std::sqrt(1 - p * p * std::sin(t) * std::sin(t)); };
  const auto length = [&](double p) {
    return simpson_integral([&](double t) { return 1 / root(p, t); }, amplitude(p), pi / 2) - std::sqrt(load);
  };
  const double p = smallest_root(length, 1 / std::numbers::sqrt2 + 1e-12, 1 - 1e-6, 50);
  const double e = simpson_integral([&](double t) { return root(p, t); }, amplitude(p), pi / 2);
  return {1 - 2 / std::sqrt(load) * e, 1 - std::sqrt(2 * (2 * p * p - 1) / load)};
}

double cantilever_root(int n) {
  const double near = (n - 0.5) * pi;
  return smallest_root([](double x) { return std::cos(x) + 1 / std::cosh(x); }, near - 0.4, near + 0.4, 100);
}

Catenary catenary(double length, double span) {
  const double a =
      smallest_root([&](double x) { return 2 * x * std::sinh(span / (2 * x)) - length; }, 0.05 * span, 20 * span, 1000);
  return {a, a * (std::cosh(span / (2 * a)) - 1)};
}

HenckyMembrane hencky_membrane(double poisson) {
  struct Shot {
    double rim, deflection;
  };
  const auto shoot = [&](double middle) {
    // (N, N', w) by RK4, from a short way off the middle, where N ≈ N₀ − r²/(64 N₀²).
    constexpr int parts = 4000;
    constexpr double start = 1e-3, h = (1 - start) / parts;
    using Values = std::array<double, 3>;
    const auto rate = [](double r, const Values& y) {
      return Values{y[1], -1 / (8 * y[0] * y[0]) - 3 * y[1] / r, -r / (2 * y[0])};
    };
    const auto ahead = [](const Values& y, double s, const Values& d) {
      return Values{y[0] + s * d[0], y[1] + s * d[1], y[2] + s * d[2]};
    };
    const double bend = -1 / (32 * middle * middle);
    Values y = {middle + bend * start * start / 2, bend * start, -start * start / (4 * middle)};
    for (int i = 0; i < parts; ++i) {
      const double r = start + i * h;
      const Values a = rate(r, y), b = rate(r + h / 2, ahead(y, h / 2, a)), c = rate(r + h / 2, ahead(y, h / 2, b)),
                   d = rate(r + h, ahead(y, h, c));
      for (std::size_t k = 0; k < 3; ++k) y[k] += h / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]);
    }
    return Shot{y[1] + (1 - poisson) * y[0], -y[2]};
  };
  const double middle = smallest_root([&](double n) { return shoot(n).rim; }, 0.3, 0.6, 3);
  return {shoot(middle).deflection, 4 * middle};
}

SpinningBar spinning_bar(double young, double density, double length, double width, double rate) {
  const auto square = [](double k, double l) {  // ∫ r² dx over (−l, l)
    return (l - std::sin(2 * k * l) / (2 * k)) / std::pow(k * std::cos(k * l), 2);
  };
  const double l = length / 2, b = width / 2, slowness = std::sqrt(density / young);
  const double start = rate * 4 * l * b * (l * l + b * b) / 3;  // angular momentum over ρ and the third side
  const auto excess = [&](double omega) {
    const double k = omega * slowness;
    return omega * (2 * b * square(k, l) + 2 * l * square(k, b)) - start;
  };
  const double omega = smallest_root(excess, 1e-3 * rate, rate, 1000), k = omega * slowness;
  return {omega, std::tan(k * l) / k - l};
}

HertzContact hertz_cylinder(double modulus, double radius, double a) {
  const double force = std::numbers::pi * modulus * a * a / (4 * radius);
  return {force, force / (std::numbers::pi * modulus) * (2 * std::log(4 * radius / a) - 1)};
}

HertzContact hertz_ball(double modulus, double radius, double a) {
  return {4 * modulus * a * a * a / (3 * radius), a * a / radius};
}

double BouncingBar::contact_time() const { return 2 * length / wave_speed; }
double BouncingBar::fall_time() const { return std::sqrt(2 * drop / gravity); }
double BouncingBar::period() const { return 4 * fall_time() + 2 * contact_time(); }

double BouncingBar::height(double t) const {
  const double fall = fall_time(), contact = contact_time(), v = gravity * fall;
  const double s = folded(t, period());
  if (s <= fall) return drop - gravity * s * s / 2;
  const double tau = std::min(s - fall, contact), flown = s - fall - tau;
  // The mean of u: waves H(s) = v s + g s²/2 from the foot, above the fall −H(τ).
  const double waves = 2 / contact * (v * tau * tau / 2 + gravity * tau * tau * tau / 6);
  return waves - v * tau - gravity * tau * tau / 2 + v * flown - gravity * flown * flown / 2;
}

double BouncingBar::foot(double t) const {
  const double fall = fall_time(), contact = contact_time(), v = gravity * fall;
  const double s = folded(t, period());
  if (s <= fall) return drop - gravity * s * s / 2;
  const double flown = s - fall - contact;
  if (flown <= 0) return 0;
  // It vibrates with the period T: g ξ (ξ − 2L)/c² at ξ = c s.
  const double xi = std::fmod(flown, contact);
  return v * flown - gravity * flown * flown / 2 + gravity * xi * (xi - contact);
}

double BouncingBar::pressure(double t) const {
  const double s = folded(t, period()) - fall_time();
  if (s < 0 || s > contact_time()) return 0;
  return wave_speed * gravity * (fall_time() + s);
}

double released_rod_end(double t) { return std::max(0.0, (1 - folded(t, 3)) / 2); }
double released_rod_pressure(double t) { return folded(t, 3) > 1 ? 0.5 : 0; }

double bessel_zero(int n, int k) {
  double zero = n > 0 ? 0.1 : 0;
  for (int i = 0; i < k; ++i)
    zero = smallest_root([&](double x) { return std::cyl_bessel_j(n, x); }, zero + 1e-3, zero + n + 10, 1000);
  return zero;
}

double pendulum_period(double length, double gravity, double angle) {
  double a = 1, b = std::cos(angle / 2);
  for (int i = 0; i < 20; ++i) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  return 2 * pi * std::sqrt(length / gravity) / a;
}

std::array<double, 3> principal_stresses(const std::string& model, const MaterialConstants& c,
                                         const std::array<double, 3>& s) {
  const double J = s[0] * s[1] * s[2], I = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
  const double II = (I * I - std::pow(s[0], 4) - std::pow(s[1], 4) - std::pow(s[2], 4)) / 2;
  const double trace = s[0] + s[1] + s[2] - 3;
  std::array<double, 3> P{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double volume = J / s[i];  // ∂J/∂s
    const double first = std::pow(J, -2.0 / 3) * (2 * s[i] - 2.0 / 3 * I / s[i]);
    const double second = std::pow(J, -4.0 / 3) * (2 * s[i] * (I - s[i] * s[i]) - 4.0 / 3 * II / s[i]);
    if (model == "linear" || model == "corotated") {
      P[i] = 2 * c.mu * (s[i] - 1) + c.lambda * trace;
    } else if (model == "arap") {
      P[i] = 2 * c.mu * (s[i] - 1);
    } else if (model == "fixed_corotated") {
      P[i] = 2 * c.mu * (s[i] - 1) + c.lambda * (J - 1) * volume;
    } else if (model == "st_venant_kirchhoff") {
      P[i] = s[i] * (c.mu * (s[i] * s[i] - 1) + c.lambda * (I - 3) / 2);
    } else if (model == "neo_hookean") {
      P[i] = c.mu * (s[i] - 1 / s[i]) + c.lambda * std::log(J) / s[i];
    } else if (model == "stable_neo_hookean") {
      const double mu = 4.0 / 3 * c.mu, lambda = c.lambda + 5.0 / 6 * c.mu, alpha = 1 + mu / lambda - mu / (4 * lambda);
      P[i] = mu * s[i] * (1 - 1 / (I + 1)) + lambda * (J - alpha) * volume;
    } else if (model == "mooney_rivlin") {
      P[i] = c.c10 * first + c.c01 * second + c.bulk * (J - 1) * volume;
    } else if (model == "yeoh") {
      const double y = std::pow(J, -2.0 / 3) * I - 3;
      P[i] = (c.c1 + 2 * c.c2 * y + 3 * c.c3 * y * y) * first + c.bulk * (J - 1) * volume;
    } else if (model == "ogden") {
      P[i] = c.bulk * (J - 1) * volume;
      for (std::size_t k = 0; k < c.alpha.size(); ++k) {
        double mean = 0;
        for (const double x : s) mean += std::pow(x, c.alpha[k]) / 3;
        P[i] += c.ogden_mu[k] * std::pow(J, -c.alpha[k] / 3) * (std::pow(s[i], c.alpha[k]) - mean) / s[i];
      }
    } else {
      throw std::logic_error(model + " has no formula here");
    }
  }
  return P;
}

}  // namespace limber
