/// Quadratic tetrahedra and hexahedra, straight and distorted: what holds for every kind of element.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "limber/force/elastic.hpp"
#include "limber/force/mass.hpp"

namespace limber {
namespace {

struct KindCase {
  std::string name;
  ElementKind kind;
  double distortion;  // of all nodes, in units of a cell
};

ElementMesh make_mesh(const KindCase& c) {
  const Vec3 size(1, .8, 1.2);
  const std::array<int, 3> cells{2, 2, 2};
  ElementMesh mesh = c.kind == ElementKind::hex8
                         ? box_hexahedra(Vec3::Zero(), size, cells)
                         : elements_of(box_mesh(Vec3::Zero(), size, cells, Split::five), c.kind);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> u(-1, 1);
  for (Vec3& x : mesh.nodes) x += .4 * c.distortion * Vec3{u(random), u(random), u(random)};
  return mesh;
}

class Kinds : public testing::TestWithParam<KindCase> {
 protected:
  ElementMesh mesh = make_mesh(GetParam());
  Index size = 3 * static_cast<Index>(mesh.nodes.size());
  Vector rest = Vector(size);

  Kinds() {
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i) rest.segment<3>(3 * static_cast<Index>(i)) = mesh.nodes[i];
  }
  ElasticForce body(const std::string& material) const {
    return ElasticForce(mesh, 0, {make_material({material, 1e4, .3, {}}, "m")}, std::vector<int>(mesh.count(), 0));
  }
  /// Of a material that hardly changes its volume, most of whose λ acts on means.
  ElasticForce with_means(const std::string& material) const {
    const AnyMaterial whole = make_material({material, 1e4, nearly, {}}, "m");
    return ElasticForce(mesh, 0, {softened(whole, mean_bulk)}, std::vector<int>(mesh.count(), 0), {{mean_bulk}, {0}});
  }
  static constexpr double nearly = .4995, mean_bulk = 3e6;  // of λ = 3.3e6
  Vector random_vector(double scale, unsigned seed) const {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> u(-scale, scale);
    return Vector::NullaryExpr(size, [&](Index) { return u(random); });
  }
  static double energy(const ElasticForce& e, const Vector& q) { return e.potentials({q, Vector()})->stored; }
  static Vector force(const ElasticForce& e, const Vector& q) {
    Vector f = Vector::Zero(q.size());
    e.add_force({q, Vector()}, f);
    return f;
  }
  Vector affine(const Mat3& A) const {
    Vector q(size);
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
      q.segment<3>(3 * static_cast<Index>(i)) = A * mesh.nodes[i] + Vec3(.3, -.2, .1);
    return q;
  }
  Matrix stiffness(ElasticForce& e, const Vector& q, Storage storage, Definiteness d, Vector& f) const {
    const int n = static_cast<int>(mesh.nodes.size());
    std::vector<std::pair<int, int>> pairs;
    e.add_couplings(pairs);
    std::vector<int> all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    const BlockPattern p(n, pairs, storage);
    e.bind(p, all);
    SparseMatrix K = p.zero();
    TangentBuilder T(p, all, d, K.valuePtr(), nullptr);
    e.linearize({q, Vector()}, f, T);
    const Matrix A = K;
    return storage == Storage::full ? A : Matrix(A.selfadjointView<Eigen::Lower>());
  }
  /// Nodes inside the box at rest (its faces are distorted too, so by topology: not on a face of one element only).
  std::vector<int> inner_nodes() const {
    const ElementMesh regular = make_mesh({"", GetParam().kind, 0});
    std::vector<int> list;
    for (std::size_t i = 0; i < regular.nodes.size(); ++i) {
      const Vec3& x = regular.nodes[i];
      if (x.minCoeff() > 1e-9 && x[0] < 1 - 1e-9 && x[1] < .8 - 1e-9 && x[2] < 1.2 - 1e-9)
        list.push_back(static_cast<int>(i));
    }
    return list;
  }
};

TEST_P(Kinds, ForceIsTheGradientOfTheEnergy) {
  const auto check = [&](const ElasticForce& e, const std::string& material) {
    const Vector q = rest + random_vector(.02, 1), f = force(e, q), d = random_vector(1, 2);
    constexpr double h = 1e-5;
    const double slope = (energy(e, q + h * d) - energy(e, q - h * d)) / (2 * h);
    EXPECT_NEAR(-f.dot(d), slope, 2e-7 * f.norm() * d.norm()) << material;
  };
  for (const std::string material : {"neo_hookean", "stable_neo_hookean", "corotated", "st_venant_kirchhoff"})
    check(body(material), material);
  for (const std::string material : {"neo_hookean", "stable_neo_hookean"})
    check(with_means(material), material + " with means");
}

TEST_P(Kinds, StiffnessIsTheDerivativeOfTheForce) {
  const auto check = [&](ElasticForce e, const std::string& material) {
    const Vector q = rest + random_vector(.02, 1), f = force(e, q);
    Vector fused = Vector::Zero(size), other = Vector::Zero(size), projected = Vector::Zero(size);
    const Matrix K = stiffness(e, q, Storage::lower, Definiteness::exact, fused);
    EXPECT_LE((fused - f).norm(), 1e-12 * f.norm());
    EXPECT_LE((stiffness(e, q, Storage::full, Definiteness::exact, other) - K).norm(), 1e-12 * K.norm());
    const Vector d = random_vector(1, 2);
    constexpr double h = 1e-5;
    const Vector change = (force(e, q + h * d) - force(e, q - h * d)) / (2 * h);
    EXPECT_LE((K * d + change).norm(), 1e-6 * change.norm()) << material;
    const Matrix P = stiffness(e, q, Storage::lower, Definiteness::projected, projected);
    EXPECT_GE(Eigen::SelfAdjointEigenSolver<Matrix>(P).eigenvalues().minCoeff(), -1e-10 * P.norm());
  };
  for (const std::string material : {"neo_hookean", "corotated"}) check(body(material), material);
  for (const std::string material : {"neo_hookean", "stable_neo_hookean"})
    check(with_means(material), material + " with means");
}

/// Where all points change their volume alike, the mean does too: nothing is different.
TEST_P(Kinds, MeansOfAConstantStrainAreTheStrain) {
  Mat3 A;
  A << 1.1, .1, -.05, .02, .95, .08, -.1, .04, 1.05;
  const Vector q = affine(A);
  for (const std::string material : {"neo_hookean", "stable_neo_hookean", "fixed_corotated", "mooney_rivlin"}) {
    const ElasticForce means = with_means(material);
    const ElasticForce plain(mesh, 0, {make_material({material, 1e4, nearly, {}}, "m")},
                             std::vector<int>(mesh.count(), 0));
    EXPECT_NEAR(energy(means, q), energy(plain, q), 1e-9 * energy(plain, q)) << material;
    const Vector f = force(means, q), expected = force(plain, q);
    for (const int i : inner_nodes()) EXPECT_LE(f.segment<3>(3 * i).norm(), 1e-12 * f.norm()) << material << i;
    // The sum over a face is what the stress makes it; at single nodes means around them differ.
    EXPECT_NEAR(f.dot(q), expected.dot(q), 1e-9 * std::abs(expected.dot(q))) << material;
  }
}

/// No spurious zero-energy motions: at rest exactly the six rigid ones.
TEST_P(Kinds, SixRigidMotionsAtRest) {
  ElasticForce e = body("linear");
  Vector f = Vector::Zero(size);
  const Vector values =
      Eigen::SelfAdjointEigenSolver<Matrix>(stiffness(e, rest, Storage::lower, Definiteness::exact, f)).eigenvalues();
  EXPECT_LE(std::abs(values[5]), 1e-10 * values[size - 1]);
  EXPECT_GE(values[6], 1e-4 * values[size - 1]);
}

/// The patch test: under a constant gradient F nothing inside is pushed, and W = V ψ(F).
TEST_P(Kinds, ConstantStrainIsReproduced) {
  const AnyMaterial m = make_material({"neo_hookean", 1e4, .3, {}}, "m");
  const ElasticForce e = body("neo_hookean");
  Mat3 A;
  A << 1.1, .1, -.05, .02, .95, .08, -.1, .04, 1.05;
  const Vector q = affine(A), f = force(e, q);
  const auto inner = inner_nodes();
  ASSERT_FALSE(inner.empty());
  for (const int i : inner) EXPECT_LE(f.segment<3>(3 * i).norm(), 1e-13 * f.norm()) << i;
  const std::vector<double> one(mesh.count(), 1.0);
  double volume = 0;
  for (const NodalMass& entry : element_masses(mesh, 0, one, MassKind::lumped)) volume += entry.m;
  EXPECT_NEAR(energy(e, q), volume * limber::energy(m, A), 1e-10 * energy(e, q));
  EXPECT_NEAR(e.min_det_F(q), A.determinant(), 1e-12);
}

TEST_P(Kinds, StepsStopBeforeInversion) {
  const ElasticForce e = body("neo_hookean");
  const Vector flat = affine(Vec3(1, 1, -1).asDiagonal()) - rest;  // det F = 1 − 2s to first order in z
  Vector turn = Vector::Zero(size);
  for (Index i = 0; i < size; i += 3) turn[i + 2] = -2 * rest[i + 2];
  EXPECT_NEAR(e.max_step(rest, turn), .9 * .5, 1e-6);
  EXPECT_EQ(e.max_step(rest, .1 * flat), 1);
}

TEST_P(Kinds, MassesIntegrateTheirFields) {
  const std::vector<double> density(mesh.count(), 700.0);
  const Index n = static_cast<Index>(mesh.nodes.size());
  Matrix M = Matrix::Zero(n, n);
  double lumped = 0, least = 1;
  for (const NodalMass& e : element_masses(mesh, 0, density, MassKind::consistent)) M(e.a, e.b) = M(e.b, e.a) = e.m;
  for (const NodalMass& e : element_masses(mesh, 0, density, MassKind::lumped)) {
    EXPECT_EQ(e.a, e.b);
    lumped += e.m;
    least = std::min(least, e.m);
  }
  EXPECT_GT(least, 0);
  EXPECT_NEAR(M.sum(), lumped, 1e-10 * lumped);
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(M).eigenvalues().minCoeff(), 0);
  if (GetParam().distortion > 0) return;
  EXPECT_NEAR(M.sum(), 700 * 1 * .8 * 1.2, 1e-9);
  const Vector x = Eigen::Map<const Vector, 0, Eigen::InnerStride<3>>(rest.data(), n);
  EXPECT_NEAR(x.dot(M * x), 700 * .8 * 1.2 / 3, 1e-9) << "∫ρx²";
  if (GetParam().kind == ElementKind::tet10) {
    EXPECT_NEAR(x.cwiseAbs2().dot(M * x.cwiseAbs2()), 700 * .8 * 1.2 / 5, 1e-9) << "∫ρx⁴";
  }
}

TEST_P(Kinds, PiecesFillTheElements) {
  if (GetParam().distortion > 0) return;
  const TetMesh tets = subdivide(mesh);
  EXPECT_EQ(tets.tets.size(), mesh.count() * static_cast<std::size_t>(pieces(mesh.kind)));
  for (std::size_t t = 0; t < tets.tets.size(); ++t) EXPECT_GT(signed_volume(tets, t), 0);
  EXPECT_NEAR(volume(tets), 1 * .8 * 1.2, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(All, Kinds,
                         testing::Values(KindCase{"tet4", ElementKind::tet4, .1},
                                         KindCase{"tet10", ElementKind::tet10, 0},
                                         KindCase{"tet10_curved", ElementKind::tet10, .06},
                                         KindCase{"hex8", ElementKind::hex8, 0},
                                         KindCase{"hex8_distorted", ElementKind::hex8, .2}),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace limber
