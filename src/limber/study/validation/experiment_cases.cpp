/// Cases of validation: what was measured on a body. The numbers have the errors of the experiment.

#include <cmath>
#include <numbers>

#include "limber/study/validation/closed_forms.hpp"
#include "limber/study/validation/measurements.hpp"
#include "limber/study/validation/rows.hpp"

namespace limber {

namespace {

constexpr double beam_width = 0.0123777, beam_thickness = 0.0032024;  // [m]

/// Along the width, y, and along the thickness, z [mm], at 0, 15 … 90° between the force and the width.
struct MeasuredTips {
  double force;  // [N]
  std::array<double, 7> y, z;
};
constexpr std::array<MeasuredTips, 2> princeton_tips = {
    {{8.896, {10.698, 10.572, 9.938, 8.687, 6.500, 3.482, 0}, {0, 41.012, 76.967, 105.976, 127.251, 139.595, 143.849}},
     {13.345,
      {16.037, 16.370, 16.404, 14.851, 11.272, 6.062, 0},
      {0, 62.707, 113.752, 153.554, 179.979, 192.972, 197.669}}}};

/// Why numbers differ: of a beam without width the bending is known.
std::string princeton_errors() {
  constexpr double length = 0.508, young = 71.7e9,
                   stiffness = young * beam_width * beam_thickness * beam_thickness * beam_thickness / 12;
  std::vector<double> bent, more;
  for (const MeasuredTips& measured : princeton_tips) {
    bent.push_back(1000 * length * elastica_tip(measured.force * length * length / stiffness).deflection);
    more.push_back(100 * (bent.back() / measured.z.back() - 1));
  }
  return fmt::format(
      "the experiment has errors of its own: of a beam without width, for which there are elliptic integrals, u_z at "
      "90° is {:.2f} and {:.2f} mm, {:.1f} and {:.1f} % more than was measured.",
      bent[0], bent[1], more[0], more[1]);
}

ValidationCase princeton_case(const MeasuredTips& measured, std::size_t i, const std::string& because) {
  const double angle = 15 * static_cast<double>(i) * std::numbers::pi / 180,
               pressure = measured.force / beam_width / beam_thickness;
  std::vector<ExpectedNumber> expected;
  if (measured.y[i] > 0) expected.push_back({"u_y of the tip [mm]", measured.y[i], 0.01, because});
  if (measured.z[i] > 0) expected.push_back({"u_z of the tip [mm]", measured.z[i], 0.01, because});
  const bool y = measured.y[i] > 0, z = measured.z[i] > 0;
  return {
      fmt::format("princeton-{}-{}", measured.force, 15 * i),
      fmt::format("The Princeton beam, {} N at {}°", measured.force, 15 * i),
      "E. H. Dowell, J. J. Traybar, An experimental study of the nonlinear stiffness of a rotor blade undergoing "
      "flap, lag and twist deformations, Princeton University, AMS reports 1194 (1975) and 1257 (1975); the numbers "
      "as in L. Obrezkov et al. (2022): aluminium, E = 71.7 GPa, ν = .31, 508 × 12.3777 × 3.2024 mm, clamped, with a "
      "weight at its tip at an angle to the wide sides of its section",
      "princeton_beam",
      {fmt::format("bodies[0].loads[0].traction=[0,{},{}]", pressure * std::cos(angle), pressure * std::sin(angle))},
      {with_cells({16, 2, 1}), with_cells({32, 4, 1}), with_cells({64, 4, 1})},
      in_equilibrium([y, z](const Equilibrium& e) {
        const Vec3 tip = 1000 * e.displacement(0);
        std::vector<double> numbers;
        if (y) numbers.push_back(tip[1]);
        if (z) numbers.push_back(tip[2]);
        return numbers;
      }),
      expected,
      0.1,
      CaseKind::experiment};
}

}  // namespace

std::vector<ValidationCase> experiment_cases() {
  std::vector<ValidationCase> cases;
  const std::string because = princeton_errors();
  for (const MeasuredTips& measured : princeton_tips)
    for (std::size_t i = 0; i < measured.y.size(); ++i) cases.push_back(princeton_case(measured, i, because));
  return cases;
}

}  // namespace limber
