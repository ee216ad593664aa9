#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <set>

#include "limber/study/validation/case.hpp"
#include "limber/study/validation/closed_forms.hpp"
#include "limber/study/validation/measurements.hpp"
#include "limber/study/validation/meshes.hpp"

namespace limber {
namespace {

/// Each case on its coarsest mesh; the study itself takes finer ones.
void coarse_meshes_are_near(const std::vector<ValidationCase>& cases) {
  for (const ValidationCase& c : cases) {
    SCOPED_TRACE(c.name);
    const std::vector<double> numbers = measured(c, c.refinements.at(0));
    for (std::size_t i = 0; i < numbers.size(); ++i)
      EXPECT_NEAR(numbers[i] / c.expected[i].value, 1, c.coarse_tolerance) << c.expected[i].what;
  }
}

TEST(ValidationCases, Frequencies) { coarse_meshes_are_near(frequency_cases()); }
TEST(ValidationCases, Equilibria) { coarse_meshes_are_near(equilibrium_cases()); }
TEST(ValidationCases, Contacts) { coarse_meshes_are_near(contact_cases()); }
TEST(ValidationCases, ThinBodies) { coarse_meshes_are_near(thin_cases()); }
TEST(ValidationCases, Motions) { coarse_meshes_are_near(motion_cases()); }

/// The Princeton beam at 45° and 90°: two of its 14 cases.
TEST(ValidationCases, Experiments) {
  std::vector<ValidationCase> some;
  for (const ValidationCase& c : experiment_cases())
    if (c.name == "princeton-8.896-45" || c.name == "princeton-13.345-90") some.push_back(c);
  ASSERT_EQ(some.size(), 2u);
  coarse_meshes_are_near(some);
}

TEST(ValidationCases, AreMany) {
  std::set<std::string> names, sources;
  std::size_t numbers = 0;
  for (const ValidationCase& c : validation_cases()) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name;
    EXPECT_GE(c.refinements.size(), 2u) << c.name;
    sources.insert(c.source);
    numbers += c.expected.size();
  }
  EXPECT_GE(numbers, 40u);
  EXPECT_GE(sources.size(), 8u);
}

/// The uniform strains of material cases are exact on every mesh: a wrong constant shows at once.
TEST(ValidationCases, UniformStrainsAreExact) {
  for (const ValidationCase& c : material_cases())
    for (const Refinement& r : c.refinements) {
      const std::vector<double> numbers = measured(c, r);
      for (std::size_t i = 0; i < numbers.size(); ++i)
        EXPECT_NEAR(numbers[i], c.expected[i].value, 1e-5) << c.name << ", " << r.label;
    }
}

/// K. Mattiasson's table (1981).
TEST(ClosedForms, ElasticaIsMattiassons) {
  const struct {
    double load, deflection, shortening;
  } rows[] = {{1, 0.30172, 0.05643}, {2, 0.49346, 0.16064}, {5, 0.71379, 0.38763}, {10, 0.81061, 0.55500}};
  for (const auto& row : rows) {
    const ElasticaTip tip = elastica_tip(row.load);
    EXPECT_NEAR(tip.deflection, row.deflection, 6e-6) << row.load;
    EXPECT_NEAR(tip.shortening, row.shortening, 6e-6) << row.load;
  }
}

/// The table of Timoshenko and Goodier, §109.
TEST(ClosedForms, TorsionFactorIsSaintVenants) {
  EXPECT_NEAR(torsion_factor(1), 0.1406, 5e-5);
  EXPECT_NEAR(torsion_factor(2), 0.229, 5e-4);
  EXPECT_NEAR(torsion_factor(4), 0.281, 5e-4);
  EXPECT_NEAR(torsion_factor(1e4), 1.0 / 3, 1e-4);
}

/// A thin plate: ω = k² √(D/ρh); waves along its surface at short lengths: Rayleigh's, .9274 c_T for ν = .3.
TEST(ClosedForms, PlateHasItsLimits) {
  const ElasticConstants c = {200e9, 0.3, 8000};
  const double k = 0.01, thin = k * k * std::sqrt(c.young / (12 * (1 - 0.09) * c.density)) / (2 * std::numbers::pi);
  EXPECT_NEAR(plate_bending_frequency(c, 1, k) / thin, 1, 1e-4);
  EXPECT_NEAR(plate_bending_frequency(c, 1, 30) / plate_shear_frequency(c, 30), 0.9274, 1e-4);
}

/// The roots in W. B. Fichter's table for ν = .2, .3, .4.
TEST(ClosedForms, MembraneIsFichters) {
  EXPECT_NEAR(hencky_membrane(0.2).b0, 1.6827, 1e-4);
  EXPECT_NEAR(hencky_membrane(0.3).b0, 1.7244, 1e-4);
  EXPECT_NEAR(hencky_membrane(0.4).b0, 1.7769, 1e-4);
}

/// Lamb's sphere: 2.501 and 2.640 are printed in his paper (ν = 1/4), as multiples of π .7961 and .840.
TEST(ClosedForms, SphereIsLambs) {
  EXPECT_NEAR(sphere_torsional(2) / std::numbers::pi, 0.7961, 1e-4);
  EXPECT_NEAR(sphere_spheroidal(2, 0.25) / std::numbers::pi, 0.840, 5e-4);
  const double y = sphere_spheroidal(0, 0.25), x = y / std::sqrt(3.0);
  EXPECT_NEAR(std::tan(x) / x, 1 / (1 - y * y / 4), 1e-9);
}

TEST(ClosedForms, PendulumAndCable) {
  const double small = 2 * std::numbers::pi * std::sqrt(1 / 9.81);
  EXPECT_NEAR(pendulum_period(1, 9.81, 0.1) / small, 1 + 0.01 / 16, 1e-6);
  EXPECT_NEAR(pendulum_period(1, 9.81, std::numbers::pi / 2) / small, 1.18034, 1e-5);
  const Catenary c = catenary(1.001, 1);  // flat: a parabola of sag √(3/8 (S − L) L)
  EXPECT_NEAR(c.sag, std::sqrt(3.0 / 8 * 0.001), 1e-5);
}

/// M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions (1964), table 9.5.
TEST(ClosedForms, BesselZeros) {
  EXPECT_NEAR(bessel_zero(0, 1), 2.40483, 1e-5);
  EXPECT_NEAR(bessel_zero(1, 1), 3.83171, 1e-5);
  EXPECT_NEAR(bessel_zero(2, 1), 5.13562, 1e-5);
  EXPECT_NEAR(bessel_zero(0, 2), 5.52008, 1e-5);
  EXPECT_NEAR(bessel_zero(1, 2), 7.01559, 1e-5);
}

/// Slow: ρω²l³/3E, and hardly slower than at the start. Fast: the momentum ω ∫ r² of a thin bar is that of the start, r
/// summed up by hand.
TEST(ClosedForms, SpinningBar) {
  const SpinningBar slow = spinning_bar(1e6, 1000, 2, 0.01, 0.1);
  EXPECT_NEAR(slow.elongation / (1000 * 0.01 / 3e6), 1, 1e-4);
  EXPECT_NEAR(slow.rate, 0.1, 1e-6);
  const SpinningBar fast = spinning_bar(1e6, 1000, 2, 1e-6, 20);
  const double k = fast.rate * std::sqrt(1e-3);
  double momentum = 0;
  for (int i = 0; i < 1000; ++i)
    momentum += 2e-3 * fast.rate * std::pow(std::sin(k * (i + 0.5) / 1000) / (k * std::cos(k)), 2);
  EXPECT_NEAR(momentum / (20 * 2.0 / 3), 1, 1e-5);
  EXPECT_NEAR(fast.elongation, std::tan(k) / k - 1, 1e-12);
}

/// A steel ball of 10 mm under 100 N on a rigid plane, by the formulas as they are mostly printed: a³ = 3PR/4E*, d =
/// (9P²/16RE*²)^(1/3); of a cylinder a² = 4PR/πE*.
TEST(ClosedForms, Hertz) {
  const double modulus = 210e9 / 0.91, radius = 0.005, force = 100;
  const double a = std::cbrt(3 * force * radius / (4 * modulus));
  const HertzContact ball = hertz_ball(modulus, radius, a);
  EXPECT_NEAR(ball.force, force, 1e-9);
  EXPECT_NEAR(ball.approach / std::cbrt(9 * force * force / (16 * radius * modulus * modulus)), 1, 1e-12);
  const double line = std::sqrt(4 * force * radius / (std::numbers::pi * modulus));
  EXPECT_NEAR(hertz_cylinder(modulus, radius, line).force, force, 1e-9);
}

TEST(ClosedForms, CantileverRoots) {
  EXPECT_NEAR(cantilever_root(1), 1.875104, 1e-6);
  EXPECT_NEAR(cantilever_root(2), 4.694091, 1e-6);
  EXPECT_NEAR(cantilever_root(3), 7.854757, 1e-6);
}

/// Stresses are the derivatives of the energies: those of E and ν at small strains.
TEST(ClosedForms, StressesAreHookesAtSmallStrains) {
  const ElasticConstants solid = {1e6, 0.3, 1000};
  const double mu = solid.mu(), bulk = solid.lambda() + 2 * mu / 3, e = 1e-6;
  const MaterialConstants c = {.mu = mu,
                               .lambda = solid.lambda(),
                               .bulk = bulk,
                               .c10 = 0.3 * mu,
                               .c01 = 0.2 * mu,
                               .c1 = mu / 2,
                               .c2 = mu,
                               .c3 = mu,
                               .ogden_mu = {mu / 1.5, mu / 2},
                               .alpha = {1.5, 2}};
  for (const char* model : {"linear", "corotated", "fixed_corotated", "st_venant_kirchhoff", "neo_hookean",
                            "stable_neo_hookean", "mooney_rivlin", "yeoh", "ogden"}) {
    const auto P = principal_stresses(model, c, {1 + e, 1 - 0.3 * e, 1 - 0.3 * e});
    EXPECT_NEAR(P[0] / (solid.young * e), 1, 1e-4) << model;
    EXPECT_NEAR(P[1] / (solid.young * e), 0, 1e-4) << model;
  }
}

/// Cells of the section fill the quarter disc and are small where it touches.
TEST(ValidationMeshes, BodiesThatLieOnAPlane) {
  const nlohmann::json cylinder = lying_cylinder_mesh(LyingPart::right, 16, 0.04, 1e-3),
                       ball = lying_ball_mesh(16, 0.04, 0.1);
  const auto place = [](const nlohmann::json& mesh, const nlohmann::json& node) {
    const auto x = mesh["nodes"][node.get<std::size_t>()].get<std::array<double, 3>>();
    return Vec3(x[0], x[1], x[2]);
  };
  double area = 0, volume = 0;
  for (const auto& hex : cylinder["hexes"]) {
    const Vec3 a = place(cylinder, hex[0]), b = place(cylinder, hex[1]), c = place(cylinder, hex[2]),
               d = place(cylinder, hex[3]);
    area += (c - a).cross(d - b)[2] / 2;
  }
  EXPECT_NEAR(area, std::numbers::pi / 4, 0.002);
  const nlohmann::json whole = lying_cylinder_mesh(LyingPart::both_sides, 16, 0.04, 1e-3);
  double both = 0;
  for (const auto& hex : whole["hexes"])
    both += (place(whole, hex[2]) - place(whole, hex[0])).cross(place(whole, hex[3]) - place(whole, hex[1]))[2] / 2;
  EXPECT_NEAR(both, 2 * area, 1e-12);
  EXPECT_NEAR((place(cylinder, 1) - place(cylinder, 0)).norm(), 0.0025, 1e-5);
  for (const auto& tet : ball["tets"]) {
    const Vec3 a = place(ball, tet[0]), b = place(ball, tet[1]), c = place(ball, tet[2]), d = place(ball, tet[3]);
    const double six = (b - a).cross(c - a).dot(d - a);
    EXPECT_GT(six, 0);
    volume += six / 6;
  }
  EXPECT_NEAR(volume, 0.1 / 3, 0.0002);  // of the sector of half a ball, angle/2π · 2π/3
}

TEST(Measurements, PassagesLieBetweenTheTimes) {
  EXPECT_EQ(passages({0, 1, 2, 3}, {1, -1, -3, 1}), (std::vector<double>{0.5, 2.75}));
  EXPECT_TRUE(passages({0, 1}, {1, 2}).empty());
}

TEST(Measurements, LeastIsThatOfTheParabola) {
  EXPECT_DOUBLE_EQ(least({9 + 0.25, 4 + 0.25, 1 + 0.25, 0.25, 1.25}), 0.25);  // (x − 3)² + ¼ at whole x
  EXPECT_DOUBLE_EQ(least({2.25, 0.25, 0.25, 2.25}), 0);                       // (x − 1.5)²
  EXPECT_DOUBLE_EQ(least({1, 2, 3}), 1);
}

}  // namespace
}  // namespace limber
