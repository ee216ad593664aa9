/// Cases of validation: rods, strings and sheets.

#include <cmath>
#include <numbers>

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
          membrane_case(0.4)};
}

}  // namespace limber
