/// Snapshots as they may come from a file: what does not fit is refused by name, and the motion stays as it was.

#include "limber/sim/snapshot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/sim/simulation.hpp"
#include "support/forces.hpp"
#include "support/methods.hpp"

namespace limber::test::snapshots {
namespace {

constexpr int snapshot_nodes = 5;
constexpr double h = 1.0 / 64;  // sums of it are exact
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Pushes harder at each step that it has begun, remembers, and may refuse what it is given.
class Remembering final : public Force, public LearningForce {
 public:
  bool refuses = false;

  ForceTraits traits() const override { return {.has_potential = false}; }
  void add_couplings(Couplings&) const override {}
  void add_force(const State&, Vector& f) const override { f[3] += steps_; }
  void add_tangent(const State&, TangentBuilder&) const override {}
  std::optional<Potentials> potentials(const State&) const override { return std::nullopt; }
  void begin_step(const State&) override { ++steps_; }
  std::vector<double> memory() const override { return {steps_}; }
  void restore(const std::vector<double>& memory) override {
    if (memory.size() != 1) throw InputError("forces", "has no number of steps");
    steps_ = memory[0];
    if (std::exchange(refuses, false)) throw StepFailure("not this one");
  }

 private:
  double steps_ = 0;
};

/// A chain whose first node is held for ever, the last one until the fourth step, and one between along y until the
/// sixth.
struct Made {
  std::shared_ptr<Remembering> force = std::make_shared<Remembering>();
  Simulation simulation;

  explicit Made(const std::string& method) : simulation(make(method)) {}

 private:
  Simulation make(const std::string& method) {
    MechanicalSystem::Parts parts{line_of_nodes(snapshot_nodes),
                                  coupled_masses(snapshot_nodes),
                                  {line_bonds(snapshot_nodes, 50, .3), force},
                                  {{{0}, Motion{}},
                                   {{snapshot_nodes - 1}, Motion{}, 4 * h},
                                   {{2}, Motion{}, 6 * h, Vec3::UnitY() * Vec3::UnitY().transpose()}},
                                  1};
    const auto system = std::make_shared<MechanicalSystem>(std::move(parts));
    const Vector q = line_of_nodes(snapshot_nodes);
    return Simulation(system, {method, {}, two_modes()}, h,
                      system->state(q, Vec3(.1, .2, .3).replicate<snapshot_nodes, 1>(), 0));
  }
};

void advance(Simulation& s, int steps) {
  for (int k = 0; k < steps; ++k) s.step();
}

void expect_same(Simulation& x, Simulation& y) {
  EXPECT_EQ(x.step_count(), y.step_count());
  EXPECT_EQ(x.energies().total(), y.energies().total());
  EXPECT_EQ(x.damping_loss(), y.damping_loss());
  EXPECT_EQ(x.account().memory(), y.account().memory());
  EXPECT_EQ(x.system().releases(), y.system().releases());
  EXPECT_EQ(x.system().memory(), y.system().memory());
  EXPECT_EQ(x.state().t, y.state().t);
  ASSERT_EQ(x.state().q.size(), y.state().q.size());
  EXPECT_EQ(x.state().q, y.state().q);
  EXPECT_EQ(x.state().v, y.state().v);
}

struct Wrong {
  const char* entry;
  std::function<void(Snapshot&)> make;
};

const std::vector<Wrong> all_wrong = {
    {"history:", [](Snapshot& s) { s.history.clear(); }},
    {"history:", [](Snapshot& s) { s.history.resize(40, s.history[0]); }},
    {"history[0].q:",
     [](Snapshot& s) {
       for (State& u : s.history) u = {Vector::Zero(3), Vector::Zero(3), u.t};
     }},
    {"history[0].q[2]:", [](Snapshot& s) { s.history[0].q[2] = nan; }},
    {"history[0].v:", [](Snapshot& s) { s.history[0].v.conservativeResize(2); }},
    {"history[0].v[0]:", [](Snapshot& s) { s.history[0].v[0] = HUGE_VAL; }},
    {"history[0].a:", [](Snapshot& s) { s.history[0].a = Vector::Zero(1); }},
    {"history[0].t:", [](Snapshot& s) { s.history[0].t += h; }},
    {"history[0].t:", [](Snapshot& s) { s.history[0].t = nan; }},
    {"history[1].t:", [](Snapshot& s) { s.history[1].t = s.history[0].t; }},
    {"step:", [](Snapshot& s) { s.step = -1; }},
    {"start_time:", [](Snapshot& s) { s.start_time = nan; }},
    {"supply:", [](Snapshot& s) { s.supply = nan; }},
    {"forces:", [](Snapshot& s) { s.forces.pop_back(); }},
    {"forces:", [](Snapshot& s) { s.forces.push_back(0); }},
    {"forces:", [](Snapshot& s) { s.forces[0] = .5; }},
    {"forces[1]:", [](Snapshot& s) { s.forces[1] = nan; }},
    {"account:", [](Snapshot& s) { s.account.pop_back(); }},
    {"account[3]:", [](Snapshot& s) { s.account[3] = -HUGE_VAL; }},
    {"releases:", [](Snapshot& s) { s.releases = -1; }},
    {"releases:", [](Snapshot& s) { s.releases = 1000000; }},
    {"history[0].q:", [](Snapshot& s) { s.releases = 0; }},
};
const std::vector<Wrong> wrong_modes = {
    {"modes.lambda:", [](Snapshot& s) { s.modes->lambda = Vector::Zero(100); }},
    {"modes.lambda[0]:", [](Snapshot& s) { s.modes->lambda[0] = nan; }},
    {"modes.X:", [](Snapshot& s) { s.modes->X.conservativeResize(3, s.modes->X.cols()); }},
    {"modes.X:", [](Snapshot& s) { s.modes->X.conservativeResize(s.modes->X.rows(), 1); }},
    {"modes.X[1]:", [](Snapshot& s) { s.modes->X(1, 0) = nan; }},
    {"modes.at:", [](Snapshot& s) { s.modes->at.resize(0); }},
    {"modes.age:", [](Snapshot& s) { s.modes->steps_since_refresh = -1; }},
};

void refuse(const std::string& method, const std::vector<Wrong>& list) {
  Made made(method), twin(method);
  Simulation &s = made.simulation, &undisturbed = twin.simulation;
  advance(s, 5);
  advance(undisturbed, 5);
  const Snapshot sound = s.snapshot();
  undisturbed.snapshot();
  ASSERT_EQ(sound.history.size(), 2u);
  advance(s, 2);
  advance(undisturbed, 2);
  for (const Wrong& wrong : list) {
    Snapshot damaged = sound;
    wrong.make(damaged);
    try {
      s.restore(damaged);
      ADD_FAILURE() << wrong.entry << " is taken";
    } catch (const InputError& e) {
      EXPECT_EQ(std::string(e.what()).substr(0, std::string(wrong.entry).size()), wrong.entry) << e.what();
    }
    expect_same(s, undisturbed);
  }
  s.snapshot();
  undisturbed.snapshot();
  advance(s, 4);
  advance(undisturbed, 4);
  expect_same(s, undisturbed);
}

TEST(Snapshots, ThatDoNotFitAreRefusedByName) { refuse("BDF2", all_wrong); }

TEST(Snapshots, ThatHoldWrongModesAreRefusedByName) {
  refuse("SBDF2ERE", wrong_modes);
  Made hybrid("SBDF2ERE"), base("SBDF2");
  advance(hybrid.simulation, 5);
  EXPECT_THROW(base.simulation.restore(hybrid.simulation.snapshot()), InputError);
}

/// Whatever is thrown in the middle of it: here by a force, before and after nodes are released.
TEST(Snapshots, AFailedRestoreChangesNothing) {
  for (const int when : {2, 5, 8}) {
    Made made("BDF2"), twin("BDF2"), other("BDF2");
    advance(made.simulation, 5);
    advance(twin.simulation, 5);
    advance(other.simulation, when);
    const Snapshot elsewhere = other.simulation.snapshot();
    made.force->refuses = true;
    EXPECT_THROW(made.simulation.restore(elsewhere), StepFailure);
    twin.simulation.snapshot();
    expect_same(made.simulation, twin.simulation);
    advance(made.simulation, 4);
    advance(twin.simulation, 4);
    expect_same(made.simulation, twin.simulation);
  }
}

/// Nodes that are held along y only are unknowns before their release and after it.
TEST(Snapshots, CountReleases) {
  for (const int when : {2, 4, 5, 6, 7, 9}) {
    Made made("BDF2"), twin("BDF2");
    advance(made.simulation, when);
    const Snapshot from = made.simulation.snapshot();
    EXPECT_EQ(from.releases, (when > 4) + (when > 6)) << when;
    twin.simulation.restore(from);
    expect_same(made.simulation, twin.simulation);
    advance(made.simulation, 4);
    advance(twin.simulation, 4);
    expect_same(made.simulation, twin.simulation);
  }
}

TEST(Snapshots, AStateOfAnotherLengthIsRefused) {
  Made made("BDF2"), twin("BDF2");
  Simulation& s = made.simulation;
  advance(s, 3);
  advance(twin.simulation, 3);
  const Vector q = s.state().q, v = s.state().v;
  EXPECT_THROW(s.set_state(q.head(3), v), InputError);
  EXPECT_THROW(s.set_state(q, Vector::Zero(q.size() + 3)), InputError);
  EXPECT_THROW(s.set_state(q, nan * v), InputError);
  expect_same(s, twin.simulation);
  advance(s, 3);
  advance(twin.simulation, 3);
  expect_same(s, twin.simulation);
}

}  // namespace
}  // namespace limber::test::snapshots
