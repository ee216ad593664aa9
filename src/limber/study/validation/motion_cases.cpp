/// Cases of validation: motions in time, with air, contact and friction.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "limber/core/errors.hpp"
#include "limber/study/exact_slide.hpp"
#include "limber/study/validation/closed_forms.hpp"
#include "limber/study/validation/measurements.hpp"
#include "limber/study/validation/meshes.hpp"
#include "limber/study/validation/rows.hpp"

namespace limber {

namespace {

ValidationCase pendulum_case(double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  const std::string bob = fmt::format("[{},{},0]", std::sin(angle), -std::cos(angle));
  return {fmt::format("pendulum-{}", degrees),
          fmt::format("A pendulum that is let go at {}°", degrees),
          "T = 2π √(L/g)/agm(1, cos(θ/2)), the complete elliptic integral; L. D. Landau, E. M. Lifshitz, Mechanics, "
          "3rd ed. "
          "(1976), §11, problem 1",
          "pendulum",
          {"bodies[0].mesh.to=" + bob, "output.probes[0].point=" + bob},
          {with_step(0.02), with_step(0.01), with_step(0.005)},
          in_motion([](const FollowedMotion& m) {
            std::vector<double> x;
            for (const Vec3& p : m.positions) x.push_back(p[0]);
            const std::vector<double> times = passages(m.times, x);
            if (times.size() < 2) throw StepFailure("the pendulum does not come back");
            return std::vector<double>{2 * (times[1] - times[0])};
          }),
          {{"period [s]", pendulum_period(1, standard_gravity, angle)}},
          0.01};
}

ValidationCase slope_case(double friction) {
  const double angle = 35 * std::numbers::pi / 180;
  return {fmt::format("slope-{}", friction),
          fmt::format("A block slides down a slope of 35°, μ = {}", friction),
          "Coulomb: a = g (sin θ − μ cos θ)",
          "slope",
          {fmt::format("contact.friction={}", friction)},
          {with_step(0.02), with_step(0.01), with_step(0.005)},
          in_motion([](const FollowedMotion& m) {
            // From three places of the second half: at the start it bounces a little on its contact.
            const std::size_t n = m.positions.size() - 1, quarter = n / 4;
            const double t = m.times[n] - m.times[n - quarter];
            return std::vector<double>{
                (m.positions[n][0] - 2 * m.positions[n - quarter][0] + m.positions[n - 2 * quarter][0]) / (t * t)};
          }),
          {{"acceleration [m/s²]", standard_gravity * (std::sin(angle) - friction * std::cos(angle))}},
          0.02};
}

ValidationCase falling_sheet_case() {
  constexpr double mass = 1, area = 1, air = 1.2, drag = 1.2, t = 2;
  const double terminal = std::sqrt(2 * mass * standard_gravity / (air * drag * area));
  return {"falling-sheet",
          "A sheet falls flat through the air",
          "v = v_t tanh(g t/v_t), y = v_t²/g ln cosh(g t/v_t), v_t = √(2 m g/ρ C A)",
          "falling_sheet",
          {},
          {with_step(0.1), with_step(0.05), with_step(0.02)},
          in_motion([](const FollowedMotion& m) {
            return std::vector<double>{-m.end_velocity[1], m.positions.front()[1] - m.positions.back()[1]};
          }),
          {{"speed after 2 s [m/s]", terminal * std::tanh(standard_gravity * t / terminal)},
           {"fall in 2 s [m]",
            terminal * terminal / standard_gravity * std::log(std::cosh(standard_gravity * t / terminal))}},
          0.01};
}

ValidationCase oscillator_case() {
  constexpr double k = 100, mass = 1, damping = 1;
  const double decay = damping / (2 * mass), omega = std::sqrt(k / mass - decay * decay),
               half = std::numbers::pi / omega;
  return {
      "oscillator",
      "A mass on a damped spring",
      "x ~ exp(−c t/2m) cos(ωt − φ), ω² = k/m − (c/2m)²; L. D. Landau, E. M. Lifshitz, Mechanics, 3rd ed. (1976), §25",
      "oscillator",
      {},
      {with_step(0.02), with_step(0.01), with_step(0.005)},
      in_motion([](const FollowedMotion& m) {
        std::vector<double> x;
        for (const Vec3& p : m.positions) x.push_back(p[0] - 1);
        const std::vector<double> times = passages(m.times, x);
        if (times.size() < 2) throw StepFailure("the mass does not come back");
        return std::vector<double>{2 * (times[1] - times[0]), std::log(-x[0] / least(x))};
      }),
      {{"period [s]", 2 * half}, {"logarithm of the first swing over the second", decay * half}},
      0.02};
}

ValidationCase pulled_bar_case() {
  constexpr double young = 1e6, density = 1000, stress = 1000;
  const double passing = 1 / std::sqrt(young / density), still = stress / young;  // [s] through the bar; [m] at rest
  const auto cells = [](int n) {
    return Refinement{fmt::format("{} hexahedra, h = {} ms", n, 20.0 / n),
                      {fmt::format("bodies[0].mesh.cells=[{},1,1]", n), fmt::format("time.step={}", 0.02 / n)}};
  };
  return {"pulled-bar",
          "A bar that is pulled suddenly at its end",
          "D'Alembert: the end moves with σ/ρc until the wave is back after 2L/c, to 2σL/E; S. P. Timoshenko, J. N. "
          "Goodier, "
          "Theory of Elasticity, 3rd ed. (1970), chapter 14",
          "pulled_bar",
          {},
          {cells(20), cells(40), cells(80)},
          in_motion([=](const FollowedMotion& m) {
            double after = 0, most = 0;
            for (std::size_t i = 1; i < m.times.size(); ++i) {
              const double before = m.positions[i - 1][0] - 1, now = m.positions[i][0] - 1;
              const double part = (passing - m.times[i - 1]) / (m.times[i] - m.times[i - 1]);
              if (part >= 0 && part < 1) after = before + part * (now - before);
              most = std::max(most, now);
            }
            return std::vector<double>{after, most};
          }),
          {{"end after L/c [m]", still}, {"furthest [m]", 2 * still}},
          0.03};
}

ValidationCase spinning_bar_case() {
  constexpr double rate = 20;
  const SpinningBar exact = spinning_bar(1e6, 1000, 1, 0.05, rate);
  const auto cells = [](int n) {
    return Refinement{fmt::format("{} hexahedra, h = {} ms", n, 20.0 / n),
                      {fmt::format("bodies[0].mesh.cells=[{},1,1]", n), fmt::format("time.step={}", 0.02 / n)}};
  };
  return {"spinning-bar",
          "A free bar is set spinning, and stretches",
          "E r″ + ρω² r = 0 with free ends: r = sin(kx)/(k cos(kL/2)), k² = ρω²/E, for small strains the elongation "
          "ρω²l³/3E of each "
          "half l; ω follows from the angular momentum of the start. Viscosity takes the vibrations away",
          "spinning_bar",
          {},
          {cells(10), cells(20), cells(40)},
          in_motion([](const FollowedMotion& m) {
            const Vec3& end = m.positions.back();
            return std::vector<double>{end.norm() - 0.5, end.cross(m.end_velocity)[2] / end.squaredNorm()};
          }),
          {{"elongation of each half [m]", exact.elongation}, {"ω at the end [rad/s]", exact.rate}},
          0.03};
}

ValidationCase bollard_case(double friction) {
  const auto edges = [](int n) {
    // Gaps begin at .6 of δ, 1 mm; the rope is 10 mm thick.
    return with_mesh(fmt::format("{} edges", n), rope_over(0.1056, 0.3, 0.5, n));
  };
  return {fmt::format("bollard-{}", friction),
          fmt::format("A rope is pulled over half a bollard, μ = {}", friction),
          "Euler–Eytelwein: the pull is e^{μπ} times the weight at the other end; J. P. Den Hartog, Mechanics (1948)",
          "bollard",
          {fmt::format("contact.friction={}", friction)},
          {edges(40), edges(80), edges(160)},
          in_motion([](const FollowedMotion& m) {
            double sum = 0;  // over the last third: it slides steadily
            const std::size_t n = m.reactions.size(), from = n - n / 3;
            for (std::size_t i = from; i < n; ++i) sum -= m.reactions[i][1];
            return std::vector<double>{sum / static_cast<double>(n - from) / standard_gravity};
          }),
          {{"pull/weight", std::exp(friction * std::numbers::pi)}},
          0.03};
}

ValidationCase bars_case() {
  const auto cells = [](int n) {
    return Refinement{fmt::format("{} cells a metre, h = {} ms", n, 20.0 / n),
                      {fmt::format("bodies[0].mesh.cells=[{},1,1]", n),
                       fmt::format("bodies[1].mesh.cells=[{},1,1]", 2 * n), fmt::format("time.step={}", 0.02 / n)}};
  };
  return {
      "bars",
      "A bar hits one of twice its length along their axis",
      "B. de Saint-Venant, Sur le choc longitudinal de deux barres élastiques, J. Math. Pures Appl. 12 (1867) 237–376: "
      "the short bar gives all its momentum to the long one, which leaves with v L₁/L₂; W. Goldsmith, Impact (1960)",
      "bars",
      {},
      {cells(10), cells(20), cells(40)},
      in_motion([](const FollowedMotion& m) { return std::vector<double>{m.momenta[1][0] / 20}; }),
      {{"mean speed of the long bar [m/s]", 0.5}},
      0.05};
}

}  // namespace

std::vector<ValidationCase> motion_cases() {
  return {pendulum_case(60), pendulum_case(120),  pendulum_case(150), falling_sheet_case(),
          slope_case(0.2),   slope_case(0.5),     bars_case(),        oscillator_case(),
          pulled_bar_case(), spinning_bar_case(), bollard_case(0.15), bollard_case(0.3)};
}

}  // namespace limber
