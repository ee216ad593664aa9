#include "limber/force/viscoelastic.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "force/differences.hpp"
#include "limber/core/errors.hpp"
#include "limber/force/elastic.hpp"
#include "limber/force/mass.hpp"
#include "limber/sim/simulation.hpp"

namespace limber::test {
namespace {

const Viscosity two_branches = {{.3, .05}, {.2, .4}};

/// G(t)/G∞ of a sudden strain.
double relaxation(const Viscosity& branches, double t) {
  double rest = 1, sum = 0;
  for (const auto& b : branches) rest -= b.share, sum += b.share * std::exp(-t / b.time);
  return 1 + sum / rest;
}

struct ViscousCase {
  std::string material;
  ElementKind kind = ElementKind::tet4;
};

ElementMesh viscous_mesh(ElementKind kind) {
  const Vec3 size(1, .8, 1.2);
  const std::array<int, 3> cells{1, 1, 1};
  ElementMesh mesh = kind == ElementKind::hex8    ? box_hexahedra(Vec3::Zero(), size, cells)
                     : kind == ElementKind::tet10 ? quadratic_elements(box_mesh(Vec3::Zero(), size, cells, Split::five))
                                                  : linear_elements(box_mesh(Vec3::Zero(), size, cells, Split::five));
  const Vector shake = random_vector(3 * static_cast<Index>(mesh.nodes.size()), .04, 3);
  if (kind != ElementKind::tet10)
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i) mesh.nodes[i] += shake.segment<3>(3 * static_cast<Index>(i));
  return mesh;
}

Vector positions_of(const ElementMesh& mesh) {
  Vector q(3 * static_cast<Index>(mesh.nodes.size()));
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) q.segment<3>(3 * static_cast<Index>(i)) = mesh.nodes[i];
  return q;
}

std::shared_ptr<ViscoelasticForce> viscous_body(const ElementMesh& mesh, const std::string& material,
                                                const Viscosity& viscosity, double young = 2) {
  return std::make_shared<ViscoelasticForce>(mesh, 0,
                                             std::vector<AnyMaterial>{make_material({material, young, .3, {}}, "m")},
                                             std::vector<Viscosity>{viscosity}, std::vector<int>(mesh.count(), 0));
}

class Viscous : public testing::TestWithParam<ViscousCase> {
 protected:
  ElementMesh mesh = viscous_mesh(GetParam().kind);
  Vector rest = positions_of(mesh);
  std::shared_ptr<ViscoelasticForce> force = viscous_body(mesh, GetParam().material, two_branches);
  ElasticForce elastic{mesh, 0, std::vector<AnyMaterial>{make_material({GetParam().material, 2, .3, {}}, "m")},
                       std::vector<int>(mesh.count(), 0)};

  State moved(double size, unsigned seed, double t) const {
    return {rest + random_vector(rest.size(), size, seed), Vector::Zero(rest.size()), t};
  }
  /// With a past of two steps.
  void begin() const {
    force->begin_step(moved(.05, 1, 0));
    force->begin_step(moved(.06, 2, .02));
  }
};

TEST_P(Viscous, ForceAndTangentAreDerivativesOfThePotential) {
  begin();
  for (const double t : {.02, .05, .6}) {
    const State u = moved(.05, 7, t);
    expect_force_from_potentials(*force, u, 1e-7);
    expect_stiffness(*force, u, 1e-7);
    if (GetParam().material != "linear") expect_balanced(*force, u);  // which turns into torques
    std::vector<int> free(mesh.nodes.size());
    std::iota(free.begin(), free.end(), -2);
    free[1] = -1;
    expect_restricts(*force, u, free);
    expect_psd(tangent_at(*force, u, Definiteness::projected).K);
  }
}

TEST_P(Viscous, LinearizeIsForceAndTangent) {
  begin();
  const State u = moved(.05, 7, .05);
  std::vector<int> all(mesh.nodes.size());
  std::iota(all.begin(), all.end(), 0);
  Couplings pairs;
  force->add_couplings(pairs);
  const BlockPattern pattern(static_cast<int>(all.size()), pairs, Storage::full);
  force->bind(pattern, all);
  SparseMatrix K = pattern.zero();
  TangentBuilder T(pattern, all, Definiteness::exact, K.valuePtr(), nullptr);
  Vector f = Vector::Zero(rest.size());
  force->linearize(u, f, T);
  expect_near(f, force_at(*force, u), 1e-13, "force");
  expect_near(Matrix(K), tangent_at(*force, u).K, 1e-13, "tangent");
}

TEST_P(Viscous, IsElasticBeforeTheFirstStepAndAfterALongTime) {
  const State u = moved(.05, 7, 3);
  expect_near(force_at(*force, u), force_at(elastic, u), 1e-13, "before");
  EXPECT_NEAR(force->stored_energy(u), elastic.potentials(u)->stored, 1e-13);
  EXPECT_EQ(force->damping_power(u), 0);
  begin();
  State later = u;
  later.t = 1e6;  // the stress goes straight for as long: what is left is γ τ of its rate
  expect_near(force_at(*force, later), force_at(elastic, u), 1e-6, "after");
}

/// A sudden strain that is held: S(t) = G(t)/G∞ S(E), whatever the strain and the steps on the way.
TEST_P(Viscous, AHeldStrainRelaxesByThePronySeries) {
  const Vector q = moved(.06, 4, 0).q;
  const State start{rest, Vector::Zero(rest.size()), 1};
  for (const std::vector<double>& steps : {std::vector<double>{}, {.01}, {.003, .02, .1}, {.001, .002, .003, .5, .6}}) {
    force->restore({});
    force->begin_step(start);
    force->begin_step({q, start.v, 1});  // at once
    for (const double t : steps) force->begin_step({q, start.v, 1 + t});
    const double last = steps.empty() ? 0 : steps.back();
    for (const double t : {last, last + .03}) {
      const State u{q, start.v, 1 + t};
      expect_near(force_at(*force, u), relaxation(two_branches, t) * force_at(elastic, u), 1e-12, "held");
    }
  }
}

/// What the nodes put in is stored or lost, at large strains too.
TEST_P(Viscous, StoredEnergyLossAndWorkBalance) {
  const Vector a = random_vector(rest.size(), .12, 5), b = random_vector(rest.size(), .12, 6);
  const auto at = [&](double t) {
    return State{rest + std::sin(3 * t) * a + std::pow(std::sin(4 * t), 2) * b, Vector::Zero(rest.size()), t};
  };
  const auto defect = [&](int steps) {
    force->restore({});
    const double h = .8 / steps;
    State u = at(0);
    force->begin_step(u);
    const double start = force->stored_energy(u);
    double work = 0, lost = 0, power = 0;
    for (int i = 1; i <= steps; ++i) {
      const State next = at(i * h);
      const Vector before = force_at(*force, u);
      work -= .5 * (before + force_at(*force, next)).dot(next.q - u.q);
      const double now = force->damping_power(next);
      lost += .5 * h * (power + now);
      power = now;
      force->begin_step(u = next);
    }
    EXPECT_GT(lost, .05 * std::abs(work));
    return (force->stored_energy(u) - start + lost - work) / lost;
  };
  const double coarse = defect(100), fine = defect(400);
  EXPECT_LT(std::abs(fine), 1e-3);
  EXPECT_NEAR(std::log(std::abs(coarse / fine)) / std::log(4), 2, .25);
}

TEST_P(Viscous, RemembersAndForgets) {
  begin();
  const State u = moved(.05, 7, .05);
  const Vector f = force_at(*force, u);
  const auto memory = force->memory();
  force->begin_step(moved(.06, 2, .02));  // the same step, tried again
  EXPECT_EQ(force->memory(), memory);
  EXPECT_EQ(force_at(*force, u), f);
  force->begin_step(u);
  EXPECT_NE(force->memory(), memory);
  force->restore(memory);
  EXPECT_EQ(force_at(*force, u), f);
  const auto other = viscous_body(mesh, GetParam().material, two_branches);
  other->restore(memory);
  EXPECT_EQ(force_at(*other, u), f);
  EXPECT_EQ(other->stored_energy(u), force->stored_energy(u));
  EXPECT_EQ(other->damping_power(u), force->damping_power(u));
  force->restore({});
  expect_near(force_at(*force, u), force_at(elastic, u), 1e-13, "as it was made");
  EXPECT_NE(message_of([&] { force->restore({1, 2}); }).find("2 numbers do not fit"), std::string::npos);
}

/// As the elastic material: some stand inversion, and steps of the others end before.
TEST_P(Viscous, StandsInversionIfItsMaterialDoes) {
  begin();
  Vector flipped = rest;
  for (Index i = 0; i < rest.size(); i += 3) flipped[i] = -.5 * rest[i];
  const State inverted{flipped + random_vector(rest.size(), .03, 9), Vector::Zero(rest.size()), .03};
  const Vector way = inverted.q - rest;
  EXPECT_EQ(force->max_step(rest, way), elastic.max_step(rest, way));
  if (needs_positive_det(make_material({GetParam().material, 2, .3, {}}, "m"))) {
    EXPECT_EQ(force->potentials(inverted)->stored, std::numeric_limits<double>::infinity());
    EXPECT_EQ(force->stored_energy(inverted), std::numeric_limits<double>::infinity());
    return;
  }
  force->begin_step(inverted);
  State later = inverted;
  later.t = .06;
  EXPECT_TRUE(std::isfinite(force->stored_energy(later)));
  EXPECT_TRUE(std::isfinite(force->damping_power(later)));
  expect_force_from_potentials(*force, later, 1e-6);
  expect_stiffness(*force, later, 1e-6);
}

std::vector<ViscousCase> viscous_cases() {
  std::vector<ViscousCase> all;
  for (const MaterialInfo& info : material_catalog()) all.push_back({info.name});
  for (const char* name : {"linear", "neo_hookean"})
    for (const ElementKind kind : {ElementKind::tet10, ElementKind::hex8}) all.push_back({name, kind});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Catalog, Viscous, testing::ValuesIn(viscous_cases()), [](const auto& info) {
  const ElementKind kind = info.param.kind;
  return info.param.material + (kind == ElementKind::tet4   ? ""
                                : kind == ElementKind::hex8 ? "_hexahedra"
                                                            : "_quadratic");
});

/// Two materials in one body, of which one is elastic: as each alone.
TEST(ViscousRegions, EachHasItsOwn) {
  const ElementMesh mesh = linear_elements(box_mesh(Vec3::Zero(), Vec3(1, 1, 1), {2, 2, 1}, Split::five));
  const Vector rest = positions_of(mesh), still = Vector::Zero(rest.size());
  const AnyMaterial soft = make_material({"neo_hookean", 2, .3, {}}, "m"),
                    hard = make_material({"neo_hookean", 5, .2, {}}, "m");
  std::vector<int> of(mesh.count());
  for (std::size_t e = 0; e < of.size(); ++e) of[e] = e % 3 == 0 ? 1 : 0;
  ViscoelasticForce body(mesh, 0, {soft, hard}, {two_branches, {}}, of);
  body.begin_step({rest, still, 0});
  const State u{rest + random_vector(rest.size(), .05, 4), still, .07};
  body.begin_step({u.q, still, 0});
  const auto part = [&](int which) {
    ElementMesh some = mesh;
    some.corners.clear();
    const std::size_t n = 4;
    for (std::size_t e = 0; e < of.size(); ++e)
      if (of[e] == which)
        some.corners.insert(some.corners.end(), mesh.corners.begin() + static_cast<std::ptrdiff_t>(n * e),
                            mesh.corners.begin() + static_cast<std::ptrdiff_t>(n * (e + 1)));
    return force_at(ElasticForce(some, 0, {which == 0 ? soft : hard}, std::vector<int>(some.count(), 0)), u);
  };
  expect_near(force_at(body, u), relaxation(two_branches, .07) * part(0) + part(1), 1e-13, "both");
}

/// The elements of the elastic force of the same body, unless that has part of its energy on edges.
TEST(ViscousElements, AreSharedWithThoseOfTheElasticForce) {
  const ElementMesh mesh = viscous_mesh(ElementKind::tet4);
  const Vector rest = positions_of(mesh), still = Vector::Zero(rest.size());
  const std::vector<int> of(mesh.count(), 0);
  for (const double bulk : {0., .5}) {
    const std::vector<AnyMaterial> materials{softened(make_material({"neo_hookean", 2, .4, {}}, "m"), bulk)};
    const MeanParts means{{bulk}, {0}};
    const ElasticForce elastic(mesh, 0, materials, of, means);
    const ViscoelasticForce beside(elastic, mesh, 0, materials, {two_branches}, of, means);
    EXPECT_EQ(beside.shares_elements_with(elastic), bulk == 0);
    const ViscoelasticForce alone(mesh, 0, materials, {two_branches}, of, means);
    const State u{rest + random_vector(rest.size(), .05, 4), still, .07};
    EXPECT_EQ(force_at(beside, u), force_at(alone, u));
    EXPECT_FALSE(beside.shares_elements_with(alone));
  }
}

/// A body that hardly changes its volume and is sheared far, to and fro: what it stores and what it loses.
TEST(ViscousShear, StoresAndLosesNothingNegative) {
  for (const std::string material : {"stable_neo_hookean", "neo_hookean", "mooney_rivlin"}) {
    const ElementMesh mesh = viscous_mesh(ElementKind::hex8);
    const Vector rest = positions_of(mesh), still = Vector::Zero(rest.size());
    ViscoelasticForce force(mesh, 0, {make_material({material, 2, .499, {}}, "m")}, {two_branches},
                            std::vector<int>(mesh.count(), 0));
    double most = 0, least = 0, least_power = 0;
    for (int i = 0; i <= 400; ++i) {
      const double t = .005 * i;
      Mat3 A = Mat3::Identity(), B = A;
      A(0, 1) = .9 * std::sin(5 * t);
      B(1, 2) = .9 * std::sin(7 * t);
      State u{rest, still, t};
      for (Index k = 0; k < rest.size(); k += 3) u.q.segment<3>(k) = A * B * rest.segment<3>(k);
      const double stored = force.stored_energy(u);
      most = std::max(most, stored);
      least = std::min(least, stored);
      least_power = std::min(least_power, force.damping_power(u));
      force.begin_step(u);
    }
    EXPECT_GE(least, -1e-9 * most) << material;
    EXPECT_GE(least_power, -1e-9 * most) << material;
  }
}

/// Storage and loss modulus of a small oscillation: G* = G∞ (1 + Σ γ iωτ/(1 + iωτ)).
TEST(ViscousOscillation, HasTheComplexModulusOfItsSeries) {
  const ElementMesh mesh = viscous_mesh(ElementKind::tet4);
  const Vector rest = positions_of(mesh), still = Vector::Zero(rest.size()), shape = random_vector(rest.size(), 1, 8);
  const auto force = viscous_body(mesh, "linear", two_branches);
  const double stiff = -shape.dot(force_at(*force, {rest + shape, still, 0}));
  for (const double omega : {.5, 5.0, 20.0, 200.0}) {
    force->restore({});
    const int a_turn = 400, turns = 2 + static_cast<int>(omega);  // until what began is over
    const double h = 2 * std::numbers::pi / (omega * a_turn);
    std::complex<double> modulus = 0;
    for (int i = 0; i <= a_turn * turns; ++i) {
      const State u{rest + std::sin(omega * i * h) * shape, still, i * h};
      if (i > a_turn * (turns - 1))
        modulus -= 2.0 / a_turn * shape.dot(force_at(*force, u)) *
                   std::complex<double>(std::sin(omega * u.t), std::cos(omega * u.t));
      force->begin_step(u);
    }
    std::complex<double> expected = 1;
    for (const auto& b : two_branches) {
      const std::complex<double> x(0, omega * b.time);
      expected += b.share * relaxation(two_branches, 0) * x / (1.0 + x);
    }
    EXPECT_LT(std::abs(modulus / stiff - expected), 1e-3 * std::abs(expected)) << "ω = " << omega;
  }
}

/// A box on a fixed floor, of a linear material: each mode x of long times is a standard linear solid,
/// ẍ = −λ (x + γ (x − y)), τ ẏ = x − y.
class ViscousVibration : public testing::TestWithParam<std::string> {
 protected:
  const Viscosity one{{.4, .3}};
  ElementMesh mesh = viscous_mesh(ElementKind::tet4);
  Vector rest = positions_of(mesh), mode;
  std::vector<int> pinned{0, 1, 4, 5};
  double lambda = 0;
  static constexpr double amplitude = .01;

  ViscousVibration() {
    std::vector<int> free(mesh.nodes.size(), -1);
    int count = 0;
    for (std::size_t i = 0; i < free.size(); ++i)
      if (std::find(pinned.begin(), pinned.end(), static_cast<int>(i)) == pinned.end()) free[i] = count++;
    Vector mass = Vector::Zero(3 * count);
    for (const NodalMass& m : masses())
      if (const int f = free[static_cast<std::size_t>(m.a)]; f >= 0) mass.segment<3>(3 * f).array() += m.m;
    const Matrix K =
        tangent_on(*body("linear"), {rest, Vector::Zero(rest.size()), 0}, Definiteness::exact, Storage::full, free).K;
    const Eigen::SelfAdjointEigenSolver<Matrix> modes(
        Matrix(mass.cwiseSqrt().cwiseInverse().asDiagonal() * K * mass.cwiseSqrt().cwiseInverse().asDiagonal()));
    lambda = modes.eigenvalues()[0];
    const Vector x = mass.cwiseSqrt().cwiseInverse().cwiseProduct(modes.eigenvectors().col(0));
    mode = Vector::Zero(rest.size());
    for (std::size_t i = 0; i < free.size(); ++i)
      if (free[i] >= 0) mode.segment<3>(3 * static_cast<Index>(i)) = x.segment<3>(3 * free[i]);
  }
  std::shared_ptr<ViscoelasticForce> body(const std::string& material) const {
    return viscous_body(mesh, material, one, 40);
  }
  std::vector<NodalMass> masses() const {
    return element_masses(mesh, 0, std::vector<double>(mesh.count(), 1.0), MassKind::lumped);
  }
  Simulation simulation(const std::string& material, double h, double size = amplitude) const {
    auto system = std::make_shared<MechanicalSystem>(
        MechanicalSystem::Parts{rest, masses(), {body(material)}, {{pinned, Motion{}}}, 1});
    const State start = system->state(rest + size * mode, Vector::Zero(rest.size()), 0);
    MethodSettings method{.name = GetParam()};
    method.options.stages.newton.tolerance = 1e-12;
    return Simulation(system, method, h, start);
  }
  /// (x, ẋ) at a time.
  Eigen::Vector2d exact(double t) const {
    const double gamma = .4 / .6, tau = .3;
    Eigen::Matrix3d A;
    A << 0, 1, 0, -lambda * (1 + gamma), 0, lambda * gamma, 1 / tau, 0, -1 / tau;
    const Eigen::EigenSolver<Matrix> roots{Matrix(A)};
    const Eigen::Matrix3cd X = roots.eigenvectors();
    const Eigen::Vector3cd c = X.inverse() * Eigen::Vector3cd(amplitude, 0, amplitude);
    const Eigen::Vector3cd moved = X * (roots.eigenvalues().array() * t).exp().matrix().cwiseProduct(c);
    return moved.real().head<2>();
  }
};

TEST_P(ViscousVibration, FollowsTheClosedFormWithOrderTwo) {
  const double period = 2 * std::numbers::pi / std::sqrt(lambda), end = 2 * period;
  const Eigen::Vector2d x = exact(end);
  EXPECT_LT(std::hypot(x[0], x[1] / std::sqrt(lambda)), .6 * amplitude) << "it damps visibly";
  const auto error = [&](int steps) {
    Simulation s = simulation("linear", end / steps);
    s.run_until(end);
    const State u = s.system().full(s.state());
    return ((u.q - rest - x[0] * mode).norm() + (u.v - x[1] * mode).norm() / std::sqrt(lambda)) /
           (amplitude * mode.norm());
  };
  const double coarse = error(160), fine = error(320);
  EXPECT_LT(fine, 6e-3);
  EXPECT_NEAR(std::log2(coarse / fine), 2, .15);
}

TEST_P(ViscousVibration, LosesWhatItNotes) {
  const double period = 2 * std::numbers::pi / std::sqrt(lambda);
  const auto defect = [&](const std::string& material, double size, int steps) {
    Simulation s = simulation(material, period / steps, size);
    const double before = s.energies().total();
    s.run_until(2 * period);
    EXPECT_GT(s.damping_loss(), .3 * before);
    EXPECT_LT(s.account().rise(), 1e-3 * before);
    return std::abs(s.energies().total() + s.damping_loss() - before) / before;
  };
  EXPECT_LT(defect("linear", amplitude, 400), 2e-3);
  EXPECT_LT(defect("neo_hookean", .15, 400), 2e-3);
}

TEST_P(ViscousVibration, RestoresItsBits) {
  Simulation whole = simulation("neo_hookean", .02, .15), resumed = simulation("neo_hookean", .02, .15);
  for (int i = 0; i < 7; ++i) whole.step();
  resumed.restore(whole.snapshot());
  EXPECT_EQ(whole.energies().elastic, resumed.energies().elastic);
  for (int i = 0; i < 5; ++i) whole.step(), resumed.step();
  EXPECT_EQ(whole.state().q, resumed.state().q);
  EXPECT_EQ(whole.state().v, resumed.state().v);
  EXPECT_EQ(whole.damping_loss(), resumed.damping_loss());
  EXPECT_EQ(whole.energies().total(), resumed.energies().total());
}

INSTANTIATE_TEST_SUITE_P(Methods, ViscousVibration,
                         testing::Values("TR-BDF2", "SDIRK", "BDF2", "midpoint", "STR-SBDF2", "gen-alpha", "ERE",
                                         "TR-BDF2ERE", "verlet", "RK4"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace limber::test
