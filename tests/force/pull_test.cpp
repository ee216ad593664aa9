#include "limber/force/pull.hpp"

#include <gtest/gtest.h>

#include "force/differences.hpp"
#include "limber/sim/simulation.hpp"
#include "support/forces.hpp"

namespace limber {
namespace {

using namespace test;

const BodyPoint within{{0, 1, 2}, {.2, .3, .5}};

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

TEST(PullForce, IsASpringToAPoint) {
  Held held;
  const Vec3 to(1, 2, 3);
  held.hand->pull(within, to, 40);
  const State u{random_vector(9, 1, 7), random_vector(9, 1, 8), 2};
  const Vec3 at = .2 * node(u.q, 0) + .3 * node(u.q, 1) + .5 * node(u.q, 2);
  EXPECT_LE((held.hand->force(u.q) - 40 * (to - at)).norm(), 1e-13);
  const Vector f = force_at(*held.hand, u);
  for (int i = 0; i < 3; ++i)
    EXPECT_LE((node(f, i) - within.weights[static_cast<std::size_t>(i)] * 40 * (to - at)).norm(), 1e-13);
  expect_force_from_potentials(*held.hand, u);
}

TEST(PullForce, HasTheTangentOfItsForce) {
  Held held;
  held.hand->pull(within, {1, 2, 3}, 40);
  const State u = held.start();
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

TEST(PullForce, StandsForOneNodeWhereNothingCouplesThem) {
  Held held({{0, 1, 50, 1, 0}, {0, 2, 50, 1, 0}});
  held.hand->pull(within, {1, 2, 3}, 40);
  EXPECT_EQ(held.hand->point().nodes[0], 2);
  EXPECT_EQ(held.hand->point().weights[0], 1);
  Tangent T;
  EXPECT_NO_THROW(held.system->tangent(held.start(), Definiteness::exact, T));
}

TEST(PullForce, ThatIsReleasedIsNotThere) {
  Held held, free;
  held.hand->pull(within, {1, 2, 3}, 40);
  held.hand->release();
  const State u = held.start();
  EXPECT_TRUE((held.system->force(u).array() == free.system->force(u).array()).all());
  EXPECT_EQ(held.system->energies(u).total(), free.system->energies(u).total());
}

TEST(PullForce, PutsInWhatTheHandDoes) {
  Held held;
  Simulation simulation(held.system, {.name = "TR-BDF2"}, .01, held.start());
  const double before = simulation.energies().total();
  simulation.change_forces([&] { held.hand->pull({{2}, {1}}, {3, 0, 0}, 10); });
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
