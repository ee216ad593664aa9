/// Nodes, masses, forces and prescribed motion, against the dense system of all nodes.

#include "limber/model/mechanical_system.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <numbers>

#include "limber/core/errors.hpp"
#include "support/forces.hpp"

namespace limber::test {
namespace {

constexpr int line_nodes = 5;
constexpr double frequency = 0.7, t0 = 0.37;
const Vec3 swing(0.2, -0.1, 0.3), gravity(0, -9.81, 0);

/// Node 0 swings, node 3 is pinned; node order and free order differ.
MechanicalSystem::Parts parts(const std::vector<NodalMass>& masses, bool swirl) {
  const Vector weights = dense_mass(masses, line_nodes).rowwise().sum()(Eigen::seqN(0, line_nodes, 3));
  MechanicalSystem::Parts p{line_of_nodes(line_nodes),
                            masses,
                            {line_bonds(line_nodes, 50, 0.4), std::make_shared<Weight>(weights, gravity)},
                            {},
                            1};
  if (swirl) p.forces.push_back(std::make_shared<Swirl>(line_nodes, 0.3, 0.8));
  Motion motion;
  motion.translation = TimeFunction<Vec3>::sine(swing, frequency, 0.2, Vec3::Zero());
  p.prescriptions = {{{0}, motion}, {{3}, Motion{}}};
  return p;
}

State free_state(const MechanicalSystem& s) {
  Vector q = line_of_nodes(line_nodes), v(3 * line_nodes);
  for (int i = 0; i < 3 * line_nodes; ++i) q[i] += 0.2 * std::sin(1.7 * i), v[i] = std::cos(2.3 * i + 1);
  return s.state(q, v, t0);
}

/// Position, velocity and acceleration of the swinging node.
Vec3 swung(int derivative) {
  const double w = 2 * std::numbers::pi * frequency, a = w * t0 + 0.2;
  return (derivative == 0 ? std::sin(a) : derivative == 1 ? w * std::cos(a) : -w * w * std::sin(a)) * swing;
}

struct Case {
  const char* name;
  std::vector<NodalMass> masses;
  bool swirl;
};
class Mechanical : public ::testing::TestWithParam<Case> {
 protected:
  Mechanical() : system(parts(GetParam().masses, GetParam().swirl)), u(free_state(system)), all(system.full(u)) {}

  Vector full_force() const {
    Vector f = Vector::Zero(3 * line_nodes);
    for (const auto& force : system.forces().all()) force->add_force(all, f);
    return f;
  }
  /// Accelerations of all nodes: prescribed ones as prescribed, free ones from the rows of M a = f.
  Vector full_acceleration() const {
    const Matrix M = dense_mass(GetParam().masses, line_nodes);
    const std::vector<int> free{3, 4, 5, 6, 7, 8, 12, 13, 14};
    Vector a = Vector::Zero(3 * line_nodes);
    a.head<3>() = swung(2);
    const Vector rhs = (full_force() - M * a)(free);
    const Vector solved = M(free, free).eval().partialPivLu().solve(rhs);
    for (std::size_t i = 0; i < free.size(); ++i) a[free[i]] = solved[static_cast<Index>(i)];
    return a;
  }

  MechanicalSystem system;
  State u, all;
};

TEST_P(Mechanical, PrescribedNodesAreWhereTheyShouldBe) {
  EXPECT_EQ(system.size(), 9);
  EXPECT_EQ(system.free_nodes(), (std::vector<int>{1, 2, 4}));
  EXPECT_EQ(system.prescribed_nodes(), (std::vector<int>{0, 3}));
  EXPECT_TRUE(system.scripted());
  EXPECT_LT((node(all.q, 0) - swung(0)).norm(), 1e-14);
  EXPECT_LT((node(all.v, 0) - swung(1)).norm(), 1e-14);
  EXPECT_EQ(Vec3(node(all.q, 3)), Vec3(3, 0, 0));
  EXPECT_EQ(Vec3(node(all.v, 3)), Vec3::Zero());
  EXPECT_EQ(system.restrict_to_free(all.q), u.q);
}

TEST_P(Mechanical, AcceleratesAsTheDenseSystemOfAllNodesDoes) {
  const Vector a = system.solve_mass(system.force(u));
  EXPECT_LT((a - system.restrict_to_free(full_acceleration())).norm(), 1e-11 * a.norm());
  EXPECT_LT((system.apply_mass(a) - system.force(u)).norm(), 1e-11 * a.norm());
}

/// A matrix that is solved with every step is not blamed for what it was given.
TEST(MechanicalSystem, AForceThatIsNotFiniteIsCalledThat) {
  MechanicalSystem system(parts(coupled_masses(line_nodes), false));
  Vector f = Vector::Ones(system.size());
  f[2] = std::numeric_limits<double>::infinity();
  try {
    system.solve_mass(f);
    FAIL();
  } catch (const StepFailure& e) {
    EXPECT_EQ(e.reason, "the force is not finite");
  }
}

TEST_P(Mechanical, TheTangentIsTheDerivativeOfTheForce) {
  Tangent T;
  system.tangent(u, Definiteness::exact, T);
  Tangent again;
  EXPECT_LT((system.linearize(u, Definiteness::exact, again) - system.force(u)).norm(), 1e-13);
  EXPECT_EQ((T.K - again.K).norm(), 0);
  const auto dense = [&](const SparseMatrix& A) {
    return system.symmetric() ? Matrix(Matrix(A).selfadjointView<Eigen::Lower>()) : Matrix(A);
  };
  const double h = 1e-4;
  for (Index j = 0; j < 9; ++j) {
    const auto column = [&](Vector State::*x) {
      const auto f = [&](double s) {
        State moved = u;
        (moved.*x)[j] += s;
        return system.force(moved);
      };
      return Vector(-(8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h));
    };
    EXPECT_LT((column(&State::q) - dense(T.K).col(j)).norm(), 1e-7);
    EXPECT_LT((column(&State::v) - dense(T.D).col(j)).norm(), 1e-7);
  }
}

TEST_P(Mechanical, ReactionsBalanceTheRateOfMomentum) {
  const Matrix M = dense_mass(GetParam().masses, line_nodes);
  const Vector rate = M * full_acceleration(), f = full_force(), r = reactions(system, u);
  EXPECT_LT((r.head<3>() - (rate - f).head<3>()).norm(), 1e-10);
  EXPECT_LT((r.tail<3>() - (rate - f).segment<3>(9)).norm(), 1e-10);
  // Bonds cancel in the sum: what is left is the weight, the drag and the reactions.
  Vec3 momentum_rate = Vec3::Zero(), outer = r.head<3>() + r.tail<3>() + total_mass(system) * gravity;
  for (int i = 0; i < line_nodes; ++i) momentum_rate += node(rate, i);
  if (GetParam().swirl) {
    Vector drag = Vector::Zero(3 * line_nodes);
    Swirl(line_nodes, 0.3, 0.8).add_force(all, drag);
    for (int i = 0; i < line_nodes; ++i) outer += node(drag, i);
  }
  EXPECT_LT((momentum_rate - outer).norm(), 1e-10 * outer.norm());
}

TEST_P(Mechanical, EnergiesAreThoseOfAllNodes) {
  const Matrix M = dense_mass(GetParam().masses, line_nodes);
  const Energies e = energies(system, u);
  EXPECT_NEAR(e.kinetic, 0.5 * all.v.dot(M * all.v), 1e-12 * e.kinetic);
  EXPECT_NEAR(e.elastic, line_bonds(line_nodes, 50, 0.4)->potentials(all)->stored, 1e-12);
  double weight = 0;
  for (int i = 0; i < line_nodes; ++i) weight -= gravity.dot(node(all.q, i)) * M.row(3 * i).sum();
  EXPECT_NEAR(e.gravitational, weight, 1e-12);
  EXPECT_EQ(e.other, 0);
  EXPECT_NEAR(damping_power(system, u), line_bonds(line_nodes, 50, 0.4)->damping_power(all), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Masses, Mechanical,
                         ::testing::Values(Case{"lumped", lumped_masses(line_nodes), false},
                                           Case{"coupled", coupled_masses(line_nodes), false},
                                           Case{"lumped_swirl", lumped_masses(line_nodes), true},
                                           Case{"coupled_swirl", coupled_masses(line_nodes), true}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(MechanicalSystem, AHangingNodeIsHeldByItsWeight) {
  const Vector weights = Vector::Constant(2, 1.0);
  MechanicalSystem s({line_of_nodes(2),
                      {{0, 0, 1}, {1, 1, 1}},
                      {std::make_shared<Bonds>(std::vector<Bonds::Bond>{{0, 1, 100, 1, 0}}),
                       std::make_shared<Weight>(weights, Vec3(9.81, 0, 0))},
                      {{{0}, Motion{}}},
                      1});
  double length = 1;  // k/(2L²) (l² − L²) l = m g, by Newton
  for (int i = 0; i < 50; ++i)
    length -= (50 * (length * length - 1) * length - 9.81) / (50 * (3 * length * length - 1));
  const Vector r = reactions(s, {Vec3(length, 0, 0), Vec3::Zero(), 0});
  EXPECT_LT((r - Vec3(-2 * 9.81, 0, 0)).norm(), 1e-10) << "the weights of both nodes";
}

TEST(MechanicalSystem, RefusesNodesThatCannotMoveOrHaveNoMass) {
  MechanicalSystem::Parts none{line_of_nodes(1), {{0, 0, 1}}, {}, {{{0}, Motion{}}}, 1};
  EXPECT_THROW(MechanicalSystem{none}, InputError);
  MechanicalSystem::Parts light{line_of_nodes(2), {{0, 0, 1}}, {}, {}, 1};
  EXPECT_THROW(MechanicalSystem{light}, InputError);
}

}  // namespace
}  // namespace limber::test
