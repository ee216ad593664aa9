/// Cases of validation: solids at rest under loads, small and large.

#include <cmath>
#include <numbers>

#include "limber/study/validation/closed_forms.hpp"
#include "limber/study/validation/measurements.hpp"
#include "limber/study/validation/meshes.hpp"
#include "limber/study/validation/rows.hpp"

namespace limber {

namespace {

std::string cells_label(std::array<int, 3> n) { return fmt::format("{} × {} × {} cells", n[0], n[1], n[2]); }

std::string total_load(const Vec3& force, double area) {
  return fmt::format(R"(bodies[0].loads[0].traction=[{},{},{}])", force[0] / area, force[1] / area, force[2] / area);
}

/// How far the first probe has moved along an axis.
Measurement first_probe_moved(Index axis) {
  return in_equilibrium([axis](const Equilibrium& e) { return std::vector<double>{e.displacement(0)[axis]}; });
}

ValidationCase straight_beam_case(const std::string& name, const std::string& what, Index axis, double value) {
  const Vec3 force = Vec3::Unit(axis);
  return {"straight-beam-" + name,
          "A straight cantilever of 6 × .2 × .1: " + what,
          "R. H. MacNeal, R. L. Harder, A proposed standard set of problems to test finite element accuracy, Finite "
          "Elem. Anal. Des. 1 (1985) 3–20",
          "straight_beam",
          {total_load(force, 0.02)},
          {with_cells({12, 1, 1}), with_cells({24, 2, 1}), with_cells({48, 2, 2})},
          first_probe_moved(axis),
          {{"tip, along the unit force [m]", value}},
          0.03};
}

ValidationCase twisted_beam_case(const std::string& name, const std::string& what, Index axis, double value) {
  const auto mesh = [](std::array<int, 3> n) {
    return with_mesh(cells_label(n), mapped_mesh(n, MappedCells::tets, [](const Vec3& x) {
                       const double a = std::numbers::pi / 2 * x[0], y = (x[1] - 0.5) * 1.1, z = (x[2] - 0.5) * 0.32;
                       return Vec3(12 * x[0], y * std::cos(a) - z * std::sin(a), y * std::sin(a) + z * std::cos(a));
                     }));
  };
  return {"twisted-beam-" + name,
          "A cantilever twisted by 90°: " + what,
          "R. H. MacNeal, R. L. Harder, A proposed standard set of problems to test finite element accuracy, Finite "
          "Elem. Anal. Des. 1 (1985) 3–20",
          "twisted_beam",
          {total_load(Vec3::Unit(axis), 1.1 * 0.32)},
          {mesh({12, 2, 1}), mesh({24, 4, 1}), mesh({24, 4, 2})},
          first_probe_moved(axis),
          {{"tip, along the unit force [m]", value}},
          0.03};
}

ValidationCase cook_case() {
  const auto mesh = [](int n) {
    return with_mesh(cells_label({n, n, 1}), mapped_mesh({n, n, 1}, MappedCells::tets, [](const Vec3& x) {
                       return Vec3(48 * x[0], 44 * x[0] + x[1] * (44 - 28 * x[0]), x[2]);
                     }));
  };
  return {"cook",
          "Cook's membrane, plane stress",
          "R. D. Cook, Improved two-dimensional finite element, J. Struct. Div. ASCE 100 (1974) 1851–1863; converged "
          "value 23.97 as in P. Krysl, FinEtools.jl, tutorial \"Cook panel under plane stress\"",
          "cook",
          {},
          {mesh(4), mesh(8), mesh(16)},
          first_probe_moved(1),
          {{"middle of the free side, up [m]", 23.97}},
          0.04};
}

ValidationCase torsion_case(int ratio, const std::vector<std::array<int, 3>>& cells) {
  constexpr double mu = 1000, angle = 1e-4;
  std::vector<Refinement> refinements;
  for (const auto& n : cells) refinements.push_back(with_cells(n));
  return {
      fmt::format("torsion-{}", ratio),
      fmt::format("Torsion of a bar of section {} : 1", ratio),
      "Saint-Venant: torque = k a b³ G θ/L, k = ⅓ (1 − 192/π⁵ b/a Σ tanh(nπa/2b)/n⁵), n odd; S. P. Timoshenko, J. N. "
      "Goodier, Theory of Elasticity, 3rd ed. (1970), §109 (.1406, .229 and .281 for a : b = 1, 2 and 4)",
      "torsion",
      {fmt::format("bodies[0].mesh.size=[1,{},1]", ratio),
       fmt::format("bodies[0].mesh.origin=[0,{},-0.5]", -ratio / 2.0)},
      refinements,
      in_equilibrium([=](const Equilibrium& e) {
        const Vec3 torque = e.torque([](const Vec3& rest) { return rest[0] > 1 - 1e-6; });
        return std::vector<double>{torque[0] / (mu * angle * ratio)};
      }),
      {{"k", torsion_factor(ratio)}},
      0.05};
}

/// A pyramid of a small angle out of a hollow sphere, as the scenes have it.
Refinement pyramid(double inner, double outer, int n) {
  constexpr double slope = 0.01;
  const double c = 1 / std::sqrt(1 + 2 * slope * slope);
  return with_mesh(fmt::format("{} cells across the wall", n),
                   mapped_mesh({1, 1, n}, MappedCells::tets, [=](const Vec3& x) {
                     const double r = c * (inner + (outer - inner) * x[2]);
                     return Vec3(r * slope * (2 * x[0] - 1), r * slope * (2 * x[1] - 1), r);
                   }));
}

ValidationCase thick_sphere_case() {
  constexpr double a = 1, b = 2, p = 1, young = 1e6, nu = 0.3;
  const auto u = [&](double r) {
    return p * a * a * a / (b * b * b - a * a * a) * ((1 - 2 * nu) * r + (1 + nu) * b * b * b / (2 * r * r)) / young;
  };
  return {"thick-sphere",
          "A thick hollow sphere under pressure",
          "Lamé: u(r) = p a³/(E (b³ − a³)) ((1 − 2ν) r + (1 + ν) b³/2r²); S. P. Timoshenko, J. N. Goodier, Theory of "
          "Elasticity, 3rd ed. (1970), §136",
          "thick_sphere",
          {},
          {pyramid(a, b, 4), pyramid(a, b, 8), pyramid(a, b, 16)},
          in_equilibrium([](const Equilibrium& e) {
            return std::vector<double>{e.position(0).norm() - a, e.position(1).norm() - b};
          }),
          {{"inner radius, growth [m]", u(a)}, {"outer radius, growth [m]", u(b)}},
          0.01};
}

ValidationCase hollow_cylinder_case() {
  constexpr double a = 1, b = 2, p = 1, young = 1e6, nu = 0.3;
  const auto u = [&](double r) {
    return (1 + nu) / young * p * a * a / (b * b - a * a) * ((1 - 2 * nu) * r + b * b / r);
  };
  const auto mesh = [&](int n) {
    constexpr double slope = 0.01;
    const double c = 1 / std::sqrt(1 + slope * slope);
    return with_mesh(fmt::format("{} hexahedra across the wall", n),
                     mapped_mesh({n, 1, 1}, MappedCells::hexes, [=](const Vec3& x) {
                       const double r = c * (a + (b - a) * x[0]);
                       return Vec3(r, r * slope * (2 * x[1] - 1), 0.02 * x[2]);
                     }));
  };
  return {"hollow-cylinder",
          "A thick hollow cylinder under pressure, plane strain",
          "Lamé: u(r) = (1 + ν) p a²/(E (b² − a²)) ((1 − 2ν) r + b²/r); S. P. Timoshenko, J. N. Goodier, Theory of "
          "Elasticity, 3rd ed. (1970), §28",
          "hollow_cylinder",
          {},
          {mesh(4), mesh(8), mesh(16)},
          in_equilibrium([](const Equilibrium& e) {
            return std::vector<double>{e.position(0).norm() - a, e.position(1).norm() - b};
          }),
          {{"inner radius, growth [m]", u(a)}, {"outer radius, growth [m]", u(b)}},
          0.02};
}

ValidationCase round_bar_case() {
  constexpr double mu = 1000, angle = 1e-4, radius = 0.5;
  const auto edges = [](double h) {
    return Refinement{fmt::format("edges of {} m", h), {fmt::format("bodies[0].mesh.resolution={}", h)}};
  };
  return {"torsion-round",
          "Torsion of a round bar",
          "Coulomb: torque = G πr⁴/2 θ/L; S. P. Timoshenko, J. N. Goodier, Theory of Elasticity, 3rd ed. (1970), "
          "chapter 10",
          "round_bar",
          {},
          {edges(0.2), edges(0.12), edges(0.08)},
          in_equilibrium([](const Equilibrium& e) {
            return std::vector<double>{e.torque([](const Vec3& rest) { return rest[1] > 1 - 1e-6; })[1] / (mu * angle)};
          }),
          {{"torque L/Gθ [m⁴]", std::numbers::pi / 2 * std::pow(radius, 4)}},
          0.06};
}

ValidationCase balloon_case(double stretch) {
  constexpr double a = 1, b = 1.5, mu = 1e6;
  const double outer = std::cbrt(1 + (std::pow(stretch, 3) - 1) * std::pow(a / b, 3));
  const auto g = [](double s) { return 2 / s + 1 / (2 * std::pow(s, 4)); };
  const double pressure = mu * (g(outer) - g(stretch));
  return {
      fmt::format("balloon-{}", stretch),
      fmt::format("A thick rubber balloon, its inside stretched by {}", stretch),
      "Incompressible neo-Hookean shell: p = μ (2/λ_b + 1/2λ_b⁴ − 2/λ_a − 1/2λ_a⁴), λ_b³ − 1 = (λ_a³ − 1)(a/b)³; R. "
      "W. Ogden, Non-linear Elastic Deformations (1984), chapter 5. Here ν = .499",
      "balloon",
      {fmt::format("bodies[0].loads[0].pressure={}", pressure)},
      {pyramid(a, b, 2), pyramid(a, b, 4), pyramid(a, b, 8)},
      in_equilibrium([](const Equilibrium& e) {
        return std::vector<double>{e.position(0).norm() / a - 1, e.position(1).norm() / b - 1};
      }),
      {{"λ_a − 1", stretch - 1}, {"λ_b − 1", outer - 1}},
      0.02};
}

ValidationCase bend_case(double force, const Vec3& tip, const Vec3& tolerance) {
  const auto mesh = [](std::array<int, 3> n) {
    return with_mesh(cells_label(n), mapped_mesh(n, MappedCells::tets, [](const Vec3& x) {
                       const double a = std::numbers::pi / 4 * x[0], r = 99.5 + x[1];
                       return Vec3(r * std::sin(a), 100 - r * std::cos(a), x[2] - 0.5);
                     }));
  };
  const std::string coarse =
      "the sources have a few beam elements and differ among themselves by .7 % here (Bathe and Bolourchi: 15.9); "
      "Limber's number hardly moves between its two finest meshes.";
  return {
      fmt::format("bend-{}", force),
      fmt::format("A cantilever bent to an eighth of a circle, force {} out of its plane", force),
      "J. C. Simo, L. Vu-Quoc, A three-dimensional finite-strain rod model, part II, Comput. Methods Appl. Mech. Eng. "
      "58 "
      "(1986) 79–116; problem and other numbers (1.5 % away at most): K.-J. Bathe, S. Bolourchi, Large displacement "
      "analysis of three-dimensional beam structures, Int. J. Numer. Methods Eng. 14 (1979) 961–986",
      "bend",
      {total_load(Vec3(0, 0, force), 1)},
      {mesh({16, 1, 1}), mesh({24, 2, 2}), mesh({32, 2, 2})},
      in_equilibrium([](const Equilibrium& e) {
        const Vec3 x = e.position(0);
        return std::vector<double>{x[0], x[1], x[2]};
      }),
      {{"tip, along the clamped tangent [m]", tip[0], tolerance[0], coarse},
       {"tip, across it in the plane [m]", tip[1], tolerance[1], coarse},
       {"tip, out of the plane [m]", tip[2], tolerance[2], coarse}},
      0.02};
}

ValidationCase elastica_case(double load) {
  constexpr double side = 0.02, young = 12e6;
  const double force = load * young * std::pow(side, 4) / 12;
  const ElasticaTip tip = elastica_tip(load);
  return {
      fmt::format("elastica-{}", load),
      fmt::format("A slender cantilever of solid elements, P L²/EI = {}", load),
      "Elliptic integrals; K. Mattiasson, Numerical results from large deflection beam and frame problems analysed by "
      "means of elliptic integrals, Int. J. Numer. Methods Eng. 17 (1981) 145–153",
      "elastica",
      {total_load(Vec3(0, -force, 0), side * side)},
      {with_cells({20, 1, 1}), with_cells({40, 1, 1}), with_cells({80, 2, 1})},
      in_equilibrium([](const Equilibrium& e) {
        return std::vector<double>{-e.displacement(0)[1], -e.displacement(0)[0]};
      }),
      {{"deflection/L", tip.deflection}, {"shortening/L", tip.shortening}},
      0.01};
}

}  // namespace

std::vector<ValidationCase> equilibrium_cases() {
  return {straight_beam_case("extension", "extension", 0, 3e-5),
          straight_beam_case("in-plane", "bending in its plane", 1, 0.1081),
          straight_beam_case("out-of-plane", "bending out of its plane", 2, 0.4321),
          twisted_beam_case("across", "force across the wide side of its end", 1, 0.001754),
          twisted_beam_case("along", "force along the wide side of its end", 2, 0.005424),
          cook_case(),
          torsion_case(1, {{{2, 2, 2}, {2, 4, 4}, {2, 8, 8}}}),
          torsion_case(2, {{{2, 4, 2}, {2, 8, 4}, {2, 16, 8}}}),
          torsion_case(4, {{{2, 8, 2}, {2, 16, 4}}}),
          round_bar_case(),
          thick_sphere_case(),
          hollow_cylinder_case(),
          balloon_case(1.2),
          balloon_case(1.5),
          elastica_case(1),
          elastica_case(2),
          elastica_case(5),
          elastica_case(10),
          bend_case(300, {58.84, 22.33, 40.08}, {0.01, 0.01, 0.015}),
          bend_case(600, {47.23, 15.79, 53.37}, {0.01, 0.01, 0.01})};
}

}  // namespace limber
