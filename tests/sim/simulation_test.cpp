/// The driver: failed steps, halving, escalation, restart.

#include "limber/sim/simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "support/forces.hpp"
#include "support/methods.hpp"

namespace limber::test {
namespace {

constexpr int chain_nodes = 4;
constexpr double h = 1.0 / 64;  // sums of it are exact

struct Scene {
  std::shared_ptr<Moody> moody = std::make_shared<Moody>();
  MechanicalSystem::Parts parts;
  State start;

  explicit Scene(double stiffness = 50, double damping = 0.3,
                 const std::vector<NodalMass>& masses = coupled_masses(chain_nodes),
                 std::shared_ptr<Force> further = std::make_shared<Moody>()) {
    const Vector weights = Vector::Constant(chain_nodes, 1.0);
    parts = {line_of_nodes(chain_nodes),
             masses,
             {line_bonds(chain_nodes, stiffness, damping), std::make_shared<Weight>(weights, Vec3(0, -1, 0)), moody,
              std::move(further)},
             {{{0}, Motion{}}},
             1};
    Vector q = line_of_nodes(chain_nodes), v = Vector::Zero(3 * chain_nodes);
    for (int i = 3; i < 3 * chain_nodes; ++i) q[i] += 0.1 * std::sin(1.7 * i), v[i] = 0.5 * std::cos(2.3 * i);
    start = system()->state(q, v, 0);
  }
  /// One for each simulation, of the same forces.
  std::shared_ptr<MechanicalSystem> system() const { return std::make_shared<MechanicalSystem>(parts); }
  Simulation simulation(const Row& row, double step = h) const {
    return Simulation(system(), {row.method, row.parameters, two_modes()}, step, start);
  }
};

bool same_bits(const Vector& x, const Vector& y) { return x.size() == y.size() && (x.array() == y.array()).all(); }
void expect_same_bits(const State& x, const State& y) {
  EXPECT_TRUE(same_bits(x.q, y.q));
  EXPECT_TRUE(same_bits(x.v, y.v));
  EXPECT_TRUE(same_bits(x.a, y.a));
  EXPECT_EQ(x.t, y.t);
}
void expect_same(Simulation& x, Simulation& y) {
  expect_same_bits(x.state(), y.state());
  EXPECT_EQ(x.step_count(), y.step_count());
  EXPECT_EQ(x.energies().total(), y.energies().total());
  EXPECT_EQ(x.damping_loss(), y.damping_loss());
  const Snapshot a = x.snapshot(), b = y.snapshot();
  ASSERT_EQ(a.history.size(), b.history.size());
  for (std::size_t i = 0; i < a.history.size(); ++i) expect_same_bits(a.history[i], b.history[i]);
  EXPECT_EQ(a.supply, b.supply);
}
void take(Simulation& s, int steps) {
  for (int i = 0; i < steps; ++i) s.step();
}

/// Pushes harder at each step that it has begun, and remembers.
class Learning final : public Force, public LearningForce {
 public:
  ForceTraits traits() const override { return {.has_potential = false}; }
  void add_couplings(Couplings&) const override {}
  void add_force(const State&, Vector& f) const override { f[3] += steps_; }
  void add_tangent(const State&, TangentBuilder&) const override {}
  std::optional<Potentials> potentials(const State&) const override { return std::nullopt; }
  void begin_step(const State&) override { ++steps_; }
  std::vector<double> memory() const override { return {steps_}; }
  void restore(const std::vector<double>& memory) override { steps_ = memory.at(0); }

 private:
  double steps_ = 0;
};

class Driver : public ::testing::TestWithParam<Row> {};

TEST_P(Driver, AFailedStepChangesNothing) {
  const Scene scene;
  Simulation tried = scene.simulation(GetParam()), untried = scene.simulation(GetParam());
  take(tried, 3);
  take(untried, 3);
  scene.moody->complain = [](double, const State&) { throw StepFailure("not today", 7, 0.5); };
  try {
    tried.step();
    FAIL() << "the force complains about every state";
  } catch (const StepFailure& failure) {
    EXPECT_EQ(failure.t, 3 * h);
    EXPECT_GT(failure.h, 0);
    EXPECT_LT(failure.h, h);
    EXPECT_EQ(failure.iterations, 7);
    for (const char* part : {"not today", "t = 0.046875", "Try", "time.step"})
      EXPECT_NE(failure.reason.find(part), std::string::npos) << failure.reason;
    EXPECT_STREQ(failure.what(), failure.reason.c_str());
  }
  scene.moody->complain = [](double, const State&) {};
  expect_same(tried, untried);
  take(tried, 3);
  take(untried, 3);
  expect_same(tried, untried);
}

/// Memory that is not there is not found by a shorter step or a calmer one.
TEST_P(Driver, AStepWithoutMemoryIsNotTriedAgain) {
  const Scene scene;
  Simulation tried = scene.simulation(GetParam()), untried = scene.simulation(GetParam());
  take(tried, 3);
  take(untried, 3);
  for (const bool named : {true, false}) {
    int complaints = 0;
    scene.moody->complain = [&](double, const State&) {
      ++complaints;
      if (named) throw OutOfMemory("a factor of 12 unknowns", 3e12);
      throw std::bad_alloc();
    };
    try {
      tried.step();
      FAIL() << "there is no memory";
    } catch (const OutOfMemory& e) {
      const std::string said = e.what(), needs = named ? "a factor of 12 unknowns needs 3e+03 GB" : "a step with";
      EXPECT_EQ(said.find("memory ran out: " + needs), 0u) << said;
    }
    EXPECT_EQ(complaints, 1);
  }
  scene.moody->complain = [](double, const State&) {};
  expect_same(tried, untried);
  take(tried, 3);
  take(untried, 3);
  expect_same(tried, untried);
}

TEST_P(Driver, AnInterruptedStepChangesNothing) {
  for (const int evaluations : {0, 1, 2, 5}) {
    const Scene interrupted, undisturbed;
    Simulation a = interrupted.simulation(GetParam()), b = undisturbed.simulation(GetParam());
    take(a, 3);
    take(b, 3);
    int left = evaluations;
    interrupted.moody->complain = [&](double, const State&) {
      if (left-- == 0) throw Interrupted();
    };
    try {
      a.step();
      ASSERT_GE(left, 0) << "the interruption was swallowed";
      return;  // fewer evaluations a step
    } catch (const Interrupted&) {
    }
    interrupted.moody->complain = [](double, const State&) {};
    expect_same(a, b);
    EXPECT_EQ(a.snapshot().forces, b.snapshot().forces);
    take(a, 3);
    take(b, 3);
    expect_same(a, b);
  }
}

TEST_P(Driver, ARestartFromASnapshotHasTheSameBits) {
  const Scene scene;
  Simulation whole = scene.simulation(GetParam()), resumed = scene.simulation(GetParam());
  take(whole, 5);
  resumed.restore(whole.snapshot());
  expect_same(whole, resumed);
  take(whole, 5);
  take(resumed, 5);
  expect_same(whole, resumed);
}

TEST_P(Driver, ANewStateForgetsThePast) {
  Scene scene;
  Simulation changed = scene.simulation(GetParam());
  take(changed, 3);
  changed.set_state(scene.start.q, 2 * scene.start.v);
  EXPECT_EQ(changed.time(), 3 * h);
  scene.start = {scene.start.q, 2 * scene.start.v, 3 * h};
  Simulation fresh = scene.simulation(GetParam());
  take(changed, 3);
  take(fresh, 3);
  expect_same_bits(changed.state(), fresh.state());
}

/// Refuses whole steps in some parts of the time only, so that whole steps and parts alternate.
void refuse_long_steps(Moody& moody, double step) {
  moody.complain = [step](double start, const State& u) {
    if (std::fmod(start, 0.25) < 0.1 && u.t - start > 0.4 * step) throw StepFailure("too far at once");
  };
}

TEST_P(Driver, HalvedStepsLandOnTheGridAndKeepTheOrder) {
  for (const char* name : {"symplectic-euler", "ERE", "SIERE", "SBDF2ERE", "SBDF2ERE-printed"})
    if (GetParam().method == name) GTEST_SKIP() << "asks for forces at the step's start only";
  const Scene scene;
  Simulation exact = scene.simulation({"RK4", {}}, 1.0 / 2048);
  exact.run_until(0.5);
  const auto error = [&](int steps) {
    const double step = 0.5 / steps;
    refuse_long_steps(*scene.moody, step);
    Simulation s = scene.simulation(GetParam(), step);
    std::size_t substeps = 0;
    for (int i = 1; i <= steps; ++i) {
      const StepRecord record = s.step();
      substeps += record.substeps.size();
      EXPECT_EQ(record.halved(), !record.notes.empty());
      EXPECT_EQ(s.time(), i * step);
    }
    EXPECT_GT(substeps, steps);
    EXPECT_LT(substeps, 3 * steps);
    scene.moody->complain = [](double, const State&) {};
    return (s.state().q - exact.state().q).norm() + (s.state().v - exact.state().v).norm();
  };
  EXPECT_NEAR(std::log2(error(128) / error(256)), find_method(GetParam().method).order, 0.2);
}

/// Each recorded stage obeys q = q* + τ_q v, and M (v − v*) = τᵥ f where Newton has solved it; the stages of a substep
/// lie in it, and lead to its end.
TEST_P(Driver, StagesAreRecordedAsTheyWereSolved) {
  const Scene scene;
  EXPECT_TRUE(scene.simulation(GetParam()).step().substeps.at(0).log.stages.empty()) << "unless it is asked for";
  const MethodInfo& info = find_method(GetParam().method);
  if (info.splitting != Splitting::none) GTEST_SKIP() << "stages of the complement alone";
  const bool solves = info.kind == MethodKind::implicit || info.kind == MethodKind::semi_implicit;
  const bool ends_at_stage = solves && info.make(complete_parameters(info, GetParam().parameters))->ends_at_stage();
  MethodOptions options;
  options.record_stages = true;
  options.stages.newton.tolerance = 1e-10;
  Simulation s(scene.system(), {info.name, GetParam().parameters, options}, h, scene.start);
  refuse_long_steps(*scene.moody, h);
  bool halved = false;
  for (int i = 0; i < 8; ++i) {
    const StepRecord record = s.step();
    halved = halved || record.halved();
    for (const Substep& substep : record.substeps) {
      if (solves) EXPECT_FALSE(substep.log.stages.empty());
      for (const StageRecord& stage : substep.log.stages) {
        const State& u = stage.result.u;
        EXPECT_GE(u.t, substep.t);
        EXPECT_LE(u.t, substep.t + 1.000001 * substep.h);
        EXPECT_LE((u.q - stage.star.q - stage.tau_q * u.v).norm(), 1e-13 * u.q.norm());
        if (info.solution == StageSolution::linearized) continue;
        const Vector r = s.system().apply_mass(u.v - stage.star.v) - stage.tau_v * s.system().force(u);
        EXPECT_LE(r.norm(), 1e-6);
        if (stage.tau_q > 0) EXPECT_GT(stage.result.iterations, 0);
      }
    }
    if (ends_at_stage) EXPECT_LE((record.substeps.back().log.stages.back().result.u.q - s.state().q).norm(), 1e-14);
  }
  scene.moody->complain = [](double, const State&) {};
  if (solves) EXPECT_TRUE(halved);
}

INSTANTIATE_TEST_SUITE_P(Catalog, Driver, ::testing::ValuesIn(default_rows()), row_name);

TEST(Simulation, ADivergingSemiImplicitStepIsLeftToNewton) {
  const Scene scene(50, 0);
  State fast = scene.start;
  fast.v *= 60;  // moves by several lengths of a bond in a step
  const double step = 0.25;
  Simulation semi(scene.system(), {"SI", {}, {}}, step, fast), full(scene.system(), {"BE", {}, {}}, step, fast);
  const StepRecord record = semi.step();
  full.step();
  EXPECT_EQ(record.escalations(), 1);
  EXPECT_FALSE(record.halved());
  ASSERT_EQ(record.notes.size(), 1u);
  EXPECT_NE(record.notes[0].find("energy grows"), std::string::npos) << record.notes[0];
  EXPECT_GT(record.newton_iterations, 1);
  EXPECT_LT((semi.state().q - full.state().q).norm(), 1e-6);
  EXPECT_EQ(semi.time(), step);
}

double mechanical(const Simulation& s) { return s.energies().kinetic + s.energies().elastic; }

/// A little beyond the stability limit (ω_max = 161/s at rest): each step grows a little, until the sum of it cannot
/// be.
TEST(Simulation, SlowGrowthOfAnExplicitMethodIsCaught) {
  const Scene scene(1e4, 0, lumped_masses(chain_nodes));
  for (const char* name : {"symplectic-euler", "verlet", "RK4"}) {
    Simulation s(scene.system(), {name, {}, {}}, name == std::string("RK4") ? 0.02 : 0.0128, scene.start);
    const double first = mechanical(s);
    // Smaller substeps tame it, or the run ends: rounding decides which.
    bool caught = false;
    try {
      for (int i = 0; i < 300; ++i) {
        caught = s.step().halved() || caught;
        ASSERT_LT(mechanical(s), 25 * (first + 250)) << name << ", step " << i;  // 250 J: more than the weight can do
      }
    } catch (const StepFailure& failure) {
      EXPECT_NE(failure.reason.find("unstable"), std::string::npos) << failure.reason;
      caught = true;
    }
    EXPECT_TRUE(caught) << name;
    EXPECT_LT(mechanical(s), 25 * (first + 250)) << name;
  }
}

TEST(Simulation, AnExplosionThatHalvingCannotStopEndsTheRun) {
  const Scene scene(1e12, 0, lumped_masses(chain_nodes));
  for (const char* name : {"symplectic-euler", "verlet", "RK4"}) {
    Simulation s(scene.system(), {name, {}, {}}, h, scene.start);
    EXPECT_THROW(take(s, 20), StepFailure) << name;
    EXPECT_TRUE(is_finite(s.state())) << name;
  }
}

/// What is lost of the energy is what the dashpots took.
TEST(Simulation, TheDampingLossClosesTheEnergyBalance) {
  const Scene scene(50, 0.3);
  Simulation s = scene.simulation({"RK4", {}}, 1.0 / 1024);
  const double before = s.energies().total();
  s.run_until(1);
  EXPECT_EQ(s.time(), 1);
  EXPECT_GT(s.damping_loss(), 0.05 * std::abs(before));
  EXPECT_NEAR(s.energies().total() + s.damping_loss(), before, 1e-5 * std::abs(before));
}

TEST(Simulation, RunsUntilItIsToldToStop) {
  const Scene scene;
  Simulation s = scene.simulation({"SI", {}});
  s.run_until(1, [&] { return s.step_count() < 4; });  // asked within steps, too
  EXPECT_EQ(s.step_count(), 4);
  s.run_until(0.5);
  EXPECT_EQ(s.time(), 0.5);
}

/// What asks is Newton itself, between its iterations; what forces learnt in the step is forgotten.
TEST(Simulation, IsInterruptedWithinAStep) {
  for (const char* method : {"BE", "TR-BDF2", "BDF2", "BEERE", "SDIRKERE"}) {
    SCOPED_TRACE(method);
    const Scene one{50, .3, coupled_masses(chain_nodes), std::make_shared<Learning>()},
        other{50, .3, coupled_masses(chain_nodes), std::make_shared<Learning>()};
    Simulation s = one.simulation({method, {}}), undisturbed = other.simulation({method, {}});
    take(s, 2);
    take(undisturbed, 2);
    int evaluations = 0;
    one.moody->complain = [&](double, const State&) { ++evaluations; };
    s.run_until(1, [&] { return evaluations < 2; });
    EXPECT_GE(evaluations, 2);
    EXPECT_EQ(s.step_count(), 2);
    expect_same(s, undisturbed);
    EXPECT_EQ(s.snapshot().forces, undisturbed.snapshot().forces);
    EXPECT_EQ(s.snapshot().forces.back(), 2);
    evaluations = 0;
    take(s, 2);
    EXPECT_GT(evaluations, 4) << "the step was not interrupted in its middle";
    take(undisturbed, 2);
    expect_same(s, undisturbed);
    // A step without an answer of its own heeds who is further out.
    evaluations = 0;
    const Interruptible outer([&] { return evaluations < 2; });
    EXPECT_THROW(s.step(), Interrupted);
    EXPECT_EQ(s.step_count(), 4);
  }
}

TEST(Simulation, RefusesAnUnknownMethodAndWrongParameters) {
  const Scene scene;
  EXPECT_THROW(scene.simulation({"leapfrog", {}}), InputError);
  EXPECT_THROW(scene.simulation({"BE", {{"beta", 1}}}), InputError);
}

}  // namespace
}  // namespace limber::test
