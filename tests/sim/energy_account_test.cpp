/// Work that is put in, energy that appears from nowhere, and what is said of it.

#include "limber/sim/energy_account.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/force/loads.hpp"
#include "limber/force/springs.hpp"
#include "limber/force/targets.hpp"
#include "limber/sim/simulation.hpp"
#include "support/forces.hpp"

namespace limber::test {
namespace {

Energies energies(double kinetic, double elastic = 0, double contact = 0) {
  Energies e;
  e.kinetic = kinetic;
  e.elastic = elastic;
  e.contact = contact;
  return e;
}

TEST(EnergyAccount, KnowsWhatAppearedAndWhen) {
  EnergyAccount account(energies(100), 0);
  account.book(energies(90), 0, 1);
  EXPECT_EQ(account.gain(), 0);
  account.book(energies(95), 5, 2);  // put in
  EXPECT_EQ(account.rise(), 0);
  account.book(energies(98), 0, 3);  // from nowhere, but less than was lost
  EXPECT_EQ(account.gain(), 0);
  EXPECT_EQ(account.rise(), 3);
  EXPECT_EQ(account.risen_at(), 3);
  account.book(energies(120), 0, 4);
  EXPECT_EQ(account.gain(), 15);
  EXPECT_EQ(account.rise(), 25);
  account.book(energies(60), 0, 5);
  EXPECT_EQ(account.gain(), 15);
  EXPECT_EQ(account.put_in(), 5);
  EXPECT_EQ(account.in_play(), 120);
  EnergyAccount other;
  other.restore(account.memory());
  EXPECT_EQ(other.memory(), account.memory());
  EXPECT_EQ(other.share(), 25.0 / 120);
}

TEST(EnergyAccount, AlarmsOnceAtEachLevel) {
  EnergyAccount account(energies(100), 0);
  EXPECT_FALSE(account.alarms());
  account.book(energies(100.9), 0, 1);
  EXPECT_FALSE(account.alarms());
  account.book(energies(101.5), 0, 2);
  EXPECT_TRUE(account.alarms());
  EXPECT_FALSE(account.alarms());
  account.book(energies(150), 0, 3);
  EXPECT_TRUE(account.alarms());
  account.book(energies(1e6), 0, 4);
  EXPECT_FALSE(account.alarms());
}

/// Rounding errors of large energies are not a gain.
TEST(EnergyAccount, IsSilentAtRounding) {
  Energies e;
  e.gravitational = 1e6;
  EnergyAccount account(e, 0);
  e.kinetic = 1e-10;
  account.book(e, 0, 1);
  EXPECT_EQ(account.share(), 0);
  EXPECT_FALSE(account.alarms());
}

TEST(EnergyAccount, AffordsASmallShareOfTheKineticEnergyUntilItIsPaidBack) {
  EnergyAccount account(energies(100), 0);
  const Energies e = energies(100);
  EXPECT_TRUE(account.affords(.09, e, 1e-3));
  EXPECT_FALSE(account.affords(.11, e, 1e-3));
  account.charge(.08);
  EXPECT_FALSE(account.affords(.03, e, 1e-3));
  account.charge(-.05);
  EXPECT_TRUE(account.affords(.03, e, 1e-3));
  account.charge(-50);  // what is lost is no savings
  EXPECT_FALSE(account.affords(.11, e, 1e-3));
}

constexpr int bonded_nodes = 4;

/// A chain whose first node is driven, a load that comes and goes and a force without a potential:
/// the balance of energy closes, and nothing appears from nowhere.
TEST(Simulation, WhatIsPutInClosesTheEnergyBalance) {
  const auto error = [](const std::vector<NodalMass>& masses, double h) {
    Motion driven;
    driven.translation = TimeFunction<Vec3>::sine(Vec3(.1, .2, -.1), .7, 0, Vec3::Zero());
    std::vector<std::shared_ptr<Force>> forces = {
        line_bonds(bonded_nodes, 50, 0),
        std::make_shared<NodalLoads>(std::vector<int>{1, 3},
                                     TimeFunction<Vec3>::sine(Vec3(0, 2, 1), 1.1, .3, Vec3(1, 0, 0))),
        std::make_shared<Swirl>(bonded_nodes, .3, .5)};
    auto system = std::make_shared<MechanicalSystem>(
        MechanicalSystem::Parts{line_of_nodes(bonded_nodes), masses, forces, {{{0}, driven}}, 1});
    Simulation s(system, {"TR"}, h, system->state(line_of_nodes(bonded_nodes), Vector::Zero(3 * bonded_nodes), 0));
    const double start = s.energies().total();
    double worst = 0, most = 0;
    while (s.time() < 2) {
      s.step();
      worst = std::max(worst, std::abs(s.energies().total() - start - s.account().put_in()));
      most = std::max(most, std::abs(s.account().put_in()));
    }
    EXPECT_GT(most, .1);
    EXPECT_LT(s.account().gain(), 1e-4 * most);
    return worst / most;
  };
  for (const auto& masses : {lumped_masses(bonded_nodes), coupled_masses(bonded_nodes)}) {
    const double coarse = error(masses, 1.0 / 256), fine = error(masses, 1.0 / 1024);
    EXPECT_LT(fine, 5e-3);
    EXPECT_LT(fine, coarse / 3);  // of two rules the larger one counts, which errs by a first order on the safe side
  }
}

/// Dampers drag nodes along with a target that moves, and springs with dampers between the nodes vibrate: the first is
/// work from outside, the second is none, and no energy is from nowhere.
TEST(Simulation, DampersPutInWhatTheirTargetsDoAndNothingElse) {
  const Vector rest = line_of_nodes(bonded_nodes);
  const auto run = [&](std::vector<std::shared_ptr<Force>> forces, const Vector& v) {
    auto system = std::make_shared<MechanicalSystem>(
        MechanicalSystem::Parts{rest, lumped_masses(bonded_nodes), std::move(forces), {}, 1});
    Simulation s(system, {"TR-BDF2"}, .01, system->state(rest, v, 0));
    while (s.time() < 2) s.step();
    return s;
  };
  const Vector at_rest = Vector::Zero(rest.size());
  Vector apart = at_rest;
  apart[0] = -1;
  const Vector shifted = rest.array() + 4.0;
  const auto targets = std::make_shared<TargetSprings>(
      std::vector<int>{0, 1, 2, 3}, TargetShapes{KeyTimes({0, 2}, Interpolation::linear, "keys"), {rest, shifted}},
      1e-6, 5, "targets");
  const Simulation dragged = run({targets}, at_rest);
  EXPECT_GT(dragged.energies().kinetic, 1);
  EXPECT_LT(dragged.account().rise(), 1e-3 * dragged.energies().kinetic);
  EXPECT_NEAR(dragged.account().put_in() - dragged.energies().total(), dragged.energies().kinetic,
              .1 * dragged.energies().kinetic);  // a damper takes up as much as it gives until all move with it

  std::vector<std::array<int, 2>> edges = {{0, 1}, {1, 2}, {2, 3}};
  const auto springs =
      std::make_shared<PointSprings>(network_springs(edges, rest, 100, .5), bonded_nodes, EnergyKind::elastic, "");
  const Simulation vibrating = run({springs}, apart);
  EXPECT_GT(vibrating.damping_loss(), .01);
  EXPECT_EQ(vibrating.account().put_in(), 0);
  EXPECT_LT(vibrating.account().rise(), 1e-6);
}

}  // namespace
}  // namespace limber::test
