#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <set>

#include "limber/study/validation/case.hpp"
#include "limber/study/validation/closed_forms.hpp"
#include "limber/study/validation/measurements.hpp"

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
TEST(ValidationCases, ThinBodies) { coarse_meshes_are_near(thin_cases()); }
TEST(ValidationCases, Motions) { coarse_meshes_are_near(motion_cases()); }

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
