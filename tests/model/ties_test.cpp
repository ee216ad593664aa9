/// Tied nodes against dense matrices: x = W z, M_z = WᵀMW, f_z = Wᵀf.

#include "limber/model/ties.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "limber/core/errors.hpp"
#include "limber/model/mechanical_system.hpp"
#include "support/forces.hpp"

namespace limber::test {
namespace {

constexpr int n = 9;
constexpr double t0 = 0.3;
const std::vector<int> part_nodes{1, 2, 4, 5, 6, 8};

Vec3 scattered(int i) { return {std::sin(3.1 * i + 1), std::cos(1.7 * i), std::sin(0.9 * i * i + 2)}; }

std::vector<Vec3> cloud(int count) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) points.push_back(scattered(i));
  return points;
}

Vector stacked(const std::vector<Vec3>& points) {
  Vector x(3 * static_cast<Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) node(x, static_cast<int>(i)) = points[i];
  return x;
}

AffinePart part() { return affine_part(part_nodes, cloud(n), "part"); }

/// W of all nodes: prescribed ones have no rows.
Matrix dense_W(const std::vector<int>& free, const std::vector<Tie>& ties, const std::vector<int>& unknowns) {
  Matrix W = Matrix::Zero(3 * n, 3 * static_cast<Index>(unknowns.size()));
  const auto put = [&](int i, int of, double w) {
    const auto column = std::find(unknowns.begin(), unknowns.end(), of) - unknowns.begin();
    W.block<3, 3>(3 * i, 3 * column) += w * Mat3::Identity();
  };
  for (const int i : free) {
    const auto tie = std::find_if(ties.begin(), ties.end(), [&](const Tie& t) { return t.node == i; });
    if (tie == ties.end()) put(i, i, 1);
    if (tie != ties.end())
      for (const auto& [corner, weight] : tie->terms) put(i, corner, weight);
  }
  return W;
}

std::shared_ptr<Bonds> mesh_of_bonds() {
  std::vector<Bonds::Bond> bonds;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      if ((i + j) % 3 != 0) bonds.push_back({i, j, 40.0 + i, (scattered(i) - scattered(j)).norm(), 0.3});
  return std::make_shared<Bonds>(std::move(bonds));
}

struct Case {
  const char* name;
  std::vector<NodalMass> masses;
  bool swirl;
};

/// Node 0 swings, node 7 is pinned, 3 is free, the others are one part of which two are tied.
class TiedSystem : public ::testing::TestWithParam<Case> {
 protected:
  static MechanicalSystem::Parts parts() {
    const Vector weights = dense_mass(GetParam().masses, n).rowwise().sum()(Eigen::seqN(0, n, 3));
    MechanicalSystem::Parts p{stacked(cloud(n)),
                              GetParam().masses,
                              {mesh_of_bonds(), std::make_shared<Weight>(weights, Vec3(0, -9.81, 0))},
                              {},
                              1};
    if (GetParam().swirl) p.forces.push_back(std::make_shared<Swirl>(n, 0.3, 0.8));
    Motion motion;
    motion.translation = TimeFunction<Vec3>::sine(Vec3(0.2, -0.1, 0.3), 0.7, 0.2, Vec3::Zero());
    p.prescriptions = {{{0}, motion}, {{7}, Motion{}}};
    p.ties = part().ties;
    return p;
  }
  TiedSystem() : system(parts()) {
    const auto ties = part().ties;
    for (int i = 1; i < n; ++i) {
      if (i == 7) continue;
      free.push_back(i);
      if (std::none_of(ties.begin(), ties.end(), [&](const Tie& t) { return t.node == i; })) unknowns.push_back(i);
    }
    W = dense_W(free, ties, unknowns);
    M = dense_mass(GetParam().masses, n);
    u = {Vector(system.size()), Vector(system.size()), t0};
    const Vector rest = system.restrict_to_free(stacked(cloud(n)));
    for (Index i = 0; i < system.size(); ++i)
      u.q[i] = rest[i] + 0.2 * std::sin(1.7 * static_cast<double>(i)),
      u.v[i] = std::cos(2.3 * static_cast<double>(i) + 1);
    all = system.full(u);
  }
  Matrix whole(const SparseMatrix& A) const {
    return system.symmetric() ? Matrix(Matrix(A).selfadjointView<Eigen::Lower>()) : Matrix(A);
  }
  Vector full_force() const {
    Vector f = Vector::Zero(3 * n);
    for (const auto& force : system.forces().all()) force->add_force(all, f);
    return f;
  }
  /// Of the swinging node.
  Vec3 driven() const {
    const double w = 2 * std::numbers::pi * 0.7;
    return -w * w * std::sin(w * t0 + 0.2) * Vec3(0.2, -0.1, 0.3);
  }

  MechanicalSystem system;
  std::vector<int> free, unknowns;
  Matrix W, M;
  State u, all;
};

}  // namespace

TEST(AffinePart, WeightsGiveTheNodesBackAndAreSmall) {
  const auto points = cloud(60);
  std::vector<int> nodes;
  for (int i = 3; i < 60; ++i) nodes.push_back(i);
  const AffinePart p = affine_part(nodes, points, "part");
  ASSERT_EQ(p.ties.size(), nodes.size() - 4);
  for (const Tie& tie : p.ties) {
    ASSERT_EQ(tie.terms.size(), 4u);
    Vec3 x = Vec3::Zero();
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const auto& [corner, weight] = tie.terms[k];
      EXPECT_EQ(corner, p.corners[k]);
      x += weight * points[static_cast<std::size_t>(corner)];
      sum += weight;
      EXPECT_LE(std::abs(weight), 1.01);
    }
    EXPECT_LT((x - points[static_cast<std::size_t>(tie.node)]).norm(), 1e-14);
    EXPECT_NEAR(sum, 1, 1e-15);
  }
  const auto corner = [&](std::size_t k) { return points[static_cast<std::size_t>(p.corners[k])]; };
  Mat3 E;
  E << corner(1) - corner(0), corner(2) - corner(0), corner(3) - corner(0);
  EXPECT_GT(E.determinant(), 0);
}

TEST(AffinePart, NeedsAVolume) {
  const std::vector<Vec3> flat{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}, {0.3, 0.2, 1}};
  const std::vector<Vec3> line{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}};
  for (const auto& [nodes, points] : {std::pair{std::vector<int>{0, 1, 2, 3, 4}, flat},
                                      {std::vector<int>{0, 1, 2, 3}, line},
                                      {std::vector<int>{0, 1, 2}, cloud(3)},
                                      {std::vector<int>{0, 1, 2, 3}, std::vector<Vec3>(4, Vec3(1, 2, 3))}})
    try {
      affine_part(nodes, points, "bodies[0].rigid[1]");
      ADD_FAILURE();
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find("bodies[0].rigid[1]: its " + std::to_string(nodes.size()) +
                                           " nodes span no volume"),
                std::string::npos)
          << e.what();
    }
}

TEST_P(TiedSystem, HasTheUnknownsOfFreeNodesAndCorners) {
  EXPECT_EQ(system.size(), 15);
  EXPECT_LT((system.spread(u.v) - W * u.v).norm(), 1e-14);
  for (const int i : free) {
    EXPECT_LT((node(all.q, i) - (W * u.q).segment<3>(3 * i)).norm(), 1e-14);
    EXPECT_LT((node(all.v, i) - (W * u.v).segment<3>(3 * i)).norm(), 1e-14);
  }
  EXPECT_EQ(system.restrict_to_free(all.q), u.q);
  EXPECT_EQ(Vec3(node(all.q, 7)), scattered(7));
  const State start = system.state(stacked(cloud(n)), stacked(cloud(n)), 0);
  for (const int i : free) EXPECT_LT((node(system.full(start).v, i) - scattered(i)).norm(), 1e-14);
}

TEST_P(TiedSystem, MassIsThatOfAllNodes) {
  const Matrix Mz = W.transpose() * M * W;
  EXPECT_LT((whole(system.mass()) - Mz).norm(), 1e-13 * Mz.norm());
  EXPECT_LT((system.apply_mass(u.v) - Mz * u.v).norm(), 1e-13 * Mz.norm());
  EXPECT_LT((system.solve_mass(Mz * u.v) - u.v).norm(), 1e-12);
}

TEST_P(TiedSystem, ForcesAreThoseOfAllNodes) {
  Vector f = full_force();
  f -= M.leftCols<3>() * driven();
  EXPECT_LT((system.force(u) - W.transpose() * f).norm(), 1e-12 * f.norm());
}

TEST_P(TiedSystem, TheTangentIsTheDerivativeOfTheForce) {
  Tangent T, again;
  system.tangent(u, Definiteness::exact, T);
  EXPECT_LT((system.linearize(u, Definiteness::exact, again) - system.force(u)).norm(), 1e-12);
  EXPECT_EQ((T.K - again.K).norm(), 0);
  const double h = 1e-4;
  for (Index j = 0; j < system.size(); ++j) {
    const auto column = [&](Vector State::*x) {
      const auto f = [&](double s) {
        State moved = u;
        (moved.*x)[j] += s;
        return system.force(moved);
      };
      return Vector(-(8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h));
    };
    EXPECT_LT((column(&State::q) - whole(T.K).col(j)).norm(), 1e-6);
    EXPECT_LT((column(&State::v) - whole(T.D).col(j)).norm(), 1e-6);
  }
  if (!GetParam().swirl) {
    EXPECT_LT((whole(T.K) - whole(T.K).transpose()).norm(), 1e-14 * T.K.norm());
  }
}

TEST_P(TiedSystem, ReactionsAndEnergiesAreThoseOfAllNodes) {
  const Vector f = full_force();
  Vector a = W * system.solve_mass(system.force(u));
  a.head<3>() = driven();
  const Vector rate = M * a, r = reactions(system, u);
  EXPECT_LT((r.head<3>() - (rate - f).head<3>()).norm(), 1e-10);
  EXPECT_LT((r.tail<3>() - (rate - f).segment<3>(21)).norm(), 1e-10);
  EXPECT_NEAR(energies(system, u).kinetic, 0.5 * all.v.dot(M * all.v), 1e-12);
  EXPECT_NEAR(energies(system, u).elastic, mesh_of_bonds()->potentials(all)->stored, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Masses, TiedSystem,
                         ::testing::Values(Case{"lumped", lumped_masses(n), false},
                                           Case{"coupled", coupled_masses(n), false},
                                           Case{"lumped_swirl", lumped_masses(n), true},
                                           Case{"coupled_swirl", coupled_masses(n), true}),
                         [](const auto& info) { return std::string(info.param.name); });

/// Rigid motions of the unknowns are those of all nodes; bonds at rest do not resist them.
TEST(TiedNodes, RigidMotionsOfAFreePart) {
  MechanicalSystem::Parts p{stacked(cloud(n)), lumped_masses(n), {mesh_of_bonds()}, {}, 1};
  p.ties = part().ties;
  MechanicalSystem system(std::move(p));
  const State u = system.state(stacked(cloud(n)), Vector::Zero(3 * n), 0);
  const Matrix R = system.rigid_motions(u);
  ASSERT_EQ(R.cols(), 6);
  Tangent T;
  system.tangent(u, Definiteness::exact, T);
  EXPECT_LT((T.K.selfadjointView<Eigen::Lower>() * R).norm(), 1e-11 * T.K.norm());
  for (int axis = 0; axis < 3; ++axis) {
    const Vector all = system.spread(R.col(3 + axis));
    for (int i = 1; i < n; ++i) {
      const Vec3 expected = Vec3::Unit(axis).cross(scattered(i) - scattered(0));
      EXPECT_LT((node(all, i) - node(all, 0) - expected).norm(), 1e-13);
    }
  }
}

/// Gaps measure all nodes: their gradient on the unknowns is WᵀG, here against differences.
TEST(TiedNodes, GapsSeeTheUnknowns) {
  struct Heights final : GapSource {
    GapRule rule() const override { return GapRule::nonpenetration; }
    double contact() const override { return 0.1; }
    std::vector<Gap> near(const State& u, double, double) override {
      std::vector<Gap> gaps;
      for (int i = 0; i < n; ++i) {
        Gap g{2 * node(u.q, i).y() + node(u.q, i).x(), 0, {i, -1, -1, -1}, {}};
        g.gradient[0] = Vec3(1, 2, 0);
        gaps.push_back(g);
      }
      return gaps;
    }
    void report_forces(std::vector<double> forces) override { borne = std::move(forces); }
    std::vector<double> borne;
  };
  MechanicalSystem::Parts p{stacked(cloud(n)), lumped_masses(n), {mesh_of_bonds()}, {}, 1};
  p.ties = part().ties;
  const auto heights = std::make_shared<Heights>();
  p.gaps = heights;
  MechanicalSystem system(std::move(p));
  State u = system.state(stacked(cloud(n)), Vector::Zero(3 * n), 0);
  const GapConstraints before = system.gaps(u, 0, 1);
  Vector step(system.size());
  for (Index i = 0; i < step.size(); ++i) step[i] = std::sin(5.0 * static_cast<double>(i));
  u.q += step;
  EXPECT_LT((system.gaps(u, 0, 1).gap - before.gap - before.G * step).norm(), 1e-13);
  Vector forces(before.gap.size());
  for (Index i = 0; i < forces.size(); ++i) forces[i] = static_cast<double>(i);
  system.traits().gaps->report_forces(before, forces);
  ASSERT_EQ(heights->borne.size(), static_cast<std::size_t>(n));
  EXPECT_EQ(heights->borne.back(), n - 1);
}

}  // namespace limber::test
