/// Materials with constants of their own, as people publish them: closed forms in stretches, special cases, and what
/// the constants may be. tests/material/material_test.cpp has every material with E and ν alone.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <ostream>
#include <random>

#include "limber/core/errors.hpp"
#include "limber/core/lanes.hpp"
#include "limber/material/catalog.hpp"

namespace limber {
namespace {

using Numbers = std::map<std::string, double>;
using Lists = std::map<std::string, std::vector<double>>;

AnyMaterial make(const std::string& model, const Numbers& own, const Lists& lists = {}) {
  return make_material({model, 0, 0, own, lists}, "m");
}
AnyMaterial fixed_corotated(double young, double poisson) {
  return make_material({"fixed_corotated", young, poisson, {}}, "m");
}

const double kappa = 3e5;
const std::vector<double> mus = {6.3e4, 1.2e3, -1e4}, alphas = {1.3, 5, -2};  // both signs, as in fits to rubber
AnyMaterial ogden_of_three() { return make("ogden", {{"bulk", kappa}}, {{"mu", mus}, {"alpha", alphas}}); }
AnyMaterial yeoh_of_three() { return make("yeoh", {{"c1", 2e4}, {"c2", -1.5e3}, {"c3", 4e2}, {"bulk", kappa}}); }

struct Case {
  const char* name;
  AnyMaterial material;
  double shear, bulk;                                 // at small strains
  std::function<double(double, double, double)> psi;  // of the principal stretches, from the printed formula
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::vector<Case> cases() {
  const auto ogden = [](double a, double b, double c) {
    const double J = a * b * c;
    double sum = kappa / 2 * (J - 1) * (J - 1);
    for (std::size_t p = 0; p < mus.size(); ++p) {
      const auto power = [&](double x) { return std::pow(x / std::cbrt(J), alphas[p]); };
      sum += mus[p] / alphas[p] * (power(a) + power(b) + power(c) - 3);
    }
    return sum;
  };
  const auto yeoh = [](double a, double b, double c) {
    const double J = a * b * c, y = (a * a + b * b + c * c) / std::pow(J, 2. / 3) - 3;
    return 2e4 * y - 1.5e3 * y * y + 4e2 * y * y * y + kappa / 2 * (J - 1) * (J - 1);
  };
  const double E = 1e5, nu = .3, mu = E / (2 * (1 + nu)), lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
  const auto fixed = [=](double a, double b, double c) {
    const double J = a * b * c;
    return mu * ((a - 1) * (a - 1) + (b - 1) * (b - 1) + (c - 1) * (c - 1)) + lambda / 2 * (J - 1) * (J - 1);
  };
  const double shear = .5 * (6.3e4 * 1.3 + 1.2e3 * 5 + 1e4 * 2);
  return {{"ogden", ogden_of_three(), shear, kappa, ogden},
          {"yeoh", yeoh_of_three(), 4e4, kappa, yeoh},
          {"fixed_corotated", fixed_corotated(E, nu), mu, lambda + 2 * mu / 3, fixed}};
}

Mat3 diagonal_of(double a, double b, double c) { return Vec3(a, b, c).asDiagonal(); }

Mat3 rotation(double angle) { return Eigen::AngleAxisd(angle, Vec3(1, 2, -.5).normalized()).toRotationMatrix(); }

class Rubber : public testing::TestWithParam<Case> {
 protected:
  const Case& c = GetParam();
  const AnyMaterial& m = c.material;

  /// At F along dF, by differences of fourth order.
  Mat3 stress_difference(const Mat3& F, const Mat3& dF, double h) const {
    return (8 * (stress(m, F + h * dF) - stress(m, F - h * dF)) -
            (stress(m, F + 2 * h * dF) - stress(m, F - 2 * h * dF))) /
           (12 * h);
  }
};

TEST_P(Rubber, EnergyIsThePrintedFormula) {
  for (const auto& [a, b, s] : {std::array{1., 1., 1.}, {1.7, .8, .9}, {3., .5, .6}, {.3, .9, 4.}, {2., 2., .25}})
    EXPECT_NEAR(energy(m, rotation(.7) * diagonal_of(a, b, s) * rotation(-1.9)), c.psi(a, b, s),
                1e-11 * (c.shear + std::abs(c.psi(a, b, s))));
}

/// P of a stretch along the axes is the slope of the formula in each stretch: uniaxial (s, 1, 1), equibiaxial
/// (s, s, s⁻²), pure shear (s, 1, 1/s), all up to stretches of 6.
TEST_P(Rubber, StressInUniaxialEquibiaxialAndPureShear) {
  for (const double s : {.3, .7, .99, 1.01, 1.5, 3., 6.})
    for (const auto& [x, y, z] :
         {std::array{s, 1., 1.}, {s, 1 / std::sqrt(s), 1 / std::sqrt(s)}, {s, s, 1 / (s * s)}, {s, 1., 1 / s}}) {
      const Mat3 P = stress(m, diagonal_of(x, y, z));
      const std::array at{x, y, z};
      for (int i = 0; i < 3; ++i) {
        const double h = 1e-4 * at[static_cast<std::size_t>(i)];
        const auto moved = [&](double by) {
          auto q = at;
          q[static_cast<std::size_t>(i)] += by;
          return c.psi(q[0], q[1], q[2]);
        };
        const double slope = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
        EXPECT_NEAR(P(i, i), slope, 1e-8 * (P.norm() + c.shear)) << s << " " << i;
      }
      EXPECT_LT((P - Mat3(P.diagonal().asDiagonal())).norm(), 1e-12 * (P.norm() + c.shear));
    }
}

/// Equal stretches, nearly equal ones at every distance, and large ones that are not.
TEST_P(Rubber, HessianAtEqualAndNearlyEqualStretches) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> any(-1, 1);
  const Mat3 Q = rotation(1.1), R = rotation(-.4);
  std::vector<Vec3> stretches = {{1, 1, 1}, {2, 2, 2}, {.5, .5, 3}, {4, 1.5, 1.5}, {6, .4, .45}, {.2, .3, 5}};
  for (const double gap : {1e-15, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 1e-1}) {
    stretches.push_back({1.4 + gap, 1.4, .6});
    stretches.push_back({1.4, .6 + gap, .6});
    stretches.push_back({1 + gap, 1, 1 - gap});
  }
  for (const Vec3& s : stretches) {
    const Mat3 F = Q * s.asDiagonal() * R.transpose();
    const Matrix H = hessian(m, F);
    EXPECT_LT((H - H.transpose()).norm(), 1e-11 * H.norm());
    const Mat3 dF = Mat3::NullaryExpr([&](Index, Index) { return any(generator); });
    const Mat3 dP = stress_difference(F, dF, 1e-3 * s.minCoeff());
    const Vector expected = H * Eigen::Map<const Vector>(dF.data(), 9);
    EXPECT_LT((Eigen::Map<const Vector>(dP.data(), 9) - expected).norm(), 1e-8 * H.norm()) << s.transpose();
    if (Eigen::SelfAdjointEigenSolver<Matrix>(H).eigenvalues().minCoeff() > 0) {
      EXPECT_LT((hessian_psd(m, F) - H).norm(), 1e-11 * H.norm()) << s.transpose();
    }
  }
}

/// The shear parts of dP/dF at diag(s, s, t) in closed form: as the two stretches come together,
/// (ψ₁ − ψ₂)/(s₁ − s₂) → ψ₁₁ − ψ₁₂. What differences cannot see, a wrong limit in the last digits, this does.
TEST_P(Rubber, EqualStretchesAreTheLimit) {
  for (const auto& [s, t] : {std::pair{1., 1.}, {1.4, .6}, {.5, 3.}}) {
    const Matrix H = hessian(m, diagonal_of(s, s, t));
    const double limit = H(0, 0) - H(0, 4);
    EXPECT_NEAR(H(1, 1) + H(1, 3), limit, 1e-12 * H.norm()) << s << " " << t;
    for (const double gap : {1e-14, 1e-11, 1e-8, 1e-6}) {
      const Matrix near = hessian(m, diagonal_of(s + gap, s - gap, t));
      EXPECT_NEAR(near(1, 1) + near(1, 3), limit, (1e-11 + 10 * gap * gap) * H.norm()) << s << " " << t << " " << gap;
    }
  }
}

TEST_P(Rubber, LanesEqualDouble) {
  const std::vector<Vec3> stretches = {{1, 1, 1},           {1.4, 1.4, .6},     {1.4, .6, .6 + 1e-9},
                                       {1 + 1e-15, 1, 1},   {6, .4, .45},       {2, 2, 2},
                                       {1, 1 + 1e-12, .99}, {1.02, 1.01, .985}, {.2, .3, 5}};
  for (std::size_t first = 0; first < stretches.size(); ++first) {
    Mat3 F[lane_count];
    M3<Lanes> packed;
    for (int l = 0; l < lane_count; ++l)
      F[l] = rotation(l + .3) *
             stretches[(first + static_cast<std::size_t>(l)) % stretches.size()].asDiagonal().toDenseMatrix();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double values[lane_count];
        for (int l = 0; l < lane_count; ++l) values[l] = F[l](i, j);
        packed(i, j) = Lanes::load_unaligned(values);
      }
    std::visit(
        [&](const auto& law) {
          const auto psi = law.energy(packed);
          const auto P = law.stress(packed);
          const auto H = law.hessian(packed);
          const auto lane = [](const Lanes& x, int l) {
            double values[lane_count];
            x.store_unaligned(values);
            return values[l];
          };
          for (int l = 0; l < lane_count; ++l) {
            const Matrix one = hessian(m, F[l]);
            EXPECT_NEAR(lane(psi, l), energy(m, F[l]), 1e-12 * one.norm());
            for (int i = 0; i < 3; ++i)
              for (int j = 0; j < 3; ++j) EXPECT_NEAR(lane(P(i, j), l), stress(m, F[l])(i, j), 1e-12 * one.norm());
            for (int i = 0; i < 9; ++i)
              for (int j = 0; j < 9; ++j) EXPECT_NEAR(lane(H(i, j), l), one(i, j), 1e-12 * one.norm());
          }
        },
        m);
  }
}

TEST_P(Rubber, SmallStrainsGiveTheStatedModuli) {
  const Matrix H = hessian(m, Mat3::Identity());
  const double lambda = c.bulk - 2 * c.shear / 3;
  EXPECT_NEAR(H(0, 0), lambda + 2 * c.shear, 1e-10 * H.norm());
  EXPECT_NEAR(H(0, 4), lambda, 1e-10 * H.norm());
  EXPECT_NEAR(H(1, 1), c.shear, 1e-10 * H.norm());
  EXPECT_NEAR(H(1, 3), c.shear, 1e-10 * H.norm());
  EXPECT_LT(stress(m, rotation(2)).norm(), 1e-10 * c.shear);
}

TEST_P(Rubber, KeepsTheFrame) {
  const Mat3 F = diagonal_of(1.4, 1.4, .6) + .3 * Mat3::Ones(), Q = rotation(2.3);
  const Mat3 P = stress(m, F);
  EXPECT_LT((stress(m, Q * F) - Q * P).norm(), 1e-12 * P.norm());
  EXPECT_LT((stress(m, F * Q) - P * Q).norm(), 1e-12 * P.norm());
  EXPECT_NEAR(energy(m, Q * F), energy(m, F), 1e-12 * energy(m, F));
}

INSTANTIATE_TEST_SUITE_P(Constants, Rubber, testing::ValuesIn(cases()),
                         [](const auto& test) { return std::string(test.param.name); });

/// Uniaxial tension with free sides and κ ≫ μ against the textbook's incompressible P = Σ μ_p (s^(α−1) − s^(−α/2−1))
/// and P = 2 (c1 + 2 c2 y + 3 c3 y²)(s − s⁻²), y = I − 3; the side stretch by bisection on its own stress.
TEST(RubberTension, NearlyIncompressibleIsTheTextbooks) {
  const double stiff = 1e11;
  const auto pulled = [](const AnyMaterial& m, double s) {
    double low = .5 / std::sqrt(s), high = 2 / std::sqrt(s);
    for (int k = 0; k < 200; ++k) {
      const double side = .5 * (low + high);
      (stress(m, diagonal_of(s, side, side))(1, 1) < 0 ? low : high) = side;
    }
    return stress(m, diagonal_of(s, low, low))(0, 0);
  };
  const AnyMaterial ogden = make("ogden", {{"bulk", stiff}}, {{"mu", mus}, {"alpha", alphas}});
  const AnyMaterial yeoh = make("yeoh", {{"c1", 2e4}, {"c2", -1.5e3}, {"c3", 4e2}, {"bulk", stiff}});
  for (const double s : {.6, 1.2, 2., 4.}) {
    double expected = 0;
    for (std::size_t p = 0; p < mus.size(); ++p)
      expected += mus[p] * (std::pow(s, alphas[p] - 1) - std::pow(s, -alphas[p] / 2 - 1));
    EXPECT_NEAR(pulled(ogden, s), expected, 1e-3 * std::abs(expected)) << s;
    const double y = s * s + 2 / s - 3;
    expected = 2 * (2e4 - 3e3 * y + 1.2e3 * y * y) * (s - 1 / (s * s));
    EXPECT_NEAR(pulled(yeoh, s), expected, 1e-3 * std::abs(expected)) << s;
  }
}

/// F = 1 + γ e₁e₂ᵀ: the shear stress of Mooney's material is 2 (C10 + C01) γ at any γ, that of Yeoh's
/// 2 (c1 + 2 c2 γ² + 3 c3 γ⁴) γ, and Ogden's follows from the stretches s and 1/s, s − 1/s = γ.
TEST(RubberTension, SimpleShear) {
  for (const double g : {.1, 1., 3.}) {
    Mat3 F = Mat3::Identity();
    F(0, 1) = g;
    const double yeoh = 2 * (2e4 - 3e3 * g * g + 1.2e3 * std::pow(g, 4)) * g;
    // P₁₂ is ∂ψ/∂γ.
    EXPECT_NEAR(stress(yeoh_of_three(), F)(0, 1), yeoh, 1e-10 * std::abs(yeoh)) << g;
    const double s = .5 * (g + std::sqrt(g * g + 4));
    double slope = 0;  // dψ/ds · ds/dγ, ds/dγ = s²/(s² + 1)
    for (std::size_t p = 0; p < mus.size(); ++p)
      slope += mus[p] * (std::pow(s, alphas[p]) - std::pow(s, -alphas[p])) / s * (s * s / (s * s + 1));
    EXPECT_NEAR(stress(ogden_of_three(), F)(0, 1), slope, 1e-10 * std::abs(slope)) << g;
  }
}

/// Ogden's α = 2 and −2 are the invariants I and II: μ₁ = 2 C10, μ₂ = −2 C01.
TEST(RubberSpecialCases, OgdenOfTwoTermsIsMooneyRivlin) {
  const AnyMaterial ogden = make("ogden", {{"bulk", kappa}}, {{"mu", {6e4, -2e4}}, {"alpha", {2, -2}}});
  const AnyMaterial mooney = make("mooney_rivlin", {{"c10", 3e4}, {"c01", 1e4}, {"bulk", kappa}});
  const AnyMaterial one = make("ogden", {{"bulk", kappa}}, {{"mu", {6e4}}});
  const AnyMaterial neo = make("yeoh", {{"c1", 3e4}, {"bulk", kappa}});
  std::mt19937 generator(11);
  std::uniform_real_distribution<double> any(-.9, .9);
  int compared = 0;
  while (compared < 100) {
    const Mat3 F = Mat3::Identity() + Mat3::NullaryExpr([&](Index, Index) { return any(generator); });
    if (F.determinant() < .1) continue;
    ++compared;
    for (const auto& [a, b] : {std::pair{ogden, mooney}, {one, neo}}) {
      const double scale = hessian(b, F).norm();
      EXPECT_NEAR(energy(a, F), energy(b, F), 1e-11 * scale);
      EXPECT_LT((stress(a, F) - stress(b, F)).norm(), 1e-11 * scale);
      EXPECT_LT((hessian(a, F) - hessian(b, F)).norm(), 1e-10 * scale);
      EXPECT_LT((hessian_psd(a, F) - hessian_psd(b, F)).norm(), 1e-9 * scale);
    }
  }
}

/// What the two corotated laws share and where they part: nothing at small strains, volume at large ones.
TEST(RubberSpecialCases, FixedCorotatedResistsBeingPressedFlat) {
  const AnyMaterial fixed = fixed_corotated(1e5, .45), plain = make_material({"corotated", 1e5, .45, {}}, "m");
  EXPECT_LT((hessian(fixed, Mat3::Identity()) - hessian(plain, Mat3::Identity())).norm(), 1e-6);
  // Three thirds of the size: tr(S − 1) = −2, J − 1 = −26/27.
  const double mu = 1e5 / 2.9, lambda = 1e5 * .45 / (1.45 * .1);
  const Mat3 F = Mat3::Identity() / 3;
  EXPECT_NEAR(energy(fixed, F), mu * 4 / 3 + lambda / 2 * std::pow(26. / 27, 2), 1e-7);
  EXPECT_NEAR(energy(plain, F), mu * 4 / 3 + lambda / 2 * 4, 1e-6);
  // Isochoric (4, 1/2, 1/2): no volume to resist for one, tr(S − 1) = 2 for the other.
  EXPECT_NEAR(energy(fixed, diagonal_of(4, .5, .5)), mu * 9.5, 1e-7);
  EXPECT_NEAR(energy(plain, diagonal_of(4, .5, .5)), mu * 9.5 + lambda / 2 * 4, 1e-6);
}

std::string error_of(const MaterialParameters& p) {
  try {
    make_material(p, "m");
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(RubberConstants, ErrorsNameTheKeyTheValueAndWhatIsAllowed) {
  const auto ogden = [](const Lists& lists, const Numbers& own = {{"bulk", 1e6}}) {
    return error_of({"ogden", 0, 0, own, lists});
  };
  EXPECT_EQ(ogden({{"mu", {1, -3}}, {"alpha", {2, 2}}}),
            "m.mu: [1, -3] makes Σ mu_p alpha_p = -4, twice the shear modulus, which must be positive");
  EXPECT_EQ(ogden({{"mu", {1, 3}}, {"alpha", {2, 0}}}), "m.alpha: [2, 0] has a 0; any other number is allowed");
  EXPECT_EQ(ogden({{"mu", {1, 3}}, {"alpha", {2}}}), "m.mu: [1, 3] and alpha [2] must have as many numbers");
  EXPECT_EQ(ogden({{"mu", {1, 3}}}), "m.mu: [1, 3] and alpha [2] must have as many numbers");
  EXPECT_EQ(ogden({{"mu", {}}}), "m.mu: is empty");
  EXPECT_EQ(ogden({{"mu", std::vector<double>(7, 1)}}), "m.mu: has 7 numbers; ogden takes at most 6");
  EXPECT_EQ(ogden({{"mu", {1, std::nan("")}}, {"alpha", {2, 2}}}), "m.mu[1]: nan is not finite");
  EXPECT_EQ(ogden({{"bulk", {1, 2}}}, {{"mu", 3}}), "m.bulk: expected a number, got the list [1, 2]");
  EXPECT_EQ(error_of({"yeoh", 1e5, .4, {}, {{"mu", {1}}}}), "m.mu: yeoh does not take mu; ogden does");
  EXPECT_EQ(error_of({"corotated", 1e5, .4, {{"bulk", 1}}}),
            "m.bulk: corotated does not take bulk; mooney_rivlin or yeoh or ogden do");
  EXPECT_EQ(error_of({"yeoh", 0, 0, {{"c1", -1}, {"bulk", 1e6}}}), "m.c1: -1 is not positive");
  EXPECT_EQ(error_of({"yeoh", 0, .5, {{"c1", 1}}}), "m.poisson: 0.5 is outside (-1, 0.5)");
}

/// The constants of a model and E, ν never say two things at once.
TEST(RubberConstants, WhatContradictsIsRefused) {
  EXPECT_EQ(error_of({"yeoh", 5e3, 0, {{"c1", 1e3}, {"bulk", 1e6}}}),
            "m.young: 5000 contradicts c1, by which Young's modulus is 5996 Pa");
  EXPECT_EQ(error_of({"yeoh", 0, .3, {{"c1", 1e3}, {"bulk", 1e6}}}),
            "m.poisson: 0.3 contradicts c1 and bulk, by which Poisson's ratio is 0.499001");
  EXPECT_EQ(error_of({"ogden", 3e3, .25, {{"bulk", 1e6}}}),
            "m.bulk: 1000000 contradicts young and poisson, by which the bulk modulus is 2000 Pa");
  EXPECT_EQ(error_of({"ogden", -1, .25, {}, {{"mu", {1e3}}}}),
            "m.young: -1 contradicts mu, by which Young's modulus is 2500 Pa");
  EXPECT_EQ(error_of({"ogden", 2500, .25, {}, {{"mu", {1e3}}}}), "");
}

TEST(RubberConstants, ShearConstantsWithPoissonOrBulkGiveYoungAndPoisson) {
  // μ = 1000, ν = .25: E = 2500, κ = 5000/3.
  for (const MaterialParameters& given :
       {MaterialParameters{"yeoh", 0, .25, {{"c1", 500}}},
        {"yeoh", 0, 0, {{"c1", 500}, {"bulk", 5000. / 3}}},
        MaterialParameters{"ogden", 0, .25, {{"mu", 1000}}},
        MaterialParameters{"ogden", 0, .25, {}, {{"mu", {500, -200}}, {"alpha", {3, -2.5}}}}}) {
    const MaterialParameters p = complete_parameters(given, "m");
    EXPECT_NEAR(p.young, 2500, 1e-9);
    EXPECT_NEAR(p.poisson, .25, 1e-12);
    const Matrix H = hessian(make_material(p, "m"), Mat3::Identity());
    EXPECT_NEAR(H(1, 1), 1000, 1e-8);
    EXPECT_NEAR(H(0, 0), 1000 + 2000, 1e-8);  // λ = 1000
  }
  // From E and ν with exponents alone: the terms share the shear modulus.
  const AnyMaterial two = make_material({"ogden", 2500, .25, {}, {{"alpha", {4, -1}}}}, "m");
  EXPECT_NEAR(std::get<Ogden>(two).mu[0], 250, 1e-10);
  EXPECT_NEAR(std::get<Ogden>(two).mu[1], -1000, 1e-10);
  EXPECT_NEAR(hessian(two, Mat3::Identity())(1, 1), 1000, 1e-8);
}

TEST(RubberConstants, MissingKeys) {
  const auto missing = [](const char* model, std::vector<std::string> given) {
    return missing_key(*find_material(model), [&](const std::string& key) {
      return std::find(given.begin(), given.end(), key) != given.end();
    });
  };
  EXPECT_EQ(missing("yeoh", {}), "young");
  EXPECT_EQ(missing("yeoh", {"c1"}), "poisson");
  EXPECT_EQ(missing("yeoh", {"c1", "bulk"}), "");
  EXPECT_EQ(missing("yeoh", {"c2", "bulk"}), "c1");
  EXPECT_EQ(missing("ogden", {"mu", "alpha", "poisson"}), "");
  EXPECT_EQ(missing("corotated", {"young"}), "poisson");
  EXPECT_EQ(missing("mooney_rivlin", {"c10", "c01"}), "bulk");
}

}  // namespace
}  // namespace limber
