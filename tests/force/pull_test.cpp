#include "limber/force/pull.hpp"

#include <gtest/gtest.h>

#include "force/differences.hpp"
#include "limber/sim/simulation.hpp"
#include "support/forces.hpp"

namespace limber {
namespace {

using namespace test;

const BodyPoint within{{0, 1, 2}, {.2, .3, .5}};
const std::vector<NodeShare> around{{0, .1}, {1, .3}, {2, .6}};

/// Three nodes that bonds couple, the first held, with a hand on them.
struct Held {
  std::shared_ptr<PullForce> hand = std::make_shared<PullForce>();
  std::shared_ptr<MechanicalSystem> system;
  explicit Held(std::vector<Bonds::Bond> bonds = {{0, 1, 50, 1, 0}, {1, 2, 50, 1, 0}, {0, 2, 50, 1.5, 0}}) {
    MechanicalSystem::Parts parts;
    parts.positions = line_of_nodes(3);
    parts.masses = {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}};
    parts.forces = {std::make_shared<Bonds>(std::move(bonds)), hand};
    parts.prescriptions = {{{0}, Motion{}}};
    system = std::make_shared<MechanicalSystem>(std::move(parts));
  }
  State start() const { return system->state(line_of_nodes(3), Vector::Zero(9), 0); }
};

TEST(PullForce, IsASpringForEachNode) {
  Held held;
  const Vector grasped = random_vector(9, 1, 6);
  const Vec3 from = within.at(grasped), to(1, 2, 3);
  held.hand->grasp(within, around, grasped, 40);
  EXPECT_EQ(force_at(*held.hand, {grasped, Vector::Zero(9), 0}).norm(), 0);
  held.hand->pull_to(to);
  EXPECT_LE((held.hand->force(grasped) - 40 * (to - from)).norm(), 1e-13);

  const State u{random_vector(9, 1, 7), random_vector(9, 1, 8), 2};
  const Vector f = force_at(*held.hand, u);
  Vec3 sum = Vec3::Zero();
  for (const auto& [i, weight] : around) {
    const Vec3 target = to + node(grasped, i) - from;
    EXPECT_LE((node(f, i) - weight * 40 * (target - node(u.q, i))).norm(), 1e-13);
    sum += node(f, i);
  }
  EXPECT_LE((held.hand->force(u.q) - sum).norm(), 1e-13);
  expect_force_from_potentials(*held.hand, u);
}

TEST(PullForce, HasTheTangentOfItsForce) {
  Held held;
  const State u = held.start();
  held.hand->grasp(within, around, line_of_nodes(3), 40);
  held.hand->pull_to({1, 2, 3});
  Tangent T;
  held.system->tangent(u, Definiteness::exact, T);
  const Matrix lower = T.K;
  const Matrix K = lower.selfadjointView<Eigen::Lower>();
  const double e = 1e-6;
  for (Index i = 0; i < u.q.size(); ++i) {
    State plus = u, minus = u;
    plus.q[i] += e;
    minus.q[i] -= e;
    EXPECT_LE(((held.system->force(minus) - held.system->force(plus)) / (2 * e) - K.col(i)).norm(), 1e-6);
  }
}

TEST(PullForce, ResistsAsOneSpringWhatMovesAsOne) {
  Held held;
  const Vector q = line_of_nodes(3);
  held.hand->grasp(within, around, q, 40);
  const Vec3 shift(.1, -.2, .3);
  const Vector moved = q + shift.replicate(3, 1);
  EXPECT_LE((held.hand->force(moved) + 40 * shift).norm(), 1e-13);
  EXPECT_NEAR(held.hand->potentials({moved, q, 0})->stored, 20 * shift.squaredNorm(), 1e-13);
}

TEST(NodesAround, AreThoseNearerThanTheRadius) {
  std::vector<Vec3> rest;
  for (int i = 0; i < 11; ++i) rest.emplace_back(.1 * i, 0, 0);
  // Between the nodes 104 and 105, whose numbers begin at 100.
  const auto shares = nodes_around({{104, 105}, {.5, .5}}, 100, rest, .2);
  ASSERT_EQ(shares.size(), 4u);
  double sum = 0, moment = 0;
  for (const auto& [node, weight] : shares) {
    sum += weight;
    moment += weight * .1 * (node - 100);
  }
  EXPECT_EQ(shares[0].node, 103);
  EXPECT_NEAR(sum, 1, 1e-14);
  EXPECT_NEAR(moment, .45, 1e-14);
  // (1 − d²/r²)² at distances of a quarter and of three quarters of the radius.
  EXPECT_NEAR(shares[1].weight / shares[0].weight, std::pow(15. / 7, 2), 1e-9);
}

TEST(NodesAround, HoldThePointItselfWhereTheRadiusIsSmall) {
  const std::vector<Vec3> rest = {{0, 0, 0}, {1, 0, 0}, {9, 0, 0}};
  const auto one = nodes_around({{1}, {1}}, 0, rest, .01);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].node, 1);
  EXPECT_EQ(one[0].weight, 1);
  const auto two = nodes_around({{0, 1}, {.9, .1}}, 0, rest, .01);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_GT(two[0].weight, two[1].weight);
}

TEST(PullForce, ThatIsReleasedIsNotThere) {
  Held held, free;
  held.hand->grasp(within, around, line_of_nodes(3), 40);
  held.hand->pull_to({1, 2, 3});
  held.hand->release();
  const State u = held.start();
  EXPECT_TRUE((held.system->force(u).array() == free.system->force(u).array()).all());
  EXPECT_EQ(energies(*held.system, u).total(), energies(*free.system, u).total());
}

TEST(PullForce, PutsInWhatTheHandDoes) {
  Held held;
  Simulation simulation(held.system, {.name = "TR-BDF2"}, .01, held.start());
  const double before = simulation.energies().total();
  simulation.change_forces([&] {
    held.hand->grasp({{2}, {1}}, {{2, 1}}, line_of_nodes(3), 10);
    held.hand->pull_to({3, 0, 0});
  });
  const double put_in = 10. / 2 * std::pow(3 - node(line_of_nodes(3), 2)[0], 2);
  EXPECT_NEAR(simulation.energies().total() - before, put_in, 1e-12);
  EXPECT_NEAR(simulation.account().put_in(), put_in, 1e-12);
  for (int i = 0; i < 100; ++i) simulation.step();
  EXPECT_LE(simulation.account().gain(), 1e-3 * put_in);
  const double x = node(held.system->full(simulation.state()).q, 2)[0];
  EXPECT_GT(std::abs(x - node(line_of_nodes(3), 2)[0]), 1e-3);
  simulation.change_forces([&] { held.hand->release(); });
  EXPECT_NEAR(simulation.account().put_in(), put_in - 10. / 2 * std::pow(3 - x, 2), .3);
  EXPECT_EQ(simulation.energies().other, 0);
}

}  // namespace
}  // namespace limber
