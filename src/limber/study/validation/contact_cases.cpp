/// Cases of validation: solids pressed together.

#include <cmath>
#include <numbers>

#include "limber/study/validation/closed_forms.hpp"
#include "limber/study/validation/measurements.hpp"
#include "limber/study/validation/meshes.hpp"
#include "limber/study/validation/rows.hpp"

namespace limber {

namespace {

constexpr double pressed_modulus = 1e6 / (1 - 0.3 * 0.3);  // E* of both scenes [Pa]
constexpr double contact_size = 0.02;                      // a/R

/// The upper plane comes down by the approach, and by half of δ, from which the body starts above the floor.
std::string brought_down_by(double approach, double delta) {
  return fmt::format("bodies[0].script[0].keys[0].translation=[0,{},0]", -approach - delta / 2);
}

/// On the upper plane [N].
double pressing_force(const Equilibrium& e) {
  return -e.reaction([](const Vec3& rest) { return rest[1] > -1e-9; })[1];
}

ValidationCase cylinder_case() {
  constexpr double width = 1e-3, delta = 1e-6;
  const HertzContact exact = hertz_cylinder(pressed_modulus, 1, contact_size);
  const auto cells = [](int n) {
    return with_mesh(fmt::format("{} hexahedra over a", n), lying_cylinder_mesh(2 * n, 2 * contact_size, width));
  };
  return {
      "hertz-cylinder",
      "A long cylinder pressed on a plane",
      "Hertz: P = πE*a²/4R for a unit length; the middle comes nearer by P/πE* (2 ln(4R/a) − 1); K. L. Johnson, "
      "Contact "
      "Mechanics (1985), sections 4.2 and 5.6. E* = E/(1 − ν²), a = .02 R. The contact's range δ is .1 % of the "
      "approach, and half of it is added to that. a is that of the same mean square of the distances of the "
      "pressure from the "
      "middle, a²/4",
      "hertz_cylinder",
      {brought_down_by(exact.approach, delta)},
      {cells(4), cells(8), cells(12)},
      in_equilibrium([](const Equilibrium& e) {
        return std::vector<double>{2 * pressing_force(e) / width, 2 * std::sqrt(e.mean_square_distance_of_contact())};
      }),
      {{"force P [N/m]", exact.force}, {"half width a [m]", contact_size}},
      0.02};
}

ValidationCase ball_case() {
  constexpr double angle = 0.1, delta = 4e-7;
  const HertzContact exact = hertz_ball(pressed_modulus, 1, contact_size);
  const auto cells = [](int n) {
    return with_mesh(fmt::format("{} tetrahedra over a", n), lying_ball_mesh(2 * n, 2 * contact_size, angle));
  };
  return {"hertz-ball",
          "A ball pressed on a plane",
          "Hertz: P = 4E*a³/3R at an approach of a²/R; K. L. Johnson, Contact Mechanics (1985), section 4.2. E* = "
          "E/(1 − ν²), a = .02 R. The contact's range δ is .1 % of the approach, and half of it is added to that. a is "
          "that "
          "of the same mean square of the distances of the pressure from the middle, 2a²/5",
          "hertz_ball",
          {brought_down_by(exact.approach, delta)},
          {cells(2), cells(4), cells(6)},
          in_equilibrium([](const Equilibrium& e) {
            return std::vector<double>{pressing_force(e) * 2 * std::numbers::pi / angle,
                                       std::sqrt(2.5 * e.mean_square_distance_of_contact())};
          }),
          {{"force P [N]", exact.force}, {"radius a [m]", contact_size}},
          0.03};
}

}  // namespace

std::vector<ValidationCase> contact_cases() { return {cylinder_case(), ball_case()}; }

}  // namespace limber
