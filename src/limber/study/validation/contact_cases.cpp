/// Cases of validation: solids pressed together.

#include <algorithm>
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
    return with_mesh(fmt::format("{} hexahedra over a", n),
                     lying_cylinder_mesh(LyingPart::right, 2 * n, 2 * contact_size, width));
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
  constexpr double angle = 0.1, delta = 1e-7, a = 0.01;
  const HertzContact exact = hertz_ball(pressed_modulus, 1, a);
  const auto cells = [](int n) {
    return with_mesh(fmt::format("{} tetrahedra over a", n), lying_ball_mesh(2 * n, 2 * a, angle));
  };
  return {
      "hertz-ball",
      "A ball pressed on a plane",
      "Hertz: P = 4E*a³/3R at an approach of a²/R; K. L. Johnson, Contact Mechanics (1985), section 4.2. E* = E/(1 − "
      "ν²), a = .01 R: the formula is that of a ball that is large beside its contact, and half of one as here is "
      "stiffer, by 2 % at a = .05 R. The contact's range δ is .1 % of the approach, and half of it is added to that. "
      "a is that of the same mean square of the distances of the pressure from the middle, 2a²/5",
      "hertz_ball",
      {brought_down_by(exact.approach, delta)},
      {cells(2), cells(4), cells(6)},
      in_equilibrium([](const Equilibrium& e) {
        return std::vector<double>{pressing_force(e) * 2 * std::numbers::pi / angle,
                                   std::sqrt(2.5 * e.mean_square_distance_of_contact())};
      }),
      {{"force P [N]", exact.force}, {"radius a [m]", a}},
      0.03};
}

/// The width that sticks over a √(1 − Q/μP). With Hertz's pressure the mean square of the distances of the pressure is
/// a²/4, and that of the friction (a² + c²)/4.
double sticking_width(const std::vector<ContactPoint>& points, double friction) {
  double P = 0, Q = 0, middle = 0, a2 = 0, both = 0;
  for (const ContactPoint& p : points) {
    P += p.normal_force;
    Q += p.friction[0];
    middle += p.normal_force * p.point[0];
  }
  middle /= P;
  for (const ContactPoint& p : points) {
    const double square = std::pow(p.point[0] - middle, 2);
    a2 += 4 * p.normal_force * square / P;
    both += 4 * p.friction[0] * square / Q;
  }
  return std::sqrt(std::max(both - a2, 0.0) / (a2 * (1 - std::abs(Q) / (friction * P))));
}

ValidationCase partial_slip_case() {
  constexpr double friction = 0.5;
  const auto cells = [](int n) {
    return with_mesh(fmt::format("{} hexahedra over a", n),
                     lying_cylinder_mesh(LyingPart::both_sides, 2 * n, 2 * contact_size, 1e-3));
  };
  return {"partial-slip",
          "A pressed cylinder is pushed sideways, and slips from the rim of its contact inwards",
          "C. Cattaneo, Sul contatto di due corpi elastici, Rend. Accad. Naz. Lincei 27 (1938); R. D. Mindlin, "
          "Compliance of elastic bodies in contact, J. Appl. Mech. 16 (1949) 259–268; K. L. Johnson, Contact Mechanics "
          "(1985), section 7.2: of the half width a, c = a √(1 − Q/μP) sticks. On a rigid plane that holds for an "
          "incompressible body; here ν = .49. c is that of the same mean square of the distances of the friction from "
          "the middle, (a² + c²)/4",
          "partial_slip",
          {},
          {cells(4), cells(6), cells(8)},
          in_contact([](const std::vector<std::vector<ContactPoint>>& steps) {
            return std::vector<double>{sticking_width(steps.at(7), friction), sticking_width(steps.at(9), friction)};
          }),
          {{"c/a√(1 − Q/μP) at Q = .5 μP", 1}, {"c/a√(1 − Q/μP) at Q = .8 μP", 1}},
          0.06};
}

}  // namespace

std::vector<ValidationCase> contact_cases() { return {cylinder_case(), ball_case(), partial_slip_case()}; }

}  // namespace limber
