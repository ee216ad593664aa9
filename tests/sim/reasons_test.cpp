/// What failures say: the advice that fits, and what there is.

#include <gtest/gtest.h>

#include "limber/core/errors.hpp"
#include "limber/sim/simulation.hpp"
#include "support/forces.hpp"

namespace limber::test {
namespace {

/// Holds nothing, moves as it is told where `moves`, and lets nothing go further than `longest` of a way.
class Limit final : public Force {
 public:
  EnergyKind kind = EnergyKind::other;
  double longest = 1;
  bool moves = false;
  std::string advice;  // not empty: it fails
  ForceTraits traits() const override { return {.time_dependent = moves, .wholly_implicit = true, .energy = kind}; }
  void add_couplings(Couplings&) const override {}
  void add_force(const State&, Vector&) const override {
    if (advice.empty()) return;
    StepFailure failure("it is gone");
    failure.advice = advice;
    throw failure;
  }
  void add_tangent(const State&, TangentBuilder&) const override {}
  std::optional<Potentials> potentials(const State&) const override { return Potentials{}; }
  double max_step(const Vector&, const Vector&, double, double) const override { return longest; }
};

MechanicalSystem::Parts parts(std::vector<std::shared_ptr<Force>> forces, const Motion& motion = {}) {
  forces.push_back(line_bonds(3, 50, 0));
  return {line_of_nodes(3), coupled_masses(3), std::move(forces), {{{0}, motion}}, 1};
}

std::string reason(const std::shared_ptr<Limit>& limit) {
  const auto system = std::make_shared<MechanicalSystem>(parts({limit}));
  const State start = system->state(line_of_nodes(3), Vector::Zero(9), 0);
  Simulation simulation(system, {"BE", {}, {}}, .01, start);
  limit->advice = limit->advice.empty() ? "Try a chair." : limit->advice;
  try {
    simulation.step();
  } catch (const StepFailure& failure) {
    return failure.reason;
  }
  return "";
}

TEST(Reasons, HaveTheAdviceOfWhatFailed) {
  const std::string said = reason(std::make_shared<Limit>());
  EXPECT_NE(said.find("it is gone. Try a chair."), std::string::npos) << said;
  EXPECT_EQ(said.find("damping"), std::string::npos) << said;
}

TEST(Reasons, NameWhatIsInTheWay) {
  for (const auto& [kind, what] : {std::pair{EnergyKind::contact, "something would be passed through"},
                                   {EnergyKind::elastic, "an element would be inverted"},
                                   {EnergyKind::other, "a cavity would lose its volume"}}) {
    const auto narrow = std::make_shared<Limit>(), narrower = std::make_shared<Limit>();
    narrow->longest = .9;
    narrower->longest = .5;
    narrower->kind = kind;
    MechanicalSystem system(parts({narrow, narrower}));
    const Vector q = system.state(line_of_nodes(3), Vector::Zero(9), 0).q;
    EXPECT_EQ(system.what_stops(q, q, 0, 0), what);
  }
}

TEST(Reasons, NameWhatMoves) {
  const auto driven = [](EnergyKind kind, bool moves, const Motion& motion) {
    const auto limit = std::make_shared<Limit>();
    limit->kind = kind;
    limit->moves = moves;
    return MechanicalSystem(parts({limit}, motion)).contact()->driven();
  };
  Motion script;
  script.translation = TimeFunction<Vec3>::table({0, 1}, {Vec3::Zero(), Vec3::Ones()}, Interpolation::linear, "script");
  EXPECT_EQ(driven(EnergyKind::contact, false, {}), "");
  EXPECT_EQ(driven(EnergyKind::contact, true, {}), "an obstacle");
  EXPECT_EQ(driven(EnergyKind::other, true, {}), "the volume of a liquid");
  EXPECT_EQ(driven(EnergyKind::contact, false, script), "a script");
  EXPECT_EQ(driven(EnergyKind::contact, true, script), "a script or an obstacle");
}

}  // namespace
}  // namespace limber::test
