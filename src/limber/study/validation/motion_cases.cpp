/// Cases of validation: motions in time, with air, contact and friction.

#include <cmath>
#include <numbers>

#include "limber/core/errors.hpp"
#include "limber/study/validation/closed_forms.hpp"
#include "limber/study/validation/measurements.hpp"
#include "limber/study/validation/rows.hpp"

namespace limber {

namespace {

constexpr double g = 9.81;  // [m/s²]

ValidationCase pendulum(double degrees) {
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
          {{"period [s]", pendulum_period(1, g, angle)}},
          0.01};
}

ValidationCase slope(double friction) {
  const double angle = 35 * std::numbers::pi / 180;
  return {fmt::format("slope-{}", friction),
          fmt::format("A block slides down a slope of 35°, μ = {}", friction),
          "Coulomb: v = g (sin θ − μ cos θ) t",
          "slope",
          {fmt::format("contact.friction={}", friction)},
          {with_step(0.02), with_step(0.01), with_step(0.005)},
          in_motion([](const FollowedMotion& m) { return std::vector<double>{m.end_velocity[0]}; }),
          {{"speed after 1 s [m/s]", g * (std::sin(angle) - friction * std::cos(angle))}},
          0.02};
}

ValidationCase falling_sheet() {
  constexpr double mass = 1, area = 1, air = 1.2, drag = 1.2, t = 2;
  const double terminal = std::sqrt(2 * mass * g / (air * drag * area));
  return {"falling-sheet",
          "A sheet falls flat through the air",
          "v = v_t tanh(g t/v_t), y = v_t²/g ln cosh(g t/v_t), v_t = √(2 m g/ρ C A)",
          "falling_sheet",
          {},
          {with_step(0.1), with_step(0.05), with_step(0.02)},
          in_motion([](const FollowedMotion& m) {
            return std::vector<double>{-m.end_velocity[1], m.positions.front()[1] - m.positions.back()[1]};
          }),
          {{"speed after 2 s [m/s]", terminal * std::tanh(g * t / terminal)},
           {"fall in 2 s [m]", terminal * terminal / g * std::log(std::cosh(g * t / terminal))}},
          0.01};
}

ValidationCase bars() {
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
  return {pendulum(60), pendulum(120), pendulum(150), falling_sheet(), slope(0.2), slope(0.5), bars()};
}

}  // namespace limber
