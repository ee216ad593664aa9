/// Prescribed nodes that are released at a time.

#include <gtest/gtest.h>

#include <cmath>

#include "limber/sim/simulation.hpp"
#include "support/forces.hpp"
#include "support/methods.hpp"

namespace limber::test::release {
namespace {

constexpr int nodes = 4;
constexpr double h = 1.0 / 64;  // sums of it are exact

/// A chain whose first node moves as said until a time, and whose last one until twice that time.
std::shared_ptr<MechanicalSystem> chain(const Motion& first, double until, double weight) {
  MechanicalSystem::Parts parts{
      line_of_nodes(nodes),
      coupled_masses(nodes),
      {line_bonds(nodes, 50, .3), std::make_shared<Weight>(Vector::Constant(nodes, weight), Vec3(0, -1, 0))},
      {{{0}, first, until}, {{nodes - 1}, first, 2 * until}},
      1};
  return std::make_shared<MechanicalSystem>(std::move(parts));
}

Simulation simulation(const std::shared_ptr<MechanicalSystem>& system, const Row& row, const Vec3& velocity) {
  const Vector q = line_of_nodes(nodes);
  return Simulation(system, {row.method, row.parameters, two_modes()}, h,
                    system->state(q, velocity.replicate<nodes, 1>(), 0));
}

Vec3 momentum(const Simulation& s) {
  const Vector v = s.system().full(s.state()).v;
  Vec3 p = Vec3::Zero();
  for (const auto& [a, b, m] : coupled_masses(nodes)) {
    p += m * node(v, b);
    if (a != b) p += m * node(v, a);
  }
  return p;
}

void take_steps(Simulation& s, int steps) {
  for (int i = 0; i < steps; ++i) s.step();
}

class Release : public ::testing::TestWithParam<Row> {};

/// What is free falls: then the weight alone changes the momentum, by the same amount in every step.
TEST_P(Release, PinnedNodesFallWithTheRest) {
  const auto system = chain({}, 4 * h, .5);
  Simulation s = simulation(system, GetParam(), Vec3::Zero());
  EXPECT_EQ(system->size(), 3 * (nodes - 2));
  take_steps(s, 4);
  EXPECT_EQ(system->size(), 3 * (nodes - 2)) << "held until the end of the fourth step";
  EXPECT_EQ(node(system->full(s.state()).q, 0), node(line_of_nodes(nodes), 0));
  take_steps(s, 4);
  EXPECT_EQ(system->size(), 3 * (nodes - 1));
  EXPECT_NE(node(system->full(s.state()).q, 0), node(line_of_nodes(nodes), 0));
  EXPECT_EQ(node(system->full(s.state()).q, nodes - 1), node(line_of_nodes(nodes), nodes - 1));
  const Vec3 before = momentum(s);
  const double energy = s.energies().total();
  s.release_due();
  EXPECT_EQ(system->size(), 3 * nodes);
  EXPECT_EQ(momentum(s), before);
  EXPECT_EQ(energies(*system, s.state()).total(), energy);
  EXPECT_TRUE(system->prescribed_nodes().empty() && std::isinf(system->next_release()));
  take_steps(s, 8);
  EXPECT_LT((momentum(s) - before - Vec3(0, -nodes * .5 * 8 * h, 0)).norm(), 1e-9);
}

/// A script that ends at the time of the release lets go with the velocity that it had: all goes on as it went.
TEST_P(Release, ScriptedNodesGoOnAsTheyWent) {
  const Vec3 velocity(.3, .2, -.1);
  const auto path = [&](double end) {
    return TimeFunction<Vec3>::table({0, end}, {Vec3::Zero(), end * velocity}, Interpolation::linear, "test");
  };
  const auto system = chain({Vec3::Zero(), path(8 * h), {}}, 4 * h, 0);
  Simulation s = simulation(system, GetParam(), velocity);
  take_steps(s, 20);
  EXPECT_EQ(system->size(), 3 * nodes);
  const State all = system->full(s.state());
  // Linearised stages see scripted nodes move while the others stand still, which turns the bonds.
  const double tolerance = find_method(GetParam().method).solution == StageSolution::linearized ? 1e-3 : 1e-9;
  for (int i = 0; i < nodes; ++i) {
    EXPECT_LT((node(all.q, i) - node(line_of_nodes(nodes), i) - 20 * h * velocity).norm(), tolerance) << i;
    EXPECT_LT((node(all.v, i) - velocity).norm(), tolerance) << i;
  }
}

/// At any step, also at those of the releases, a run that starts again from a snapshot goes on with the same bits.
TEST_P(Release, SnapshotsKnowWhatIsHeld) {
  for (const int step : {2, 4, 5, 8, 9}) {
    Simulation whole = simulation(chain({}, 4 * h, .5), GetParam(), {.1, 0, .2});
    Simulation resumed = simulation(chain({}, 4 * h, .5), GetParam(), {.1, 0, .2});
    take_steps(whole, step);
    resumed.restore(whole.snapshot());
    EXPECT_EQ(resumed.system().size(), whole.system().size());
    take_steps(whole, 6);
    take_steps(resumed, 6);
    EXPECT_TRUE(whole.state().q == resumed.state().q && whole.state().v == resumed.state().v) << step;
    EXPECT_EQ(whole.damping_loss(), resumed.damping_loss());
    // And back to before the releases.
    Simulation early = simulation(chain({}, 4 * h, .5), GetParam(), {.1, 0, .2});
    take_steps(early, 1);
    whole.restore(early.snapshot());
    take_steps(whole, 9);
    take_steps(early, 9);
    EXPECT_TRUE(whole.state().q == early.state().q) << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, Release, ::testing::ValuesIn(default_rows()), row_name);

}  // namespace
}  // namespace limber::test::release
