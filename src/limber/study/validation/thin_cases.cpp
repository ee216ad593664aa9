/// Cases of validation: rods, strings and sheets.

#include <cmath>
#include <numbers>

#include "limber/core/nodes.hpp"
#include "limber/study/validation/closed_forms.hpp"
#include "limber/study/validation/measurements.hpp"
#include "limber/study/validation/meshes.hpp"
#include "limber/study/validation/rows.hpp"

namespace limber {

namespace {

/// Two nodes that are held clamp a rod in the middle of the edge between them.
Refinement clamped_edges(int n) {
  return {
      fmt::format("{} edges", n),
      {fmt::format("bodies[0].mesh.segments={}", n), fmt::format("bodies[0].mesh.from=[{},0,0]", -0.5 / (n - 0.5))}};
}

ValidationCase rod_elastica_case(double load) {
  constexpr double radius = 1e-3, young = 1e9;
  const double force = load * young * std::numbers::pi / 4 * std::pow(radius, 4);
  const ElasticaTip tip = elastica_tip(load);
  return {fmt::format("rod-elastica-{}", load),
          fmt::format("A clamped rod, P L²/EI = {}", load),
          "Elliptic integrals; K. Mattiasson, Int. J. Numer. Methods Eng. 17 (1981) 145–153",
          "elastica_rod",
          {fmt::format("bodies[0].loads[0].force=[0,{},0]", -force)},
          {clamped_edges(10), clamped_edges(20), clamped_edges(40)},
          in_equilibrium([](const Equilibrium& e) {
            return std::vector<double>{-e.displacement(0)[1], -e.displacement(0)[0]};
          }),
          {{"deflection/L", tip.deflection}, {"shortening/L", tip.shortening}},
          0.02};
}

ValidationCase rod_vibrations_case() {
  constexpr double diameter = 0.01, young = 1e9, density = 1000;
  const double unit = std::sqrt(young * diameter * diameter / 16 / density) / (2 * std::numbers::pi);  // √(EI/μ)/2π
  ValidationCase c{
      "rod-vibrations",
      "A clamped rod: bending vibrations",
      "Euler–Bernoulli: f = (βL)²/2πL² √(EI/μ), cos βL cosh βL = −1; Lord Rayleigh, The Theory of Sound, vol. I "
      "(1894), chapter VIII",
      "rod",
      {},
      {clamped_edges(10), clamped_edges(20), clamped_edges(40)},
      frequencies({1, 3, 5}),
      {},
      0.06};
  for (int n = 1; n <= 3; ++n)
    c.expected.push_back({fmt::format("bending {} [Hz]", n), unit * std::pow(cantilever_root(n), 2)});
  return c;
}

ValidationCase cable_case(double length) {
  constexpr double weight = 1000 * std::numbers::pi / 4 * 1e-4 * 9.81;  // [N/m]
  const Catenary exact = catenary(length, 1);
  const auto edges = [&](int n) {
    const nlohmann::json mesh = slack_line(length, 1, n);
    Refinement r = with_mesh(fmt::format("{} edges", n), mesh);
    r.changes.push_back("output.probes[0].point=" + mesh["nodes"][static_cast<std::size_t>(n) / 2].dump());
    return r;
  };
  return {
      fmt::format("cable-{}", length),
      fmt::format("A cable of {} m over a span of 1 m", length),
      "The catenary: 2a sinh(L/2a) = S, sag a (cosh(L/2a) − 1), horizontal force a w; H. M. Irvine, Cable Structures "
      "(1981)",
      "cable",
      {},
      {edges(10), edges(20), edges(40)},
      in_equilibrium([](const Equilibrium& e) {
        const Vec3 end = e.reaction([](const Vec3& rest) { return rest[0] < 1e-6 && rest[1] > -1e-6; });
        return std::vector<double>{-e.position(0)[1], -end[0] / weight};
      }),
      {{"sag [m]", exact.sag}, {"horizontal force/weight of 1 m", exact.parameter}},
      0.02};
}

ValidationCase membrane_case(double poisson) {
  constexpr double pressure = 10, young = 1e9, thickness = 1e-3;
  const double unit = std::cbrt(pressure / (young * thickness));
  const auto rings = [](int n) {
    Refinement r = with_mesh(fmt::format("{} rings of triangles", n), disc_mesh(1, n));
    auto rim = nlohmann::json::array();
    for (int i = 1 + 3 * n * (n - 1); i <= 3 * n * (n + 1); ++i) rim.push_back(i);
    r.changes.push_back(R"(bodies[0].pin=[{"nodes":)" + rim.dump() + "}]");
    return r;
  };
  return {
      fmt::format("membrane-{}", poisson),
      fmt::format("A circular membrane under pressure, ν = {}", poisson),
      "H. Hencky, Über den Spannungszustand in kreisrunden Platten mit verschwindender Biegungssteifigkeit, Z. Math. "
      "Phys. 63 (1915) 311–317, with the coefficients of W. B. Fichter, Some solutions for the large deflections of "
      "uniformly loaded circular membranes, NASA TP-3658 (1997): b₀ = 1.6827, 1.7244, 1.7769 for ν = .2, .3, .4; "
      "the equation is solved here",
      "membrane",
      {fmt::format("bodies[0].material.poisson={}", poisson)},
      {rings(8), rings(16), rings(32)},
      in_equilibrium([=](const Equilibrium& e) { return std::vector<double>{-e.displacement(0)[1] / unit}; }),
      {{"deflection of the middle/a (p a/E t)^(1/3)", hencky_membrane(poisson).deflection}},
      0.01};
}

/// √(tension/mass of a unit area), over the stretch: for waves on a sheet that is stretched alike in both directions,
/// in lengths of its rest shape [m/s]. The second Piola stress of `st_venant_kirchhoff` is E/(1 − ν) (s² − 1)/2.
double membrane_speed(double stretch) {
  constexpr double young = 1e6, poisson = 0.3, density = 1000;
  return std::sqrt(young / (1 - poisson) * (stretch * stretch - 1) / 2 / density);
}
constexpr double membrane_stretch = 1.01;

ValidationCase square_membrane_case() {
  const auto cells = [](int n) {
    return Refinement{fmt::format("{} × {} cells", n, n), {fmt::format("bodies[0].mesh.cells=[{},{}]", n, n)}};
  };
  ValidationCase c{"square-membrane",
                   "A square membrane, stretched by 1 %",
                   "f = ½ √(T/σ) √(m² + n²)/a: Lord Rayleigh, The Theory of Sound, vol. I (1894), chapter IX; the "
                   "tension T and the mass σ of a unit area are those of the sheet when it is stretched",
                   "square_membrane",
                   {},
                   {cells(8), cells(16), cells(32)},
                   frequencies_in_equilibrium({1, 2, 4, 5}),
                   {},
                   0.08};
  for (const auto& [m, n] : {std::pair{1, 1}, {1, 2}, {2, 2}, {1, 3}})
    c.expected.push_back({fmt::format("({}, {}) [Hz]", m, n), membrane_speed(membrane_stretch) * std::hypot(m, n) / 2});
  return c;
}

ValidationCase drum_case() {
  const auto rings = [](int n) {
    const nlohmann::json mesh = disc_mesh(1, n);
    Refinement r = with_mesh(fmt::format("{} rings of triangles", n), mesh);
    auto scripts = nlohmann::json::array();
    for (int i = 1 + 3 * n * (n - 1); i <= 3 * n * (n + 1); ++i) {
      const auto& x = mesh["nodes"][ix(i)];
      const double outwards = membrane_stretch - 1;
      const std::array<double, 3> way = {outwards * x[0].get<double>(), 0, outwards * x[2].get<double>()};
      scripts.push_back({{"nodes", {{"nodes", {i}}}}, {"keys", {{{"time", 0}, {"translation", way}}}}});
    }
    r.changes.push_back("bodies[0].script=" + scripts.dump());
    return r;
  };
  ValidationCase c{
      "drum",
      "A circular membrane, stretched by 1 %",
      "f = j/2πR √(T/σ), j a zero of a Bessel function J_m: Lord Rayleigh, The Theory of Sound, vol. I "
      "(1894), "
      "chapter IX; the tension T and the mass σ of a unit area are those of the sheet when it is stretched",
      "drum",
      {},
      {rings(8), rings(16), rings(32)},
      frequencies_in_equilibrium({1, 2, 4, 6}),
      {},
      0.06};
  for (const auto& [m, k] : {std::pair{0, 1}, {1, 1}, {2, 1}, {0, 2}})
    c.expected.push_back({fmt::format("J_{}, zero {} [Hz]", m, k),
                          membrane_speed(membrane_stretch) * bessel_zero(m, k) / (2 * std::numbers::pi)});
  return c;
}

}  // namespace

std::vector<ValidationCase> thin_cases() {
  const auto masses = [](int n) {
    return Refinement{fmt::format("{} springs", n),
                      {fmt::format("bodies[0].mesh.segments={}", n), fmt::format("bodies[0].point_mass={}", 0.01 / n),
                       fmt::format("bodies[0].springs.stiffness={}", 1e5 * n),
                       fmt::format("bodies[0].springs.rest_length={}", 1.0 / n - 100 / (1e5 * n))}};
  };
  return {rod_elastica_case(1),
          rod_elastica_case(10),
          rod_vibrations_case(),
          cable_case(1.1),
          cable_case(1.5),
          {"string",
           "A string under tension",
           "f_n = n/2L √(T/μ): Lord Rayleigh, The Theory of Sound, vol. I (1894), chapter VI",
           "string",
           {},
           {masses(10), masses(20), masses(40)},
           frequencies({1, 3, 5, 7}),
           {{"f₁ [Hz]", 50}, {"f₂ [Hz]", 100}, {"f₃ [Hz]", 150}, {"f₄ [Hz]", 200}},
           0.07},
          membrane_case(0.2),
          membrane_case(0.3),
          membrane_case(0.4),
          square_membrane_case(),
          drum_case()};
}

}  // namespace limber
