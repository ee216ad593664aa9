#include "limber/force/rayleigh.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "force/differences.hpp"
#include "limber/force/elastic.hpp"
#include "limber/force/mass.hpp"
#include "limber/force/springs.hpp"

namespace limber {
namespace {

using namespace test;

// Nodes 0 and 5 belong to other bodies; the damped one has the nodes 1 to 4 and six springs for its elasticity.
const Vector body_rest{{9, 9, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, -9, 9, 9}};
const RayleighCoefficients coefficients{0.02, 0.7};
constexpr RayleighAt every_at[] = {RayleighAt::corotated, RayleighAt::rest, RayleighAt::current, RayleighAt::frozen};

std::unique_ptr<Force> springs(double damping = 0) {
  return std::make_unique<PointSprings>(
      network_springs({{1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}, body_rest, 80, damping), 6, EnergyKind::elastic,
      "springs");
}

struct Body {
  std::unique_ptr<Force> elastic = springs();
  std::vector<NodalMass> masses{{1, 1, 2}, {1, 3, 0.25}, {2, 2, 3}, {3, 3, 1}, {4, 4, 0.5}};

  Matrix stiffness(const Vector& q, Definiteness d = Definiteness::exact) {
    return tangent_at(*elastic, {q, Vector::Zero(q.size()), 0}, d).K;
  }
  Matrix mass() const {
    Matrix M = Matrix::Zero(18, 18);
    for (const auto& m : masses)
      for (int c = 0; c < 3; ++c) M(3 * m.a + c, 3 * m.b + c) = M(3 * m.b + c, 3 * m.a + c) = m.m;
    return M;
  }
  RayleighDamping damping(RayleighAt at, RayleighCoefficients c = coefficients) {
    return {springs(), masses, body_rest, c, at};
  }
};

State moved_body(unsigned seed) {
  return {body_rest + random_vector(18, 0.2, seed), random_vector(18, 2, seed + 5), 0};
}

TEST(Rayleigh, RestIsTheConstantMatrix) {
  Body body;
  auto damping = body.damping(RayleighAt::rest);
  const Matrix C = 0.02 * body.stiffness(body_rest) + 0.7 * body.mass();
  const State u = moved_body(1);
  EXPECT_LE((force_at(damping, u) + C * u.v).norm(), 1e-12);
  expect_near(tangent_at(damping, u).D, C, 1e-13, "D");
  EXPECT_EQ(tangent_at(damping, u).K.norm(), 0);
  expect_psd(tangent_at(damping, u).D);
  EXPECT_NEAR(damping.damping_power(u), u.v.dot(C * u.v), 1e-11);
  expect_force_from_potentials(damping, u);
  expect_damping(damping, u);
  EXPECT_TRUE(damping.traits().has_potential);
  EXPECT_TRUE(damping.traits().velocity_dependent);
  EXPECT_EQ(force_at(damping, u).head<3>().norm() + force_at(damping, u).tail<3>().norm(), 0);
}

TEST(Rayleigh, CurrentHasTheStiffnessOfTheState) {
  Body body;
  auto damping = body.damping(RayleighAt::current);
  for (const unsigned seed : {1u, 2u, 3u}) {
    State u = moved_body(seed);
    u.q *= 2;  // all springs pull: nothing is left out of K
    const Matrix C = 0.02 * body.stiffness(u.q) + 0.7 * body.mass();
    EXPECT_LE((force_at(damping, u) + C * u.v).norm(), 1e-12);
    expect_damping(damping, u);
    expect_stiffness(damping, u, 1e-7);
    const Matrix K = tangent_at(damping, u).K;
    EXPECT_GT(K.norm(), 0.1);
    EXPECT_LE((K - K.transpose()).norm(), 1e-12 * K.norm());
    EXPECT_NEAR(damping.damping_power(u), u.v.dot(C * u.v), 1e-11);
  }
  EXPECT_FALSE(damping.traits().has_potential);
  EXPECT_TRUE(damping.traits().symmetric);
  EXPECT_FALSE(damping.potentials(moved_body(1)).has_value());
}

TEST(Rayleigh, CurrentTangentDoesNotDependOnTheSpeedsScale) {
  Body body;
  auto damping = body.damping(RayleighAt::current);
  const State u = moved_body(2);
  const Matrix K = tangent_at(damping, u).K;
  for (const double scale : {1e-9, 1e-3, 1e4}) {
    const Matrix scaled = tangent_at(damping, {u.q, scale * u.v, 0}).K / scale;
    EXPECT_LE((scaled - K).norm(), 1e-8 * K.norm()) << scale;
  }
  State sliding = u;
  for (Index i = 0; i < 18; i += 3) sliding.v.segment<3>(i) = Vec3(3, 1, 4);
  EXPECT_EQ(tangent_at(damping, sliding).K.norm(), 0);
  EXPECT_EQ(tangent_at(damping, {u.q, Vector::Zero(18), 0}).K.norm(), 0);
}

TEST(Rayleigh, CurrentDampsWhereStiffnessIsNegative) {
  Body body;
  auto damping = body.damping(RayleighAt::current);
  State u = moved_body(3);
  u.q *= 0.5;
  const Eigen::SelfAdjointEigenSolver<Matrix> K(body.stiffness(u.q));
  EXPECT_LT(K.eigenvalues().minCoeff(), -5);
  u.v = K.eigenvectors().col(0);
  EXPECT_GE(damping.damping_power(u), 0);
  const Matrix C = 0.02 * body.stiffness(u.q, Definiteness::projected) + 0.7 * body.mass();
  EXPECT_LE((force_at(damping, u) + C * u.v).norm(), 1e-12);
  for (const auto definiteness : {Definiteness::exact, Definiteness::projected})
    expect_near(tangent_at(damping, u, definiteness).D, C, 1e-13, "D");
  expect_psd(C);
  expect_psd(tangent_at(damping, u, Definiteness::projected).K);
}

TEST(Rayleigh, FrozenKeepsTheStiffnessOfTheStepsStart) {
  Body body;
  auto damping = body.damping(RayleighAt::frozen);
  const State start = moved_body(1), u = moved_body(2);
  expect_near(tangent_at(damping, u).D, 0.02 * body.stiffness(body_rest) + 0.7 * body.mass(), 1e-13, "before any step");
  std::vector<int> free{-1, 0, 1, -1, 2, 3};
  expect_restricts(damping, u, free);

  // Bound once, as in a run: the step's start then changes the values on the bound pattern.
  std::vector<std::pair<int, int>> pairs{{0, 1}, {0, 2}, {1, 2}};
  const BlockPattern pattern(4, pairs, Storage::lower);
  damping.bind(pattern, free);
  damping.begin_step(start);
  const Matrix C = 0.02 * body.stiffness(start.q, Definiteness::projected) + 0.7 * body.mass();
  expect_psd(C);
  EXPECT_LE((force_at(damping, u) + C * u.v).norm(), 1e-12);
  expect_force_from_potentials(damping, u);
  SparseMatrix K = pattern.zero(), D = pattern.zero();
  TangentBuilder T(pattern, free, Definiteness::exact, K.valuePtr(), D.valuePtr());
  damping.add_tangent(u, T);
  const Matrix dense = Matrix(D).selfadjointView<Eigen::Lower>();
  const std::vector<Index> nodes{1, 2, 4};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) {
      const Matrix block = dense.block<3, 3>(3 * static_cast<Index>(a), 3 * static_cast<Index>(b));
      EXPECT_LE((block - C.block<3, 3>(3 * nodes[a], 3 * nodes[b])).norm(), 1e-13);
    }
  EXPECT_EQ(dense.block(9, 9, 3, 3).norm(), 0);
}

TEST(Rayleigh, DoesNotDependOnWhatWasAskedBefore) {
  Body body;
  for (const auto at : every_at) {
    auto damping = body.damping(at), asked_once = body.damping(at);
    State u = moved_body(2), other = moved_body(3);
    u.t = .1;
    other.t = .2;
    for (RayleighDamping* d : {&damping, &asked_once}) d->begin_step(moved_body(1));
    const Vector f = force_at(damping, u);
    EXPECT_NE(force_at(damping, other), f);
    tangent_at(damping, other);
    EXPECT_EQ(force_at(damping, u), f);
    EXPECT_EQ(force_at(asked_once, u), f);
  }
}

TEST(Rayleigh, PrescribedNodesAreLeftOutOfDButDampThoseThatAreFree) {
  Body body;
  for (const auto at : every_at) {
    auto damping = body.damping(at);
    expect_restricts(damping, moved_body(4), {0, 1, -1, 2, 3, -1});
    expect_restricts(damping, moved_body(4), {3, 2, 0, -1, 1, 4});
    // Only node 2 moves; its neighbours feel it.
    State u{body_rest, Vector::Zero(18), 0};
    u.v[6] = 1;
    EXPECT_GT(force_at(damping, u).segment<3>(3).norm(), 0.1);
  }
}

TEST(Rayleigh, WorksOnAPatternItWasNotBoundTo) {
  Body body;
  const std::vector<int> all{0, 1, 2, 3, 4, 5};
  for (const auto at : every_at) {
    auto damping = body.damping(at);
    const State u = moved_body(4);
    const DenseTangent reference = tangent_at(damping, u);
    std::vector<std::pair<int, int>> pairs;
    damping.add_couplings(pairs);
    const BlockPattern bound(6, pairs, Storage::lower), other(6, pairs, Storage::full);
    damping.bind(bound, all);
    SparseMatrix K = other.zero(), D = other.zero();
    TangentBuilder T(other, all, Definiteness::exact, K.valuePtr(), D.valuePtr());
    damping.add_tangent(u, T);
    expect_near(Matrix(D), reference.D, 1e-14, "D");
    expect_near(Matrix(K), reference.K, 1e-14, "K");
  }
}

TEST(Rayleigh, OfFiniteElements) {
  const TetMesh mesh = box_mesh(Vec3::Zero(), Vec3(1, 1, 2), {1, 1, 2}, Split::five);
  const auto nodes = static_cast<Index>(mesh.nodes.size());
  const auto elastic = [&] {
    return std::make_unique<ElasticForce>(mesh, 1, std::vector{make_material({"stable_neo_hookean", 50, 0.3, {}}, "m")},
                                          std::vector<int>(mesh.tets.size(), 0));
  };
  const auto masses =
      element_masses(linear_elements(mesh), 1, std::vector<double>(mesh.tets.size(), 10), MassKind::consistent);
  Vector shape = Vector::Zero(3 * nodes + 3);
  for (Index i = 0; i < nodes; ++i) shape.segment<3>(3 * i + 3) = mesh.nodes[static_cast<std::size_t>(i)];
  const State u{shape + random_vector(shape.size(), 0.1, 1), random_vector(shape.size(), 1, 2), 0};
  std::vector<int> free(static_cast<std::size_t>(nodes) + 1);
  for (std::size_t i = 0, k = 0; i < free.size(); ++i) free[i] = i % 4 == 1 ? -1 : static_cast<int>(k++);
  for (const auto at : every_at) {
    RayleighDamping damping(elastic(), masses, shape, {0.1, 0.5}, at);
    damping.begin_step({u.q, u.v, 0});
    expect_damping(damping, u);
    if (at != RayleighAt::current) expect_stiffness(damping, u, 1e-7);  // some elements' K is cut
    expect_restricts(damping, u, free, 1e-10);  // differences of K are symmetric only to rounding / step
    // A translation meets only the mass: β m v.
    State sliding = u;
    for (Index i = 0; i < shape.size(); i += 3) sliding.v.segment<3>(i) = Vec3(0, 0, 1);
    EXPECT_NEAR(force_at(damping, sliding).sum(), -0.5 * 10 * 2, 1e-10);
    RayleighDamping of_mass(elastic(), masses, shape, {0, 0.5}, at);
    EXPECT_NEAR(force_at(of_mass, sliding).sum(), -0.5 * 10 * 2, 1e-10);
    expect_damping(of_mass, u);
  }
}

TEST(Rayleigh, MassDampingAloneNeedsNoStiffness) {
  Body body;
  RayleighDamping damping(springs(), body.masses, body_rest, {0, 2}, RayleighAt::current);
  const State u = moved_body(1);
  EXPECT_LE((force_at(damping, u) + 2 * body.mass() * u.v).norm(), 1e-12);
  EXPECT_TRUE(damping.traits().has_potential);
  expect_force_from_potentials(damping, u);
  EXPECT_EQ(tangent_at(damping, u).K.norm(), 0);
}

TEST(Rayleigh, CoefficientsFromTwoRatios) {
  const auto c = rayleigh_from_ratios({1, 0.05}, {10, 0.1}, "damping");
  for (const auto& [f, zeta] : std::vector<std::pair<double, double>>{{1, 0.05}, {10, 0.1}}) {
    const double w = 2 * std::numbers::pi * f;
    EXPECT_NEAR(c.stiffness * w / 2 + c.mass / (2 * w), zeta, 1e-15);
  }
  const auto swapped = rayleigh_from_ratios({10, 0.1}, {1, 0.05}, "damping");
  EXPECT_NEAR(swapped.stiffness, c.stiffness, 1e-15);
  // Ratios as the frequencies: stiffness alone. Inversely: mass alone.
  EXPECT_NEAR(rayleigh_from_ratios({1, 0.01}, {3, 0.03}, "damping").mass, 0, 1e-14);
  EXPECT_NEAR(rayleigh_from_ratios({1, 0.03}, {3, 0.01}, "damping").stiffness, 0, 1e-15);
}

TEST(Rayleigh, BadInputIsNamed) {
  const auto ratios = [](DampingRatio a, DampingRatio b) {
    return message_of([&] { rayleigh_from_ratios(a, b, "bodies[0].damping"); });
  };
  EXPECT_NE(ratios({1, 0.1}, {1, 0.2}).find("must differ"), std::string::npos);
  EXPECT_NE(ratios({0, 0.1}, {1, 0.2}).find("bodies[0].damping.frequency: 0 Hz"), std::string::npos);
  EXPECT_NE(ratios({1, -0.1}, {2, 0.2}).find("bodies[0].damping.ratio"), std::string::npos);
  EXPECT_NE(ratios({1, 0.1}, {2, 0.5}).find("negative coefficient"), std::string::npos);
  EXPECT_NE(ratios({1, 0.5}, {2, 0.1}).find("negative coefficient"), std::string::npos);
  Body body;
  EXPECT_NE(message_of([&] {
              body.damping(RayleighAt::rest, {-1, 0});
            }).find("damping.stiffness: -1"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              RayleighDamping(springs(1), body.masses, body_rest, coefficients, RayleighAt::rest);
            }).find("no damping of its own"),
            std::string::npos);
}

}  // namespace
}  // namespace limber
