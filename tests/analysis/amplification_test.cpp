/// Amplification on the oscillator, obtained by running the methods, against closed forms (θ = ωh).

#include "limber/analysis/amplification.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

#include "limber/analysis/oscillator.hpp"
#include "limber/core/errors.hpp"
#include "support/methods.hpp"

namespace limber::test {
namespace {

using std::numbers::sqrt2;

std::vector<double> thetas() {
  std::vector<double> all;
  for (int i = 0; i <= 80; ++i) all.push_back(std::pow(10, -2 + 0.05 * i));
  return all;
}

double rho(const std::string& name, const MethodParameters& p, double theta) {
  return spectral_radius(find_method(name), p, theta);
}

double be(double x) { return 1 / (1 + x * x); }
double bdf2(double x) {
  const double r = std::sqrt(1 + 4 * x * x);
  return (4 + r + 4 * std::sqrt((r + 1) / 2)) / (9 + 4 * x * x);
}
double tr_bdf2(double x) { return (1 + 25 * x * x / 144) / ((1 + x * x / 16) * (1 + x * x / 9)); }
double sdirk(double x) { return (1 + (3 - 2 * sqrt2) * x * x) / std::pow(1 + (1.5 - sqrt2) * x * x, 2); }

struct ClosedForm {
  std::string method;
  double (*rho_squared)(double);
  double peak, where;  // of d/ω, to the digits printed
};
const ClosedForm closed_forms[] = {{"BE", be, 0.8047, 1.98},
                                   {"BDF2", bdf2, 0.3175, 3.66},
                                   {"TR-BDF2", tr_bdf2, 0.1569, 10.9},
                                   {"SDIRK", sdirk, 0.1622, 10.6}};

TEST(Amplification, FollowsTheClosedForms) {
  for (const auto& form : closed_forms)
    for (const double theta : thetas()) {
      const double exact = form.rho_squared(theta), d = -std::log(exact) / theta;
      EXPECT_NEAR(std::pow(rho(form.method, {}, theta), 2), exact, 1e-10) << form.method << " at " << theta;
      const Vector curve = damping_curve(find_method(form.method), {}, Vector::Constant(1, theta));
      EXPECT_NEAR(curve[0], d, 1e-10) << form.method << " at " << theta;
    }
}

TEST(Amplification, DampingPeaksWhereItShould) {
  for (const auto& form : closed_forms) {
    const Vector theta = Vector::LinSpaced(801, 0.8 * form.where, 1.2 * form.where);
    Index i = 0;
    const double peak = damping_curve(find_method(form.method), {}, theta).maxCoeff(&i);
    EXPECT_NEAR(peak, form.peak, 0.5e-4) << form.method;
    EXPECT_NEAR(theta[i], form.where, form.where > 10 ? 0.06 : 0.006) << form.method;
  }
}

TEST(Amplification, ConservativeMethodsHaveRadiusOne) {
  for (const auto& name : {"TR", "midpoint", "newmark", "STR", "S-midpoint", "S-newmark"})
    for (const double theta : thetas()) EXPECT_NEAR(rho(name, {}, theta), 1, 1e-12) << name << " at " << theta;
  for (const double theta : thetas()) {
    EXPECT_NEAR(rho("blend", {{"theta", 0}}, theta), 1, 1e-12) << theta;
    EXPECT_NEAR(rho("blend", {{"theta", 1}}, theta), std::sqrt(bdf2(theta)), 1e-10) << theta;
  }
}

/// The textbook's equations for x = (q, hv, h²a) as A x₁ = B x₀, with h = 1.
Matrix alpha_matrix(double am, double af, double beta, double gamma, double theta) {
  const double k = theta * theta;
  Matrix A(3, 3), B(3, 3);
  A << k * (1 - af), 0, 1 - am, 1, 0, -beta, 0, 1, -gamma;
  B << -k * af, 0, -am, 1, 1, 0.5 - beta, 0, 1, 1 - gamma;
  return A.partialPivLu().solve(B);
}

void expect_alpha_matrix(const std::string& name, const MethodParameters& p, const Matrix& exact, double theta) {
  const Matrix T = amplification_matrix(find_method(name), p, theta);
  ASSERT_EQ(T.rows(), 3);
  EXPECT_LT((T - exact).cwiseAbs().maxCoeff(), 1e-10 * std::max(1.0, exact.cwiseAbs().maxCoeff()))
      << name << " at " << theta;
  EXPECT_NEAR(rho(name, p, theta), exact.eigenvalues().cwiseAbs().maxCoeff(), 1e-7) << name << " at " << theta;
}

TEST(Amplification, AlphaMethodsHaveTheirTextbookMatrix) {
  for (const double theta : thetas()) {
    for (const char* name : {"gen-alpha", "S-gen-alpha"})
      for (const double r : {0.0, 0.3, 0.5, 0.9}) {
        const double am = (2 * r - 1) / (r + 1), af = r / (r + 1);
        expect_alpha_matrix(name, {{"rho_inf", r}},
                            alpha_matrix(am, af, std::pow(1 - am + af, 2) / 4, 0.5 - am + af, theta), theta);
      }
    for (const char* name : {"HHT", "S-HHT"})
      for (const double a : {-1.0 / 3, -0.1, -0.05})
        expect_alpha_matrix(name, {{"alpha", a}}, alpha_matrix(0, -a, std::pow(1 - a, 2) / 4, 0.5 - a, theta), theta);
    expect_alpha_matrix("newmark", {{"beta", 0.3}, {"gamma", 0.55}}, alpha_matrix(0, 0, 0.3, 0.55, theta), theta);
  }
}

TEST(Amplification, RhoInfIsTheLimitAtInfiniteFrequency) {
  for (const char* name : {"gen-alpha", "S-gen-alpha"})
    for (const double r : {0.0, 0.2, 0.5, 0.8, 1.0}) EXPECT_NEAR(rho(name, {{"rho_inf", r}}, 1e6), r, 2e-4) << name;
  for (const char* name : {"BE", "BDF2", "TR-BDF2", "SDIRK"}) EXPECT_NEAR(rho(name, {}, 1e6), 0, 2e-3) << name;
  for (const char* name : {"TR", "midpoint", "newmark"}) EXPECT_NEAR(rho(name, {}, 1e6), 1, 1e-9) << name;
}

/// Of A-1, with z = θ²: det T = 1, and the trace 1 + 1/(1+z) stays below 2.
TEST(Amplification, A1IsSymplecticAndStable) {
  for (const double theta : thetas()) {
    const double z = theta * theta;
    Matrix exact(2, 2);
    exact << 1 / (1 + z), 1 / (1 + z), -z, 1;
    const Matrix T = amplification_matrix(find_method("A-1"), {}, theta);
    EXPECT_LT((T - exact).cwiseAbs().maxCoeff(), 1e-12 * (1 + z)) << theta;
    EXPECT_NEAR(T.determinant(), 1, 1e-12) << theta;
    EXPECT_NEAR(rho("A-1", {}, theta), 1, 1e-10) << theta;
  }
}

TEST(Amplification, AMethodThatFollowsTheEnergyHasNoMatrix) {
  try {
    damping_curve(find_method("A-search"), {}, Vector::Ones(1));
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(e.where(), "method");
  }
}

TEST(Amplification, ExplicitMethodsAreStableUpToTheirLimit) {
  for (const auto& [name, limit] :
       {std::pair<const char*, double>{"symplectic-euler", 2.0}, {"verlet", 2.0}, {"RK4", 2 * sqrt2}}) {
    EXPECT_LE(rho(name, {}, 0.99 * limit), 1 + 1e-12) << name;
    EXPECT_GT(rho(name, {}, 1.01 * limit), 1 + 1e-3) << name;
  }
  for (const double theta : {0.1, 1.0, 2.0}) {
    const std::complex<double> z(0, theta);
    EXPECT_NEAR(rho("RK4", {}, theta), std::abs(1.0 + z + z * z / 2.0 + z * z * z / 6.0 + z * z * z * z / 24.0), 1e-12);
  }
}

/// On a linear system one linearisation is the whole Newton: each semi-implicit row has an implicit row of equal T.
TEST(Amplification, SemiImplicitEqualsImplicitOnTheOscillator) {
  int found = 0;
  for (const auto& semi : method_catalog()) {
    if (semi.kind != MethodKind::semi_implicit) continue;
    bool equal = false;
    for (const auto& full : method_catalog()) {
      if (full.kind != MethodKind::implicit || !full.linear) continue;
      double difference = 0;
      for (const double theta : {0.1, 1.0, 7.0}) {
        const Matrix S = amplification_matrix(semi, {}, theta), T = amplification_matrix(full, {}, theta);
        difference = std::max(difference, S.rows() == T.rows() ? (S - T).norm() / T.norm() : 1.0);
      }
      equal = equal || difference < 1e-12;
    }
    EXPECT_TRUE(equal) << semi.name;
    ++found;
  }
  EXPECT_GE(found, 9);
}

/// Consistency of every row: |ρ − 1| falls with θ, and no row that the catalog calls A- or L-stable amplifies.
TEST(Amplification, StableRowsDoNotAmplify) {
  for (const auto& m : method_catalog()) {
    if (!m.linear) continue;
    EXPECT_NEAR(spectral_radius(m, {}, 1e-3), 1, 2e-6) << m.name;
    if (m.kind == MethodKind::explicit_) continue;
    for (const double theta : thetas())
      EXPECT_LE(spectral_radius(m, {}, theta), 1 + 1e-12) << m.name << " at " << theta;
  }
}

double rho_in_modes(const std::string& name, double theta) {
  return spectral_radius(find_method(name), {}, theta, ModePlace::split_off);
}

/// A mode that is split off moves exactly, whatever the scheme of the rest.
TEST(Amplification, HybridsNeitherDampNorAmplifyTheirModes) {
  int found = 0;
  for (const auto& m : method_catalog()) {
    if (m.splitting == Splitting::none || m.splitting == Splitting::printed) continue;
    ++found;
    for (const double theta : thetas()) EXPECT_NEAR(rho_in_modes(m.name, theta), 1, 1e-12) << m.name << " at " << theta;
    const Matrix T = amplification_matrix(m, {}, 2.5, ModePlace::split_off);
    Matrix exact(2, 2);
    exact << std::cos(2.5), std::sin(2.5) / 2.5, -2.5 * std::sin(2.5), std::cos(2.5);
    EXPECT_LT((T.topLeftCorner(2, 2) - exact).norm(), 1e-13) << m.name;
  }
  EXPECT_EQ(found, 8);
}

/// Outside of the modes a hybrid is its base scheme.
TEST(Amplification, HybridsDampTheRestAsTheirBaseDoes) {
  const std::pair<const char*, const char*> pairs[] = {{"BEERE", "BE"},           {"SIERE", "SI"},
                                                       {"BDF2ERE", "BDF2"},       {"SBDF2ERE", "SBDF2"},
                                                       {"TR-BDF2ERE", "TR-BDF2"}, {"STR-SBDF2ERE", "STR-SBDF2"},
                                                       {"SDIRKERE", "SDIRK"},     {"SSDIRKERE", "SSDIRK"}};
  for (const auto& [hybrid, base] : pairs)
    for (const double theta : {0.05, 0.7, 3.0, 40.0})
      EXPECT_LT(
          (amplification_matrix(find_method(hybrid), {}, theta) - amplification_matrix(find_method(base), {}, theta))
              .norm(),
          1e-13 * (1 + theta * theta))
          << hybrid;
}

/// BDF2ERE as printed: ρ² − ⅔(1 + e^{iθ})ρ + ⅓ = 0.
double bdf2ere_printed(double theta) {
  const std::complex<double> b = (1.0 + std::exp(std::complex<double>(0, theta))) / 3.0, d = std::sqrt(b * b - 1.0 / 3);
  return std::max(std::abs(b + d), std::abs(b - d));
}
/// TR-BDF2ERE as printed: ρ = ⁴⁄₃m − ⅓ + ⅔(e^{iθ/2} − 1)m, m = (1 + iθ/4)/(1 − iθ/4).
double tr_bdf2ere_printed(double theta) {
  const std::complex<double> i(0, 1), m = (1.0 + i * theta / 4.0) / (1.0 - i * theta / 4.0);
  return std::abs(4.0 / 3 * m - 1.0 / 3 + 2.0 / 3 * (std::exp(i * theta / 2.0) - 1.0) * m);
}

TEST(Amplification, ThePrintedHybridsAmplifyTheirModes) {
  for (const double theta : thetas()) {
    for (const char* name : {"BDF2ERE-printed", "SBDF2ERE-printed"})
      EXPECT_NEAR(rho_in_modes(name, theta), bdf2ere_printed(theta), 1e-11) << name << " at " << theta;
    for (const char* name : {"TR-BDF2ERE-printed", "STR-SBDF2ERE-printed"})
      EXPECT_NEAR(rho_in_modes(name, theta), tr_bdf2ere_printed(theta), 1e-11) << name << " at " << theta;
  }
  for (const double theta : {0.003, 0.01}) {
    EXPECT_NEAR((rho_in_modes("SBDF2ERE-printed", theta) - 1) / (theta * theta), 1.0 / 2, 1e-3);
    EXPECT_NEAR((rho_in_modes("STR-SBDF2ERE-printed", theta) - 1) / (theta * theta), 1.0 / 12, 1e-3);
  }
}

TEST(Amplification, ExponentialIsExact) {
  for (const double theta : thetas()) EXPECT_NEAR(rho("ERE", {}, theta), 1, 1e-12) << theta;
}

TEST(Amplification, OnlyHybridsHaveModes) {
  EXPECT_THROW(spectral_radius(find_method("BE"), {}, 1, ModePlace::split_off), InputError);
  EXPECT_THROW(spectral_radius(find_method("ERE"), {}, 1, ModePlace::split_off), InputError);
}

/// A damped oscillator is followed to its exact decay as h → 0.
TEST(Oscillator, DecaysAsItShould) {
  Oscillator system(3, 0.4);
  Runner runner(system, {"TR-BDF2", {}}, {Vector::Constant(1, 1.0), Vector::Zero(1), 0});
  for (int i = 0; i < 1000; ++i) runner.step(1e-3);
  const double w = std::sqrt(9 - 0.04), exact = std::exp(-0.2) * (std::cos(w) + 0.2 / w * std::sin(w));
  EXPECT_NEAR(runner.history()[0].q[0], exact, 1e-6);
}

TEST(Amplification, RefusesAThetaThatIsNone) {
  const auto m = find_method("BE");
  EXPECT_THROW(spectral_radius(m, {}, -1), InputError);
  EXPECT_THROW(spectral_radius(m, {}, std::nan("")), InputError);
  EXPECT_THROW(damping_curve(m, {}, Vector::Zero(1)), InputError);
}

}  // namespace
}  // namespace limber::test
