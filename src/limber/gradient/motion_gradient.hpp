#pragma once
/// A motion and its derivatives. Steps are differentiated as they were taken, halved and retaken ones included.
/// Backwards the motion is computed again in blocks of √N steps, each from a snapshot, to the same bits.

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "limber/gradient/calls.hpp"
#include "limber/gradient/variation.hpp"
#include "limber/sim/simulation.hpp"

namespace limber {

class ReverseStep;

/// Throws InputError if the motion cannot be differentiated: for contact by inequalities, and nodes that are released
/// before `end` [s].
void require_differentiable(const Simulation& simulation, double end);
/// Whether a force depends on the motion before the step, apart from its constants: viscous stresses, turned damping.
/// Such motions can be differentiated forwards only.
bool follows_motion(const MechanicalSystem& system);
/// Whether the tangent of a force is not exactly its derivative: of damping at the current state, whose K is projected.
bool has_approximate_tangents(const MechanicalSystem& system);

/// Whether steps have no rule for their derivative, so that they are differentiated as wholes, forwards only: those of
/// hybrids, exponential methods and A-search, with lagged friction, and with forces whose tangent is approximate.
bool by_whole_steps(const MethodInfo& method, const MechanicalSystem& system);

struct MotionAdjoint {
  Vector parameters;   // of all variations, one after the other
  StateAdjoint start;  // of the start state
};

/// What the last sweep backwards took.
struct GradientEffort {
  long kept = 0;            // snapshots and steps at the same time, at most
  long computed_again = 0;  // steps
};

class MotionGradient {
 public:
  /// A simulation at its start, with MethodOptions::record_stages; `method`: its method.
  MotionGradient(Simulation& simulation, const MethodSettings& method, std::vector<SystemVariation*> variations);
  ~MotionGradient();

  /// Called with each state of the unknowns, the start first.
  using Visit = std::function<void(long step, const State& u)>;
  /// Takes the steps.
  void run(long steps, const Visit& visit);
  /// After run: from the adjoints of all states, which are asked for backwards.
  MotionAdjoint backwards(const std::function<StateAdjoint(long step)>& of_state);
  const GradientEffort& effort() const { return effort_; }
  /// Takes the steps together with the changes of each state by the components of all variations.
  using VisitChange = std::function<void(long step, const State& u, const StateChange& change)>;
  void forwards(long steps, const VisitChange& visit);

 private:
  struct Step {
    ForceMemories before, after;  // of forces that learn
    std::vector<RecordedSubstep> substeps;
    std::vector<std::shared_ptr<const HeldModes>> modes;  // of each substep
  };
  Step take(std::deque<State>& known);
  const TimeIntegrator& scheme(Way way) const;
  bool linearized(Way way) const;
  Index components() const;
  using StepChange =
      std::function<StateChange(const Step& step, std::size_t substep, std::span<const StateChange> known,
                                const ForceMemories& before, const ForceMemories& within)>;
  void forwards(long steps, const VisitChange& visit, const StepChange& change_of);
  /// Sets forces as they were in a substep. Returns whether they have become others since the last call.
  bool begin(const State& start, const ForceMemories& before, const ForceMemories& within);
  void step_back(ReverseStep& reverse, const Step& step, std::deque<StateAdjoint>& adjoint, Vector& gradient);

  Simulation& simulation_;
  const MethodInfo* info_;
  MethodSettings method_;
  struct {
    std::unique_ptr<TimeIntegrator> own, tr_bdf2, backward_euler;
  } schemes_;
  std::vector<SystemVariation*> variations_;
  bool learns_, follows_;
  ForceMemories present_;       // what forces know in the substep that is differentiated
  long steps_ = 0, block_ = 1;  // steps in a block
  std::vector<Snapshot> snapshots_;
  std::vector<Step> last_block_;
  GradientEffort effort_;
};

}  // namespace limber
