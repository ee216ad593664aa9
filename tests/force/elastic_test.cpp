#include "limber/force/elastic.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "limber/core/parallel.hpp"

namespace limber {
namespace {

/// A block of material in a random rest shape, with two nodes before it in the state and some nodes prescribed.
class Elastic : public testing::TestWithParam<std::string> {
 protected:
  static constexpr int first_node = 2;
  std::mt19937 generator{11};
  TetMesh mesh = box_mesh(Vec3(0, 0, 0), Vec3(1, 1, 1.5), {2, 2, 3}, Split::five);
  int nodes = first_node + static_cast<int>(mesh.nodes.size());
  std::vector<int> free_index;
  int free_nodes = 0;
  Vector rest;

  Elastic() {
    for (Vec3& x : mesh.nodes)
      for (double& c : x) c += uniform(0.06);
    for (int i = 0; i < nodes; ++i) free_index.push_back(i % 5 == 0 ? -1 : free_nodes++);
    rest = random_vector(1);
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
      rest.segment<3>(3 * (first_node + static_cast<Index>(i))) = mesh.nodes[i];
  }
  double uniform(double size) { return std::uniform_real_distribution<double>(-size, size)(generator); }
  Vector random_vector(double size) {
    return Vector::NullaryExpr(3 * nodes, [&](Index) { return uniform(size); });
  }
  static AnyMaterial material(const std::string& name) { return make_material({name, 1e4, 0.3, {}}, "m"); }
  ElasticForce body(const std::vector<std::string>& names) const {
    std::vector<AnyMaterial> materials;
    for (const auto& name : names) materials.push_back(material(name));
    std::vector<int> of_tet;
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) of_tet.push_back(static_cast<int>(t % names.size()));
    return ElasticForce(mesh, first_node, materials, of_tet);
  }
  State deformed(double size) {
    State u{rest, Vector::Zero(3 * nodes)};
    u.q += random_vector(size);
    return u;
  }
  double energy(const ElasticForce& e, const Vector& q) { return e.potentials({q, Vector()})->stored; }
  Vector force(const ElasticForce& e, const Vector& q) {
    Vector f = Vector::Zero(3 * nodes);
    e.add_force({q, Vector()}, f);
    return f;
  }
  BlockPattern pattern(const ElasticForce& e, Storage storage) const {
    std::vector<std::pair<int, int>> pairs, free;
    e.add_couplings(pairs);
    for (const auto& [a, b] : pairs) {
      const int fa = free_index[static_cast<std::size_t>(a)], fb = free_index[static_cast<std::size_t>(b)];
      if (fa >= 0 && fb >= 0) free.emplace_back(fa, fb);
    }
    return BlockPattern(free_nodes, free, storage);
  }
  /// K as a dense matrix of the free degrees of freedom; `f` also receives the force, from the fused pass.
  Matrix stiffness(ElasticForce& e, const State& u, Storage storage, Definiteness d, Vector* f = nullptr) {
    const BlockPattern p = pattern(e, storage);
    e.bind(p, free_index);
    SparseMatrix K = p.zero();
    TangentBuilder T(p, free_index, d, K.valuePtr(), nullptr);
    if (f)
      e.linearize(u, *f, T);
    else
      e.add_tangent(u, T);
    const Matrix A = K;
    if (storage == Storage::full) return A;
    return A.selfadjointView<Eigen::Lower>();
  }
  Vector free_part(const Vector& x) const {
    Vector y(3 * free_nodes);
    for (int i = 0; i < nodes; ++i)
      if (const int k = free_index[static_cast<std::size_t>(i)]; k >= 0) y.segment<3>(3 * k) = x.segment<3>(3 * i);
    return y;
  }
  Vector all_nodes(const Vector& x) const {
    Vector y = Vector::Zero(3 * nodes);
    for (int i = 0; i < nodes; ++i)
      if (const int k = free_index[static_cast<std::size_t>(i)]; k >= 0) y.segment<3>(3 * i) = x.segment<3>(3 * k);
    return y;
  }
};

TEST_P(Elastic, EnergyIsTheSumOverElements) {
  const ElasticForce e = body({GetParam()});
  const State u = deformed(0.03);
  double expected = 0;
  for (const auto& t : mesh.tets) {
    Mat3 X, x;
    for (int a = 0; a < 3; ++a) {
      const auto i = t[static_cast<std::size_t>(a) + 1];
      X.col(a) = mesh.nodes[static_cast<std::size_t>(i)] - mesh.nodes[static_cast<std::size_t>(t[0])];
      x.col(a) = u.q.segment<3>(3 * (first_node + i)) - u.q.segment<3>(3 * (first_node + t[0]));
    }
    expected += X.determinant() / 6 * limber::energy(material(GetParam()), x * X.inverse());
  }
  EXPECT_GT(expected, 0);
  EXPECT_NEAR(energy(e, u.q), expected, 1e-12 * expected);
  EXPECT_NEAR(energy(e, rest), 0, 1e-10 * expected);
}

/// Each tetrahedron has parameters of its own, and every third another model: the same as bodies of one tetrahedron
/// each.
TEST_P(Elastic, EveryElementMayHaveItsOwnMaterial) {
  std::vector<AnyMaterial> materials;
  std::vector<int> of_tet;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const double young = 1e4 * (1 + 0.3 * static_cast<double>(t)), poisson = 0.1 + 0.005 * static_cast<double>(t);
    materials.push_back(make_material({t % 3 == 1 ? "linear" : GetParam(), young, poisson, {}}, "m"));
    of_tet.push_back(static_cast<int>(t));
  }
  ElasticForce all(mesh, first_node, materials, of_tet);
  const State u = deformed(0.02);
  double W = 0;
  Vector f = Vector::Zero(3 * nodes);
  Matrix K = Matrix::Zero(3 * free_nodes, 3 * free_nodes);
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    TetMesh one = mesh;
    one.tets = {mesh.tets[t]};
    ElasticForce single(one, first_node, {materials[t]}, {0});
    W += energy(single, u.q);
    f += force(single, u.q);
    K += stiffness(single, u, Storage::full, Definiteness::projected);
  }
  EXPECT_NEAR(energy(all, u.q), W, 1e-12 * W);
  EXPECT_LT((force(all, u.q) - f).norm(), 1e-12 * f.norm());
  EXPECT_LT((stiffness(all, u, Storage::full, Definiteness::projected) - K).norm(), 1e-10 * K.norm());
}

TEST_P(Elastic, ForceIsMinusTheDerivativeOfEnergy) {
  const ElasticForce e = body({GetParam()});
  const State u = deformed(0.03);
  const Vector f = force(e, u.q);
  const double h = 1e-5;
  for (int trial = 0; trial < 20; ++trial) {
    const Vector d = random_vector(1);
    const double slope = (8 * (energy(e, u.q + h * d) - energy(e, u.q - h * d)) -
                          (energy(e, u.q + 2 * h * d) - energy(e, u.q - 2 * h * d))) /
                         (12 * h);
    EXPECT_NEAR(-slope, f.dot(d), 1e-8 * f.norm() * d.norm());
  }
}

TEST_P(Elastic, StiffnessIsMinusTheDerivativeOfForce) {
  ElasticForce e = body({GetParam()});
  const State u = deformed(0.03);
  const double h = 1e-5;
  for (const Storage storage : {Storage::lower, Storage::full}) {
    const Matrix K = stiffness(e, u, storage, Definiteness::exact);
    for (int trial = 0; trial < 10; ++trial) {
      const Vector d = Vector::NullaryExpr(3 * free_nodes, [&](Index) { return uniform(1); }), D = all_nodes(d);
      const Vector df = (8 * (force(e, u.q + h * D) - force(e, u.q - h * D)) -
                         (force(e, u.q + 2 * h * D) - force(e, u.q - 2 * h * D))) /
                        (12 * h);
      EXPECT_LT((K * d + free_part(df)).norm(), 1e-7 * K.norm() * d.norm());
    }
  }
}

TEST_P(Elastic, StoragesAgreeAndFusedEqualsSeparate) {
  ElasticForce e = body({GetParam()});
  const State u = deformed(0.1 * (needs_positive_det(material(GetParam())) ? 0.3 : 1));
  for (const Definiteness d : {Definiteness::exact, Definiteness::projected}) {
    Vector fused = Vector::Zero(3 * nodes);
    const Matrix lower = stiffness(e, u, Storage::lower, d), full = stiffness(e, u, Storage::full, d);
    const Matrix with_force = stiffness(e, u, Storage::lower, d, &fused);
    EXPECT_LT((lower - full).norm(), 1e-13 * full.norm());
    EXPECT_LT((full - full.transpose()).norm(), 1e-13 * full.norm());
    EXPECT_EQ(lower, with_force);
    EXPECT_LT((fused - force(e, u.q)).norm(), 1e-11 * fused.norm());
    EXPECT_EQ(fused.head(3 * first_node).norm(), 0);
  }
}

TEST_P(Elastic, ProjectedStiffnessIsPositive) {
  ElasticForce e = body({GetParam()});
  const bool positive_only = needs_positive_det(material(GetParam()));
  State u = deformed(0.05);
  for (int i = first_node; i < nodes; ++i) u.q[3 * i] *= 0.6;
  if (!positive_only) u.q += random_vector(0.25);
  ASSERT_EQ(e.min_det_F(u.q) > 0, positive_only);
  const auto least = [&](Definiteness d) {
    const Vector eigenvalues = Eigen::SelfAdjointEigenSolver<Matrix>(stiffness(e, u, Storage::lower, d)).eigenvalues();
    return eigenvalues.minCoeff() / eigenvalues.maxCoeff();
  };
  EXPECT_GT(least(Definiteness::projected), -1e-12);
  if (GetParam() != "linear" && !positive_only) {
    EXPECT_LT(least(Definiteness::exact), -1e-4);
  }
}

TEST_P(Elastic, FreeBodyHasNoTotalForceOrTorque) {
  const ElasticForce e = body({GetParam()});
  const Vector q = deformed(0.03).q, f = force(e, q);
  Vec3 total = Vec3::Zero(), torque = Vec3::Zero();
  for (int i = 0; i < nodes; ++i) {
    total += f.segment<3>(3 * i);
    torque += Vec3(q.segment<3>(3 * i)).cross(Vec3(f.segment<3>(3 * i)));
  }
  EXPECT_LT(total.norm(), 1e-13 * f.norm());
  if (GetParam() != "linear") {
    EXPECT_LT(torque.norm(), 1e-12 * f.norm());
  }
}

TEST_P(Elastic, MaxStepStopsBeforeInversion) {
  const ElasticForce e = body({GetParam()});
  for (int trial = 0; trial < 40; ++trial) {
    const State u = deformed(0.02);
    ASSERT_GT(e.min_det_F(u.q), 0);
    const Vector dq = random_vector(trial < 20 ? 1 : 0.1);
    const double s = e.max_step(u.q, dq);
    if (!needs_positive_det(material(GetParam()))) {
      EXPECT_EQ(s, 1);
      continue;
    }
    ASSERT_GT(s, 0);
    double reached = 1;  // the first of many small steps at which an element is inverted
    for (int k = 1; k <= 4000 && reached == 1; ++k)
      if (e.min_det_F(u.q + k / 4000.0 * dq) <= 0) reached = k / 4000.0;
    EXPECT_LT(s, reached + 1e-9);
    EXPECT_TRUE(std::isfinite(energy(e, u.q + s * dq)));
    EXPECT_GT(s, 0.9 * (reached - 1.01 / 4000));
    if (s == 1) {
      EXPECT_GT(e.min_det_F(u.q + dq), 0);
    }
  }
}

TEST_P(Elastic, OutsideTheDomainTheEnergyIsInfinite) {
  const ElasticForce e = body({GetParam()});
  Vector q = rest;
  for (int i = 0; i < nodes; ++i) q[3 * i + 1] *= -1;
  EXPECT_LT(e.min_det_F(q), 0);
  EXPECT_EQ(std::isinf(energy(e, q)), needs_positive_det(material(GetParam())));
  EXPECT_NEAR(e.min_det_F(rest), 1, 1e-12);
  q[3 * first_node] = std::nan("");
  EXPECT_EQ(energy(e, q), INFINITY);
}

TEST_P(Elastic, ThreadsDoNotChangeBits) {
  mesh = box_mesh(Vec3(0, 0, 0), Vec3(4, 1, 1), {16, 5, 5}, Split::six);
  nodes = first_node + static_cast<int>(mesh.nodes.size());
  free_index.resize(static_cast<std::size_t>(nodes));
  free_nodes = nodes;
  for (int i = 0; i < nodes; ++i) free_index[static_cast<std::size_t>(i)] = nodes - 1 - i;
  ElasticForce e = body({GetParam(), "stable_neo_hookean"});
  Vector q = random_vector(0.02), x = random_vector(1);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    q.segment<3>(3 * (first_node + static_cast<Index>(i))) += mesh.nodes[i];
  const BlockPattern p = pattern(e, Storage::lower);
  e.bind(p, free_index);
  const auto run = [&](int threads) {
    set_threads(threads);
    SparseMatrix K = p.zero();
    Vector f = Vector::Zero(3 * nodes);
    TangentBuilder T(p, free_index, Definiteness::exact, K.valuePtr(), nullptr);
    e.linearize({q, Vector()}, f, T);
    e.add_turned_stiffness({q, x}, .1, T);
    Vector all(K.nonZeros() + f.size() + 3);
    all << Eigen::Map<const Vector>(K.valuePtr(), K.nonZeros()), f, energy(e, q), e.min_det_F(q), e.max_step(q, x);
    return all;
  };
  const Vector one = run(1), two = run(2);
  set_threads(0);
  EXPECT_TRUE(one.allFinite());
  EXPECT_EQ(one, two);
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const MaterialInfo& info : material_catalog()) list.push_back(info.name);
  return list;
}
INSTANTIATE_TEST_SUITE_P(Catalog, Elastic, testing::ValuesIn(names()),
                         [](const auto& test) { return std::string(test.param); });

TEST(ElasticTraits, SymmetricAndConservative) {
  const TetMesh mesh = box_mesh(Vec3(0, 0, 0), Vec3(1, 1, 1), {1, 1, 1}, Split::five);
  const ElasticForce e(mesh, 0, {make_material({"linear", 1, 0.3, {}}, "m")}, std::vector<int>(5, 0));
  EXPECT_TRUE(e.traits().symmetric);
  EXPECT_TRUE(e.traits().has_potential);
  EXPECT_FALSE(e.traits().velocity_dependent);
  EXPECT_EQ(e.traits().energy, EnergyKind::elastic);
}

}  // namespace
}  // namespace limber
