/// What targets and loads that change in time put in is what the method gives to the motion: no energy is from nowhere.

#include <gtest/gtest.h>

#include "limber/force/loads.hpp"
#include "limber/force/targets.hpp"
#include "limber/sim/simulation.hpp"
#include "support/forces.hpp"

namespace limber::test {
namespace {

constexpr int driven_nodes = 4;

MethodSettings settings(const MethodInfo& method) {
  MethodSettings s;
  s.name = method.name;
  s.options.modes.count = 3;
  return s;
}

/// So that a load on all nodes moves the chain as a whole.
std::vector<NodalMass> equal_masses() {
  std::vector<NodalMass> masses;
  for (int i = 0; i < driven_nodes; ++i) masses.push_back({i, i, 1.0});
  return masses;
}

Simulation driven(const MethodInfo& method, std::vector<std::shared_ptr<Force>> forces, const Vector& v, double h) {
  forces.push_back(line_bonds(driven_nodes, 50, 0));
  auto system = std::make_shared<MechanicalSystem>(
      MechanicalSystem::Parts{line_of_nodes(driven_nodes), equal_masses(), std::move(forces), {}, 1});
  return {system, settings(method), h, system->state(line_of_nodes(driven_nodes), v, 0)};
}

Vector moving(const Vec3& velocity) { return velocity.replicate(driven_nodes, 1); }

std::shared_ptr<Force> load(std::vector<double> times, std::vector<Vec3> forces) {
  return std::make_shared<NodalLoads>(
      std::vector<int>{0, 1, 2, 3},
      TimeFunction<Vec3>::table(std::move(times), std::move(forces), Interpolation::linear, "load"));
}

bool exponential(const MethodInfo& m) { return m.kind == MethodKind::exponential || m.kind == MethodKind::hybrid; }

/// The whole change of the kinetic energy is the load's. Methods that remember give some of a load's push in later
/// steps. (Exponential ones take a load as constant during a step.)
TEST(DrivenWork, OfALoadThatJumpsWithinOneStep) {
  for (const MethodInfo& method : method_catalog()) {
    if (exponential(method) || !method.linear) continue;  // A-search weighs both ends as the energy asks
    for (const double sign : {1.0, -1.0}) {
      const Vec3 F(20 * sign, 0, 0);
      Simulation s = driven(method, {load({0, .1, .11, .2, .21}, {Vec3::Zero(), Vec3::Zero(), F, F, Vec3::Zero()})},
                            moving(Vec3(30, 0, 0)), .01);
      const double mass = total_mass(s.system());
      for (int i = 0; i < 60; ++i) s.step();
      const double v = 30 + .1 * 20 * sign * driven_nodes / mass;
      EXPECT_NEAR(s.energies().kinetic / (.5 * mass * v * v), 1, 1e-8) << method.name;
      const bool remembers = method.memory.states > 1 || method.memory.acceleration;
      EXPECT_LT(s.account().rise(), (remembers ? 5e-3 : 1e-10) * s.account().in_play()) << method.name;
    }
  }
}

/// From rest, in the very first step: 15 % of the energy of that step, had the mean of both ends gone the way of the
/// positions.
TEST(DrivenWork, OfALoadThatBeginsAtZero) {
  for (const MethodInfo& method : method_catalog())
    for (const double h : {.1, .01}) {
      if (exponential(method)) continue;
      Simulation s = driven(method, {load({0, 1}, {Vec3::Zero(), Vec3(3, 4, 0)})}, moving(Vec3::Zero()), h);
      for (int i = 0; i < 5; ++i) {
        s.step();
        EXPECT_LE(s.account().rise(), 1e-9 * s.account().in_play()) << method.name << " step " << i;
      }
    }
}

/// Far from here: the load's own energy depends on where it is counted from, its work does not.
TEST(DrivenWork, DoesNotDependOnTheOrigin) {
  const MethodInfo& method = find_method("TR-BDF2");
  std::vector<double> in_play;
  for (const double far : {0.0, 1000.0}) {
    std::vector<std::shared_ptr<Force>> forces = {line_bonds(driven_nodes, 50, 0),
                                                  load({0, 1}, {Vec3::Zero(), Vec3(3, 4, 0)})};
    auto system = std::make_shared<MechanicalSystem>(
        MechanicalSystem::Parts{line_of_nodes(driven_nodes).array() + far, equal_masses(), forces, {}, 1});
    Simulation s(system, settings(method), .01,
                 system->state(line_of_nodes(driven_nodes).array() + far, moving(Vec3::Zero()), 0));
    for (int i = 0; i < 50; ++i) s.step();
    in_play.push_back(s.account().in_play());
  }
  EXPECT_NEAR(in_play[1] / in_play[0], 1, 1e-8);
}

/// A stiff target goes off at 1 m/s and turns at its keys, nine radians of its vibration a step. Methods that damp
/// what they do not resolve follow it: nothing appears.
TEST(DrivenWork, OfAStiffTarget) {
  const Vector rest = line_of_nodes(driven_nodes);
  const auto shifted = [&](const Vec3& by) -> Vector { return rest + moving(by); };
  for (const char* name : {"BE", "SI", "BDF2", "SBDF2", "TR-BDF2", "STR-SBDF2", "SDIRK", "SSDIRK"}) {
    const MethodInfo& method = find_method(name);
    const TargetShapes shapes{KeyTimes({0, .1, .2}, Interpolation::linear, "keys"),
                              {rest, shifted({.1, 0, 0}), shifted({0, .1, 0})}};
    auto system = std::make_shared<MechanicalSystem>(
        MechanicalSystem::Parts{rest,
                                equal_masses(),
                                {line_bonds(driven_nodes, 50, 0),
                                 std::make_shared<TargetSprings>(std::vector<int>{0, 1, 2, 3}, shapes, 8e5, 0, "t")},
                                {},
                                1});
    Simulation s(system, settings(method), .01, system->state(rest, moving(Vec3::Zero()), 0));
    double most = 0;
    for (int i = 0; i < 30; ++i) {
      s.step();
      most = std::max(most, s.energies().kinetic);
    }
    EXPECT_GT(most, .4 * total_mass(s.system())) << name;
    EXPECT_LT(s.account().share(), .01) << name << ' ' << s.account().rise() << " of " << s.account().in_play();
  }
}

}  // namespace
}  // namespace limber::test
