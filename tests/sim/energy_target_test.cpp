/// A-search keeps the energy that it should, and no more: on a hexagon of nodes with springs to each other.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "limber/sim/simulation.hpp"
#include "support/forces.hpp"

namespace limber::test {
namespace {

constexpr int corners = 6;
constexpr double mass = .5;  // [kg] of each

struct Hexagon {
  double k = 400, dashpot = 0, gravity = 0;
  Vec3 spin = Vec3::Zero();  // [rad/s]
  double stretch = 1;        // along x, at the start
};

Simulation simulated(const Hexagon& h, const MethodSettings& method, double step) {
  std::vector<Bonds::Bond> bonds;
  std::vector<NodalMass> masses;
  Vector q(3 * corners), v(3 * corners);
  for (int i = 0; i < corners; ++i) {
    const double angle = i * std::numbers::pi / 3;
    node(q, i) = Vec3(std::cos(angle), std::sin(angle), .1 * (i % 2));
    masses.push_back({i, i, mass});
  }
  for (int a = 0; a < corners; ++a)
    for (int b = a + 1; b < corners; ++b) {
      const double length = (node(q, a) - node(q, b)).norm();
      bonds.push_back({a, b, h.k, length, h.dashpot});
    }
  for (int i = 0; i < corners; ++i) {
    node(q, i).x() *= h.stretch;
    node(v, i) = h.spin.cross(Vec3(node(q, i)));
  }
  std::vector<std::shared_ptr<Force>> forces = {std::make_shared<Bonds>(bonds)};
  if (h.gravity != 0)
    forces.push_back(std::make_shared<Weight>(Vector::Constant(corners, mass), Vec3(0, -h.gravity, 0)));
  auto system = std::make_shared<MechanicalSystem>(MechanicalSystem::Parts{q, masses, forces, {}, 1});
  MethodSettings s = method;
  s.options.stages.newton.tolerance = 1e-12;
  return {system, s, step, system->state(q, v, 0)};
}

MethodSettings a_search(double keep = 1) {
  MethodSettings s;
  s.name = "A-search";
  s.parameters = {{"keep", keep}};
  return s;
}

MethodSettings named(const char* name) {
  MethodSettings s;
  s.name = name;
  return s;
}

TEST(EnergyTarget, IsMetToRounding) {
  const Hexagon vibrates{.spin = {.3, .5, 4}, .stretch = 1.2};
  for (const double h : {.1, .02}) {
    Simulation s = simulated(vibrates, a_search(), h);
    const double start = s.energies().total();
    int met = 0, all = 0;
    for (double before = start; s.time() < 4 - h / 2; before = s.energies().total(), ++all) {
      const StepRecord record = s.step();
      EXPECT_EQ(record.retaken(), 0);
      met += std::abs(s.energies().total() - before) < 1e-12 * start;
    }
    EXPECT_GT(met, .95 * all) << h;
    EXPECT_GT(s.energies().total(), .98 * start) << h;
    EXPECT_LT(s.account().gain(), 1e-11 * start) << h;
    Simulation euler = simulated(vibrates, named("BE"), h);
    euler.run_until(4);
    EXPECT_LT(euler.energies().total(), .6 * start) << h;
  }
}

/// With alpha_max = 0 nothing is added to backward Euler.
TEST(EnergyTarget, WithoutAlphaIsBackwardEuler) {
  MethodSettings none = a_search();
  none.parameters["alpha_max"] = 0;
  Simulation a = simulated({.stretch = 1.2}, none, .05), b = simulated({.stretch = 1.2}, named("BE"), .05);
  for (int i = 0; i < 20; ++i) {
    a.step();
    b.step();
  }
  EXPECT_EQ(a.state().q, b.state().q);
  EXPECT_EQ(a.state().v, b.state().v);
}

/// `keep` of a body that turns, whose energy is nearly all kinetic. No less is kept than by backward Euler.
TEST(EnergyTarget, KeepsItsSharePerSecond) {
  const auto kept = [](const MethodSettings& method) {
    Simulation s = simulated({.k = 40000, .spin = {0, 0, 4}}, method, .05);
    const double start = s.energies().kinetic;
    s.run_until(1);
    return s.energies().kinetic / start;
  };
  for (const double keep : {.9, .6}) EXPECT_NEAR(kept(a_search(keep)), keep, .03);
  const double least = kept(named("BE"));
  EXPECT_LT(least, .55);
  EXPECT_NEAR(kept(a_search(0)), least, .01);
}

TEST(EnergyTarget, LeavesToDampingWhatDampingTakes) {
  Simulation s = simulated({.dashpot = 1, .spin = {0, 0, 3}, .stretch = 1.2}, a_search(), .01);
  const double start = s.energies().total();
  s.run_until(1);
  const double lost = start - s.energies().total();
  EXPECT_GT(lost, .02 * start);
  EXPECT_NEAR(s.damping_loss() / lost, 1, .03);
}

/// What a fall loses, by landing ½ h² g too low in each step, is not given to the vibrations: 20 times their energy.
TEST(EnergyTarget, AFallDoesNotFeedVibrations) {
  const double h = .02, g = 9.81;
  Simulation s = simulated({.gravity = g, .stretch = 1.005}, a_search(), h);
  const double start = s.energies().total(), elastic = s.energies().elastic;
  s.run_until(2);
  EXPECT_NEAR((start - s.energies().total()) / (.5 * corners * mass * std::pow(g * h, 2) * 2 / h), 1, .02);
  const double v = 2 * g, internal = s.energies().kinetic - .5 * corners * mass * v * v + s.energies().elastic;
  EXPECT_NEAR(internal / elastic, 1, .02);
  EXPECT_GT(start - s.energies().total(), 20 * elastic);
}

}  // namespace
}  // namespace limber::test
