#include "limber/force/plastic.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numeric>

#include "force/differences.hpp"
#include "limber/core/errors.hpp"
#include "limber/force/elastic.hpp"

namespace limber::test {
namespace {

constexpr double young_of_metal = 200, poisson_of_metal = .3, yield_stress = 1, hardening_modulus = 40;

AnyMaterial metal(double yield, double hardening) {
  MaterialParameters p{"st_venant_kirchhoff", young_of_metal, poisson_of_metal, {{"yield", yield}}};
  if (hardening > 0) p.own["hardening"] = hardening;
  return make_material(p, "m");
}

ElementMesh metal_block(ElementKind kind) {
  const Vec3 size(1, .8, 1.2);
  const std::array<int, 3> cells{1, 1, 1};
  return kind == ElementKind::hex8 ? box_hexahedra(Vec3::Zero(), size, cells)
                                   : elements_of(box_mesh(Vec3::Zero(), size, cells, Split::five), kind);
}

class Plastic : public testing::TestWithParam<ElementKind> {
 protected:
  ElementMesh mesh = metal_block(GetParam());
  std::vector<int> zero = std::vector<int>(mesh.count(), 0);
  Vector rest = Vector(3 * static_cast<Index>(mesh.nodes.size()));

  Plastic() {
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i) rest.segment<3>(3 * static_cast<Index>(i)) = mesh.nodes[i];
  }
  std::shared_ptr<PlasticForce> body(double yield = yield_stress, double hardening = hardening_modulus) const {
    const std::vector<AnyMaterial> materials{metal(yield, hardening)};
    const ElasticForce former(mesh, 0, materials, zero);
    return std::make_shared<PlasticForce>(former, mesh, 0, materials, zero, MeanParts{});
  }
  State shaken(double by, unsigned seed) const {
    return {rest + random_vector(rest.size(), by, seed), Vector::Zero(rest.size()), 0};
  }
  State stretched(const Mat3& F) const {
    State u{rest, Vector::Zero(rest.size()), 0};
    for (Index i = 0; i < rest.size(); i += 3) u.q.segment<3>(i) = F * rest.segment<3>(i);
    return u;
  }
  /// S of a constant F, from the energy: W(F + s dF) − W(F) = s V P:dF.
  Mat3 stress(const PlasticForce& force, const Mat3& F) const {
    Mat3 P;
    const double volume = 1 * .8 * 1.2;
    const Vector f = force_at(force, stretched(F));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        Mat3 dF = Mat3::Zero();
        dF(i, j) = 1;
        P(i, j) = -f.dot(stretched(Mat3::Identity() + dF).q - rest) / volume;
      }
    return F.inverse() * P;
  }
  static Mat3 with_strain(const Mat3& E) {
    return Eigen::SelfAdjointEigenSolver<Mat3>(Mat3::Identity() + 2 * E).operatorSqrt();
  }
};

double von_mises(const Mat3& S) {
  const Mat3 s = S - S.trace() / 3 * Mat3::Identity();
  return std::sqrt(1.5) * s.norm();
}

TEST_P(Plastic, ForceAndTangentAreDerivativesOfThePotential) {
  const auto force = body();
  force->begin_step(shaken(.05, 1));
  force->begin_step(shaken(.04, 2));
  const State u = shaken(.05, 3);
  expect_force_from_potentials(*force, u, 1e-6);
  const auto f = [&](const Vector& q) { return force_at(*force, {q, u.v, u.t}); };
  expect_near(tangent_at(*force, u).K, minus_jacobian(f, u.q, 1e-5), 1e-6, "K = -df/dq");
  expect_balanced(*force, u);
  expect_psd(tangent_at(*force, u, Definiteness::projected).K);
  std::vector<int> free(mesh.nodes.size());
  std::iota(free.begin(), free.end(), -2);
  free[1] = -1;
  expect_restricts(*force, u, free);
}

TEST_P(Plastic, IsElasticBelowTheYieldStress) {
  const auto force = body(1e3);
  const ElasticForce elastic(mesh, 0, {metal(1e3, 0)}, zero);
  force->begin_step(shaken(.05, 1));
  const State u = shaken(.05, 2);
  expect_near(force_at(*force, u), force_at(elastic, u), 1e-12, "force");
  expect_near(tangent_at(*force, u).K, tangent_at(const_cast<ElasticForce&>(elastic), u).K, 1e-12, "tangent");
  EXPECT_NEAR(force->stored_energy(u), elastic.potentials(u)->stored, 1e-12);
  for (const double x : force->memory()) EXPECT_EQ(x, 0);
}

/// Simple shear strain E₁₂ = γ/2: τ = μ γ up to σ_y/√3; beyond, √3 τ = σ_y + H α and γ = τ/μ + √3 α.
TEST_P(Plastic, ShearFollowsTheRadialReturn) {
  const double mu = young_of_metal / (2 * (1 + poisson_of_metal)), root = std::sqrt(3);
  const double first = yield_stress / root / mu;
  for (const double hardening : {0., hardening_modulus}) {
    const auto force = body(yield_stress, hardening);
    const auto strain = [](double gamma) {
      Mat3 E = Mat3::Zero();
      E(0, 1) = E(1, 0) = gamma / 2;
      return with_strain(E);
    };
    EXPECT_NEAR(stress(*force, strain(.999 * first))(0, 1), .999 * yield_stress / root, 1e-12);
    for (const double gamma : {1.5 * first, 4 * first}) {
      const double alpha = root * mu * (gamma - first) / (3 * mu + hardening);
      const double tau = (yield_stress + hardening * alpha) / root;
      EXPECT_NEAR(gamma, tau / mu + root * alpha, 1e-14);
      const Mat3 S = stress(*force, strain(gamma));
      EXPECT_NEAR(S(0, 1), tau, 1e-12);
      EXPECT_NEAR(von_mises(S), yield_stress + hardening * alpha, 1e-12);
      force->begin_step(stretched(strain(gamma)));
      EXPECT_NEAR(stress(*force, strain(gamma))(0, 1), tau, 1e-12);
      EXPECT_NEAR(stress(*force, strain(gamma - first))(0, 1), tau - mu * first, 1e-12) << "elastic on the way back";
      EXPECT_NEAR(stress(*force, strain(root * alpha)).norm(), 0, 1e-11) << "the plastic strain stays";
      const auto memory = force->memory();
      for (std::size_t k = 0; k < memory.size(); k += 7) {
        EXPECT_NEAR(memory[k + 5], root / 2 * alpha, 1e-13);
        EXPECT_NEAR(memory[k + 6], alpha, 1e-13);
        EXPECT_NEAR(memory[k] + memory[k + 1] + memory[k + 2], 0, 1e-14) << "flow keeps the volume";
      }
    }
  }
}

TEST_P(Plastic, RemembersAndForgets) {
  const auto force = body(), other = body();
  force->begin_step(shaken(.05, 1));
  const auto memory = force->memory();
  EXPECT_GT(*std::max_element(memory.begin(), memory.end()), .01) << "it has flowed";
  const State u = shaken(.05, 2);
  const Vector f = force_at(*force, u);
  force->begin_step(shaken(.05, 1));
  EXPECT_EQ(force->memory(), memory) << "the same step, tried again";
  EXPECT_NE(force_at(*other, u), f);
  other->restore(memory);
  EXPECT_EQ(force_at(*other, u), f);
  EXPECT_EQ(other->stored_energy(u), force->stored_energy(u));
  EXPECT_NE(message_of([&] { force->restore({1, 2}); }).find("2 numbers do not fit"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Plastic, testing::Values(ElementKind::tet4, ElementKind::tet10, ElementKind::hex8));

}  // namespace
}  // namespace limber::test
