#include "limber/force/membrane.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "force/sheets.hpp"
#include "limber/core/errors.hpp"

namespace limber {
namespace {

using namespace test;
using Eigen::Vector2d;
using Mat6 = Eigen::Matrix<double, 6, 6>;

constexpr double young = 1000, poisson = 0.3, thickness = 0.02;
const double mu = young / (2 * (1 + poisson)), lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));

AnyMaterial make(const std::string& name, double nu = poisson) {
  return make_material({name, young, nu, {}}, "material");
}
std::vector<std::string> laws() {
  std::vector<std::string> names;
  for (const MaterialInfo& m : material_catalog())
    if (m.name != "linear") names.push_back(m.name);
  return names;
}
MembraneForce sheet_of(const TriMesh& mesh, const std::string& law, double nu = poisson) {
  return MembraneForce(mesh, 0, {make(law, nu)}, std::vector<int>(mesh.triangles.size(), 0), thickness, "sheet");
}
/// A triangle whose rest coordinates are those of its plane: F = [x₁ − x₀, x₂ − x₀].
TriMesh unit_triangle() { return {{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, {{0, 1, 2}}}; }

Vector crumpled(const TriMesh& mesh, unsigned seed, double by = 0.06) {
  const Vector q = stacked(mesh.nodes);
  return mapped(some_rotation(), Vec3(1, 2, 3), Vector(1.05 * q + random_vector(q.size(), by, seed)));
}

/// The positive root of an increasing function.
template <class G>
double root(const G& g) {
  double low = 1e-9, high = 1e3;
  for (int k = 0; k < 200; ++k) (g((low + high) / 2) < 0 ? low : high) = (low + high) / 2;
  return (low + high) / 2;
}

TEST(Membrane, ForceAndTangentAreDerivatives) {
  const TriMesh mesh = irregular_sheet();
  for (const auto& law : laws()) {
    SCOPED_TRACE(law);
    auto sheet = sheet_of(mesh, law);
    EXPECT_TRUE(sheet.traits().symmetric && sheet.traits().has_potential && !sheet.traits().velocity_dependent);
    EXPECT_EQ(sheet.traits().energy, EnergyKind::elastic);
    EXPECT_LE(force_at(sheet, at_rest(stacked(mesh.nodes))).norm(), 1e-12);
    const State u = at_rest(crumpled(mesh, 3));
    expect_force_from_potentials(sheet, u, 1e-7);
    expect_stiffness(sheet, u, 1e-6);
    expect_symmetric(tangent_at(sheet, u).K);
    expect_balanced(sheet, u);
    expect_invariant(sheet, u.q);
    expect_psd(tangent_at(sheet, u, Definiteness::projected).K);
  }
}

TEST(Membrane, PrescribedNodesAndTwoMaterials) {
  const TriMesh mesh = grid_sheet(1, 1, 1, 1);
  MembraneForce both(mesh, 1, {make("neo_hookean"), make("corotated")}, {1, 0}, thickness, "sheet");
  State u = at_rest(Vector::Zero(15));
  u.q.tail(12) = crumpled(mesh, 4, 0.2);
  expect_force_from_potentials(both, u);
  expect_stiffness(both, u, 1e-7);
  expect_restricts(both, u, {-1, 0, -1, 2, 1});
  const auto alone = [&](int k, const std::string& law) {
    return sheet_of({mesh.nodes, {mesh.triangles[static_cast<std::size_t>(k)]}}, law)
        .potentials(at_rest(u.q.tail(12)))
        ->stored;
  };
  EXPECT_NEAR(both.potentials(u)->stored, alone(0, "corotated") + alone(1, "neo_hookean"), 1e-12);
  Vector f = Vector::Zero(15);
  std::vector<int> all{0, 1, 2, 3, 4};
  std::vector<std::pair<int, int>> pairs;
  both.add_couplings(pairs);
  const BlockPattern pattern(5, pairs, Storage::full);
  SparseMatrix K = pattern.zero(), D = pattern.zero();
  TangentBuilder T(pattern, all, Definiteness::exact, K.valuePtr(), D.valuePtr());
  both.linearize(u, f, T);
  EXPECT_EQ(f, force_at(both, u));
  EXPECT_EQ(Matrix(K), tangent_at(both, u).K);
}

/// The reduction of the 3D law with a director, done in full: a by bisection along the normal, then the Schur
/// complement of the 9×9 Hessian.
TEST(Membrane, TangentIsTheSchurComplementOfTheDirector) {
  Matrix grow(6, 9);  // from nodes to F
  grow.setZero();
  for (int j = 0; j < 2; ++j) {
    grow.block<3, 3>(3 * j, 0) = -Mat3::Identity();
    grow.block<3, 3>(3 * j, 3 * (j + 1)) = Mat3::Identity();
  }
  for (const auto& law : laws()) {
    SCOPED_TRACE(law);
    auto sheet = sheet_of(unit_triangle(), law);
    const AnyMaterial m = make(law);
    const Vector q{{0.1, 0, 0.2, 1.3, 0.2, 0.4, 0.3, 1.1, -0.3}};
    Mat3 F;
    F << q.segment<3>(3) - q.head<3>(), q.tail<3>() - q.head<3>(), Vec3::Zero();
    const Vec3 n = Vec3(F.col(0)).cross(Vec3(F.col(1))).normalized();
    F.col(2) = n * root([&](double l) {
                 F.col(2) = l * n;
                 return n.dot(stress(m, F).col(2));
               });
    EXPECT_LE(stress(m, F).col(2).norm(), 1e-9);
    const double volume = thickness / 2;
    EXPECT_NEAR(sheet.potentials(at_rest(q))->stored, volume * energy(m, F), 1e-12);
    const Matrix H = hessian(m, F);
    const Mat6 reduced = H.topLeftCorner(6, 6) -
                         H.topRightCorner(6, 3) * Mat3(H.bottomRightCorner(3, 3)).inverse() * H.bottomLeftCorner(3, 6);
    expect_near(tangent_at(sheet, at_rest(q)).K, volume * grow.transpose() * reduced * grow, 1e-9, "Schur");
    const Vector P = stress(m, F).leftCols<2>().reshaped();
    expect_near(force_at(sheet, at_rest(q)), -volume * grow.transpose() * P, 1e-11, "P");
  }
}

TEST(Membrane, ProjectionIsThatOfTheEigenvalues) {
  Matrix grow(6, 9), back(9, 6);
  grow.setZero(), back.setZero();
  for (int j = 0; j < 2; ++j) {
    grow.block<3, 3>(3 * j, 0) = -Mat3::Identity();
    grow.block<3, 3>(3 * j, 3 * (j + 1)) = Mat3::Identity();
    back.block<3, 3>(3 * (j + 1), 3 * j) = Mat3::Identity();
  }
  for (const auto& law : laws())
    for (const unsigned seed : {1u, 2u, 3u, 4u}) {
      SCOPED_TRACE(law);
      auto sheet = sheet_of(unit_triangle(), law);
      State u = at_rest(crumpled(unit_triangle(), seed, 0.4));
      u.q *= 0.7;
      const Matrix exact = back.transpose() * tangent_at(sheet, u).K * back;
      const Eigen::SelfAdjointEigenSolver<Matrix> eigen(Matrix((exact + exact.transpose()) / 2));
      const Matrix positive =
          eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() * eigen.eigenvectors().transpose();
      EXPECT_LT(eigen.eigenvalues()[0], 0);
      const Matrix K = tangent_at(sheet, u, Definiteness::projected).K;
      expect_near(K, grow.transpose() * positive * grow, 1e-11, "projected");
      expect_psd(K);
    }
}

TEST(Membrane, StVenantKirchhoffInClosedForm) {
  const auto sheet = sheet_of(unit_triangle(), "st_venant_kirchhoff");
  for (const unsigned seed : {1u, 2u, 3u}) {
    const Vector q = crumpled(unit_triangle(), seed, 0.3);
    Eigen::Matrix<double, 3, 2> F;
    F << q.segment<3>(3) - q.head<3>(), q.tail<3>() - q.head<3>();
    const Eigen::Matrix2d E = (F.transpose() * F - Eigen::Matrix2d::Identity()) / 2;
    const double psi =
        young / (2 * (1 - poisson * poisson)) * (E.trace() * E.trace() - 2 * (1 - poisson) * E.determinant());
    EXPECT_NEAR(sheet.potentials(at_rest(q))->stored, thickness / 2 * psi, 1e-12 * (1 + psi));
  }
}

/// Beyond the stretch at which the thickness vanishes, E₃₃ = −½ stays, and all is still a derivative.
TEST(Membrane, ThicknessEndsAtZero) {
  for (const std::string law : {"st_venant_kirchhoff", "corotated"}) {
    auto sheet = sheet_of(unit_triangle(), law, 0.45);
    const Vector q{{0, 0, 0, 3, 0.1, 0, 0.2, 2.8, 0.1}};
    EXPECT_EQ(thickness_stretch(make(law, 0.45), 3, 2.8), 0);
    EXPECT_GT(thickness_stretch(make(law, 0.45), 1.2, 1.2), 0.5);
    expect_force_from_potentials(sheet, at_rest(q));
    expect_stiffness(sheet, at_rest(q), 1e-7);
  }
  EXPECT_GT(thickness_stretch(make("neo_hookean", 0.45), 30, 20), 1e-4);
}

TEST(Membrane, PatchOfHomogeneousStretch) {
  const TriMesh mesh = irregular_sheet();
  Mat3 A;
  A << 1.2, 0.15, 0, -0.1, 0.9, 0, 0.3, -0.2, 1;
  for (const auto& law : laws()) {
    const auto sheet = sheet_of(mesh, law);
    const Vector f = force_at(sheet, at_rest(mapped(A, Vec3(1, 1, 1), stacked(mesh.nodes))));
    EXPECT_GT(f.cwiseAbs().maxCoeff(), 0.1);
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
      if (is_inside(mesh.nodes[i], 1, 1)) {
        EXPECT_LE(f.segment<3>(3 * static_cast<Index>(i)).norm(), 1e-13) << law;
      }
  }
}

/// Displacement of a pulled unit sheet, solved with the tangent at rest: ε = σ/E along, −ν σ/E across.
TEST(Membrane, UniaxialSmallStrainHasTheGivenModulus) {
  const TriMesh mesh = irregular_sheet();
  const auto n = static_cast<Index>(mesh.nodes.size());
  for (const auto& law : laws()) {
    SCOPED_TRACE(law);
    auto sheet = sheet_of(mesh, law);
    const Matrix K = tangent_at(sheet, at_rest(stacked(mesh.nodes))).K;
    std::vector<Index> free;
    Vector load = Vector::Zero(3 * n);
    for (Index i = 0; i < n; ++i) {
      const Vec3& X = mesh.nodes[static_cast<std::size_t>(i)];
      if (X[0] > 0) free.push_back(3 * i);
      if (i > 0) free.push_back(3 * i + 1);
      if (X[0] > 1 - 1e-9) load[3 * i] = thickness / 3 * (X[1] < 1e-9 || X[1] > 1 - 1e-9 ? 0.5 : 1);  // σ = 1 Pa
    }
    const Vector small = Eigen::PartialPivLU<Matrix>(Matrix(K(free, free))).solve(Vector(load(free)));
    Vector x = Vector::Zero(3 * n);
    x(free) = small;
    const bool arap = law == "arap";  // λ = 0: E = 2μ, ν = 0
    const double E = arap ? 2 * mu : young, nu = arap ? 0 : poisson;
    for (Index i = 0; i < n; ++i) {
      const Vec3& X = mesh.nodes[static_cast<std::size_t>(i)];
      EXPECT_NEAR(x[3 * i], X[0] / E, 1e-9 / E);
      EXPECT_NEAR(x[3 * i + 1], -nu * X[1] / E, 1e-9 / E);
    }
  }
}

/// A balloon: f · X = −2 A t w₁ for a closed surface blown up s times, the thickness from μ(λ² − 1) + λ_L ln(s²λ) = 0.
TEST(Membrane, InflatedNeoHookeanBalloon) {
  TriMesh ball{{Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0), Vec3(0, 0, 1), Vec3(0, 0, -1)},
               {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
  const auto sheet = sheet_of(ball, "neo_hookean");
  const Vector X = stacked(ball.nodes);
  const double volume = thickness * 8 * std::sqrt(3.0) / 2;
  for (const double s : {0.5, 0.9, 1.0, 1.3, 2.0, 4.0}) {
    const double l = root([&](double x) { return mu * (x * x - 1) + lambda * std::log(s * s * x); });
    EXPECT_NEAR(thickness_stretch(make("neo_hookean"), s, s), l, 1e-12 * l);
    const double w1 = mu * (s - 1 / s) + lambda * std::log(s * s * l) / s;
    EXPECT_NEAR(force_at(sheet, at_rest(s * X)).dot(X), -2 * volume * w1, 1e-11 * volume * mu);
    const double psi =
        mu / 2 * (2 * s * s + l * l - 3) - mu * std::log(s * s * l) + lambda / 2 * std::pow(std::log(s * s * l), 2);
    EXPECT_NEAR(sheet.potentials(at_rest(s * X))->stored, volume * psi, 1e-11 * (1 + volume * psi));
  }
}

TEST(Membrane, FoldedToALineOrAPoint) {
  const Vector line{{0, 0, 0, 1, 0, 0, 0.3, 0, 0}}, point = Vector::Ones(9);
  for (const auto& law : laws())
    for (const Vector& q : {line, point}) {
      SCOPED_TRACE(law);
      auto sheet = sheet_of(unit_triangle(), law);
      if (needs_positive_det(make(law))) {
        EXPECT_EQ(sheet.potentials(at_rest(q))->stored, std::numeric_limits<double>::infinity());
        continue;
      }
      EXPECT_TRUE(std::isfinite(sheet.potentials(at_rest(q))->stored));
      EXPECT_TRUE(force_at(sheet, at_rest(q)).allFinite());
      for (const auto d : {Definiteness::exact, Definiteness::projected})
        EXPECT_TRUE(tangent_at(sheet, at_rest(q), d).K.allFinite());
    }
  auto thin = sheet_of(unit_triangle(), "neo_hookean");
  const Vector almost{{0, 0, 0, 1, 0, 0, 0.3, 1e-8, 0}};
  EXPECT_TRUE(std::isfinite(thin.potentials(at_rest(almost))->stored));
  expect_psd(tangent_at(thin, at_rest(almost), Definiteness::projected).K);
}

TEST(Membrane, SameBitsForAnyNumberOfThreads) {
  const TriMesh mesh = grid_sheet(24, 20, 0.05, 0.05);
  auto sheet = sheet_of(mesh, "stable_neo_hookean");
  const State u = at_rest(crumpled(mesh, 8, 0.01));
  set_threads(1);
  const Vector f = force_at(sheet, u);
  const Matrix K = tangent_at(sheet, u, Definiteness::projected).K;
  set_threads(0);
  EXPECT_EQ(force_at(sheet, u), f);
  EXPECT_EQ(tangent_at(sheet, u, Definiteness::projected).K, K);
}

TEST(Membrane, BadInputIsNamed) {
  const auto build = [](TriMesh mesh, const std::string& law, double t) {
    return message_of(
        [&] { MembraneForce(mesh, 0, {make(law)}, std::vector<int>(mesh.triangles.size(), 0), t, "bodies[0]"); });
  };
  EXPECT_EQ(build(irregular_sheet(), "corotated", 0.1), "");
  EXPECT_NE(build(irregular_sheet(), "corotated", 0).find("bodies[0].thickness: 0"), std::string::npos);
  EXPECT_NE(build(irregular_sheet(), "corotated", NAN).find("bodies[0].thickness: nan"), std::string::npos);
  EXPECT_NE(build(irregular_sheet(), "linear", 0.1).find("bodies[0].material: `linear`"), std::string::npos);
  TriMesh flat = grid_sheet(1, 1, 1, 1);
  flat.nodes[2] = flat.nodes[3] / 2;
  EXPECT_NE(build(flat, "corotated", 0.1).find("bodies[0].mesh: triangle 1 (nodes 0, 3, 2) has no area"),
            std::string::npos);
}

}  // namespace
}  // namespace limber
