/// Every row of the catalog is tested here; a new row needs no new test.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "limber/core/errors.hpp"
#include "limber/core/lanes.hpp"
#include "limber/material/catalog.hpp"

namespace limber {
namespace {

constexpr double young = 1e5, poisson = 0.4;

Matrix isotropic_tensor(double mu, double lambda) {
  Matrix H = Matrix::Zero(9, 9);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      H(i + 3 * j, i + 3 * j) += mu;
      H(i + 3 * j, j + 3 * i) += mu;
      H(i + 3 * i, j + 3 * j) += lambda;
    }
  return H;
}

Matrix clamped(const Matrix& H) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(Matrix(0.5 * (H + H.transpose())));
  return solver.eigenvectors() * solver.eigenvalues().cwiseMax(0).asDiagonal() * solver.eigenvectors().transpose();
}

class Materials : public testing::TestWithParam<std::string> {
 protected:
  AnyMaterial m = make({});
  bool positive_only = needs_positive_det(m);
  double mu = young / (2 * (1 + poisson));
  double lambda = GetParam() == "arap" ? 0 : young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  std::mt19937 generator{7};

  static AnyMaterial make(MaterialParameters p) {
    p.model = GetParam();
    p.young = young;
    p.poisson = poisson;
    return make_material(p, "material");
  }
  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(generator); }
  Mat3 random_matrix(double size) {
    return Mat3::NullaryExpr([&](Index, Index) { return uniform(-size, size); });
  }
  Mat3 random_rotation() {
    const Vec3 w{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    return Eigen::AngleAxisd(uniform(0, 3), w.normalized()).toRotationMatrix();
  }
  /// Anything, also inverted, where the material allows it; singular values apart from 0.
  Mat3 random_F() {
    for (;;) {
      const Mat3 F = random_rotation() * (Mat3::Identity() + random_matrix(1.2));
      const double J = F.determinant();
      if (std::abs(J) > 0.1 && (!positive_only || J > 0) && rotation_gap(F) > 0.1) return F;
    }
  }
  /// s₂ + s₃, s₃ signed: where it is 0, the rotation of F is not unique.
  static double rotation_gap(const Mat3& F) {
    const Vec3 s = F.jacobiSvd().singularValues();
    return s[1] + (F.determinant() < 0 ? -s[2] : s[2]);
  }
};

TEST_P(Materials, StressIsTheDerivativeOfEnergy) {
  const double h = 1e-5;
  for (int trial = 0; trial < 50; ++trial) {
    const Mat3 F = random_F(), P = stress(m, F), dF = random_matrix(1);
    const double slope = (8 * (energy(m, F + h * dF) - energy(m, F - h * dF)) -
                          (energy(m, F + 2 * h * dF) - energy(m, F - 2 * h * dF))) /
                         (12 * h);
    EXPECT_NEAR(slope, P.cwiseProduct(dF).sum(), 1e-7 * (P.norm() + young));
  }
}

TEST_P(Materials, HessianIsTheDerivativeOfStress) {
  const double h = 1e-4;
  for (int trial = 0; trial < 50; ++trial) {
    const Mat3 F = random_F(), dF = random_matrix(1);
    const Matrix H = hessian(m, F);
    EXPECT_LT((H - H.transpose()).norm(), 1e-11 * H.norm());
    const Mat3 dP = (8 * (stress(m, F + h * dF) - stress(m, F - h * dF)) -
                     (stress(m, F + 2 * h * dF) - stress(m, F - 2 * h * dF))) /
                    (12 * h);
    const Vector expected = H * Eigen::Map<const Vector>(dF.data(), 9);
    EXPECT_LT((Eigen::Map<const Vector>(dP.data(), 9) - expected).norm(), 1e-6 * H.norm());
  }
}

TEST_P(Materials, FrameIndifferentAndIsotropic) {
  for (int trial = 0; trial < 50; ++trial) {
    const Mat3 F = random_F(), Q = random_rotation();
    const double scale = energy(m, F) + young;
    EXPECT_NEAR(energy(m, Q * F * Q.transpose()), energy(m, F), 1e-12 * scale);
    EXPECT_LT((stress(m, Q * F * Q.transpose()) - Q * stress(m, F) * Q.transpose()).norm(), 1e-11 * scale);
    if (GetParam() == "linear") continue;
    EXPECT_NEAR(energy(m, Q * F), energy(m, F), 1e-12 * scale);
    EXPECT_NEAR(energy(m, F * Q), energy(m, F), 1e-12 * scale);
    EXPECT_LT((stress(m, Q * F) - Q * stress(m, F)).norm(), 1e-11 * scale);
  }
}

TEST_P(Materials, RestIsFreeOfEnergyAndStress) {
  EXPECT_NEAR(energy(m, Mat3::Identity()), 0, 1e-12 * young);
  EXPECT_LT(stress(m, Mat3::Identity()).norm(), 1e-11 * young);
  if (GetParam() == "linear") return;
  const Mat3 Q = random_rotation();
  EXPECT_NEAR(energy(m, Q), 0, 1e-12 * young);
  EXPECT_LT(stress(m, Q).norm(), 1e-11 * young);
}

TEST_P(Materials, SmallStrainsGiveLinearElasticity) {
  const Matrix C = isotropic_tensor(mu, lambda);
  EXPECT_LT((hessian(m, Mat3::Identity()) - C).norm(), 1e-10 * C.norm());
  const Mat3 H = random_matrix(1);
  const double e = 1e-7;
  const Mat3 P = stress(m, Mat3::Identity() + e * H) / e;
  const Vector expected = C * Eigen::Map<const Vector>(H.data(), 9);
  EXPECT_LT((Eigen::Map<const Vector>(P.data(), 9) - expected).norm(), 2e-6 * expected.norm());
  const double e2 = 1e-4;
  EXPECT_NEAR(energy(m, Mat3::Identity() + e2 * H) / (e2 * e2),
              0.5 * Eigen::Map<const Vector>(H.data(), 9).dot(expected), 1e-2 * expected.norm());
}

TEST_P(Materials, ProjectionClampsTheEigenvalues) {
  int indefinite = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Mat3 F = trial % 4 == 0 ? Mat3(Mat3::Identity() + random_matrix(0.05)) : random_F();
    const Matrix H = hessian(m, F), S = hessian_psd(m, F);
    const Vector eigenvalues = Eigen::SelfAdjointEigenSolver<Matrix>(S).eigenvalues();
    EXPECT_LT((S - S.transpose()).norm(), 1e-12 * S.norm());
    EXPECT_GT(eigenvalues.minCoeff(), -1e-9 * eigenvalues.maxCoeff());
    EXPECT_LT((S - clamped(H)).norm(), 1e-9 * H.norm());
    if (Eigen::SelfAdjointEigenSolver<Matrix>(H).eigenvalues().minCoeff() > 0) {
      EXPECT_LT((S - H).norm(), 1e-11 * H.norm());
    } else {
      ++indefinite;
    }
  }
  if (GetParam() != "linear") {
    EXPECT_GT(indefinite, 10);
  }
}

TEST_P(Materials, LanesEqualDouble) {
  for (int trial = 0; trial < 40; ++trial) {
    Mat3 F[lane_count];
    M3<Lanes> packed;
    for (Mat3& f : F) f = random_F();
    if (trial % 5 == 0 && !positive_only) F[0] = Vec3(1, 0.5, 1e-9).asDiagonal();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double values[lane_count];
        for (int l = 0; l < lane_count; ++l) values[l] = F[l](i, j);
        packed(i, j) = Lanes::load_unaligned(values);
      }
    const auto lane = [](const Lanes& x, int l) {
      double values[lane_count];
      x.store_unaligned(values);
      return values[l];
    };
    std::visit(
        [&](const auto& material) {
          const Lanes psi = material.energy(packed);
          const M3<Lanes> P = material.stress(packed);
          const M9<Lanes> H = material.hessian(packed), S = material.hessian_psd(packed);
          for (int l = 0; l < lane_count; ++l) {
            const Matrix one = hessian(m, F[l]), one_psd = hessian_psd(m, F[l]);
            const double scale = one.norm() + energy(m, F[l]);
            EXPECT_NEAR(lane(psi, l), energy(m, F[l]), 1e-12 * scale);
            for (int i = 0; i < 3; ++i)
              for (int j = 0; j < 3; ++j) EXPECT_NEAR(lane(P(i, j), l), stress(m, F[l])(i, j), 1e-12 * scale);
            for (int i = 0; i < 9; ++i)
              for (int j = 0; j < 9; ++j) {
                EXPECT_NEAR(lane(H(i, j), l), one(i, j), 1e-12 * scale);
                EXPECT_NEAR(lane(S(i, j), l), one_psd(i, j), 1e-12 * scale);
              }
          }
        },
        m);
  }
}

TEST_P(Materials, DegenerateShapesStayFinite) {
  const Mat3 Q = random_rotation();
  const std::vector<Vec3> stretches = {{1, 1, 1},      {2, 2, 2},        {0.5, 0.5, 2},         {1, 1, 1 + 1e-9},
                                       {1, 1, -1},     {1, 0.5, -0.5},   {1, 0.5, -0.5 + 1e-9}, {1, 1, 0},
                                       {1, 0, 0},      {0, 0, 0},        {1e-12, 1e-12, 1e-12}, {-1, -1, -1},
                                       {1, 0.3, 1e-9}, {1, 1e-9, -1e-9}, {1e3, 1, 1e-3}};
  for (const Vec3& s : stretches)
    for (const Mat3& R : {Mat3(Mat3::Identity()), Q}) {
      const Mat3 F = R * s.asDiagonal() * Q.transpose();
      // On which side of 0 the determinant of a flat F is rounded is chance.
      if (positive_only && F.determinant() < 1e-20) continue;
      ASSERT_TRUE(std::isfinite(energy(m, F))) << s.transpose();
      EXPECT_TRUE(stress(m, F).allFinite()) << s.transpose();
      EXPECT_TRUE(hessian(m, F).allFinite()) << s.transpose();
      const Matrix S = hessian_psd(m, F);
      ASSERT_TRUE(S.allFinite()) << s.transpose();
      const Vector eigenvalues = Eigen::SelfAdjointEigenSolver<Matrix>(S).eigenvalues();
      EXPECT_GT(eigenvalues.minCoeff(), -1e-9 * (eigenvalues.maxCoeff() + young)) << s.transpose();
    }
}

TEST_P(Materials, EnergyIsInfiniteOutsideTheDomain) {
  const Mat3 flat = Vec3(1, 1, 0).asDiagonal(), inverted = Vec3(1, 1, -0.5).asDiagonal();
  EXPECT_EQ(std::isinf(energy(m, flat)), positive_only);
  EXPECT_EQ(std::isinf(energy(m, inverted)), positive_only);
  EXPECT_FALSE(std::isnan(energy(m, inverted)));
}

/// Uniaxial strain F = diag(s, 1, 1) against the formulas of the design, written out in s.
/// What soften takes from ψ is that function of J alone.
TEST_P(Materials, SofteningTakesAFunctionOfTheVolume) {
  const Volumetric form = volumetric(m);
  const double by = .7 * lambda;
  const AnyMaterial less = softened(m, by);
  for (int i = 0; i < 20; ++i) {
    const Mat3 F = random_F();
    const double J = F.determinant();
    const double U = form == Volumetric::quadratic ? .5 * (J - 1) * (J - 1)
                     : form == Volumetric::none    ? 0
                                                   : .5 * std::log(J) * std::log(J);
    EXPECT_NEAR(energy(m, F) - energy(less, F), by * U, 1e-12 * (energy(m, F) + by)) << J;
  }
  const bool by_volume_alone = GetParam() != "linear" && GetParam() != "corotated" && GetParam() != "arap" &&
                               GetParam() != "st_venant_kirchhoff";
  EXPECT_EQ(form != Volumetric::none, by_volume_alone);
}

TEST_P(Materials, UniaxialStrainByHand) {
  const double s = 1.3, l = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  const double mu2 = 4 * mu / 3, l2 = l + 5 * mu / 6, alpha = 1 + mu2 / l2 - mu2 / (4 * l2), k = l + 2 * mu / 3;
  const auto snh = [&](double x) {
    const double I = x * x + 2;
    return mu2 / 2 * (I - 3) + l2 / 2 * std::pow(x - alpha, 2) - mu2 / 2 * std::log(I + 1);
  };
  const double green = (s * s - 1) / 2, I = s * s + 2, II = 2 * s * s + 1;
  const std::map<std::string, double> expected = {
      {"linear", (mu + l / 2) * std::pow(s - 1, 2)},
      {"corotated", (mu + l / 2) * std::pow(s - 1, 2)},
      {"arap", mu * std::pow(s - 1, 2)},
      {"st_venant_kirchhoff", (mu + l / 2) * green * green},
      {"neo_hookean", mu / 2 * (I - 3) - mu * std::log(s) + l / 2 * std::pow(std::log(s), 2)},
      {"stable_neo_hookean", snh(s) - snh(1)},
      {"mooney_rivlin", .4 * mu * (std::pow(s, -2. / 3) * I - 3) + .1 * mu * (std::pow(s, -4. / 3) * II - 3) +
                            k / 2 * std::pow(s - 1, 2)},
      {"fixed_corotated", (mu + l / 2) * std::pow(s - 1, 2)},
      {"yeoh", mu / 2 * (std::pow(s, -2. / 3) * I - 3) + k / 2 * std::pow(s - 1, 2)},
      {"ogden", mu / 2 * (std::pow(s, -2. / 3) * I - 3) + k / 2 * std::pow(s - 1, 2)}};
  if (!expected.contains(GetParam())) GTEST_SKIP() << "no formula here";
  EXPECT_NEAR(energy(m, Vec3(s, 1, 1).asDiagonal().toDenseMatrix()), expected.at(GetParam()), 1e-10 * young);
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const MaterialInfo& info : material_catalog()) list.push_back(info.name);
  return list;
}
INSTANTIATE_TEST_SUITE_P(Catalog, Materials, testing::ValuesIn(names()),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace limber
