#pragma once
/// A motion in progress: a system, a method, and steps of constant length or of lengths that follow the error
/// (error_control.hpp). A step that fails is repeated with the
/// full Newton (semi-implicit methods), then as two halves, recursively, then given up. In scenes with contact,
/// backward Euler replaces methods that extrapolate beyond their last stage, and other methods at an eighth of a step.
/// A step that gains energy is retaken: by a hybrid with new modes, then without modes; at an impact with contact as a
/// split impulse, otherwise by TR-BDF2; finally by backward Euler.

#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "limber/model/mechanical_system.hpp"
#include "limber/sim/error_control.hpp"
#include "limber/sim/judges.hpp"
#include "limber/sim/motion_state.hpp"
#include "limber/sim/snapshot.hpp"
#include "limber/sim/step_record.hpp"
#include "limber/time/stepper.hpp"

namespace limber {

struct MethodSettings {
  std::string name = "TR-BDF2";
  MethodParameters parameters = {};
  MethodOptions options = {};
};

class Simulation {
 public:
  /// Claims the system for the lifetime of this simulation; throws std::logic_error if another simulation drives it
  /// (build the model again for a second one). Throws InputError for an unknown method or wrong parameters.
  Simulation(std::shared_ptr<MechanicalSystem> system, const MethodSettings& method, const StepLengths& lengths,
             State initial);

  /// One step. Throws StepFailure if it cannot be taken; after any exception the state is unchanged.
  StepRecord step() { return step_to(std::numeric_limits<double>::infinity()); }
  /// The same; where lengths follow the error, the step ends at `latest` [s] or before.
  StepRecord step_to(double latest);
  /// Frees the nodes that are due for release. step() starts with this; call it first to compare states before and
  /// after a step in the same unknowns. After a release the motion restarts from the present state, without history,
  /// acceleration and modes.
  void release_due();
  /// Whether a run until t [s] goes on.
  bool is_before(double t) const;
  /// Steps until the time is at least t: to within half a step of constant length, else exactly. Stops early when
  /// `go_on` returns false; a step interrupted by this is undone.
  void run_until(
      double t, const std::function<bool()>& go_on = [] { return true; });

  const State& state() const { return motion_.now(); }
  /// The state where the forces of the last step acted: its end, or the stage of a method that extrapolates beyond it
  /// (midpoint, gen-α). Contact, friction and reactions refer to this state.
  const State& acting() const { return motion_.acting ? *motion_.acting : state(); }
  double time() const { return state().t; }
  /// Of all steps, or, where lengths follow the error, the one proposed for the next step.
  double step_length() const { return motion_.control.next > 0 ? motion_.control.next : lengths_.step; }
  /// Null for steps of constant length.
  const ErrorControl* error_control() const { return lengths_.control ? &*lengths_.control : nullptr; }
  /// The largest error of a position now, by the estimates [m]; 0 for steps of constant length.
  double estimated_error() const { return lengths_.control ? system_->space().max_abs(motion_.control.error()) : 0; }
  /// What the control of the error has done.
  const StepControl& step_control() const { return motion_.control; }
  long step_count() const { return motion_.step; }
  /// Energy dissipated by damping forces since the start [J], see Loss.
  double damping_loss() const { return motion_.damping.total; }
  /// The same for friction.
  double friction_loss() const { return motion_.friction.total; }
  Energies energies() const { return motion_.energies; }
  /// Energy put in from outside, and unexplained gains.
  const EnergyAccount& account() const { return motion_.account; }
  MechanicalSystem& system() { return *system_; }
  const MechanicalSystem& system() const { return *system_; }
  const MethodInfo& method() const { return *info_; }
  SolverCounts linear_counts() const;
  ExponentialCounts exponential_counts() const { return stepper_.exponential_counts(); }
  /// The modes split off at the last refresh; null for methods that split off none.
  const ModalSubspace* modes() const { return stepper_.modes(); }

  /// Calls `change`, which may change forces between steps (a pull by hand). The resulting change of energy counts as
  /// put in from outside.
  void change_forces(const std::function<void()>& change);
  /// The numbers of the system that may be changed between steps, as they are; none where the system offers none.
  std::vector<Parameter> parameters() const;
  /// Changes some of them, all at once. The motion goes on: its state and history, the modes (which the next step
  /// refreshes) and what forces have learnt stay; by how much the energy is another one counts as put in from outside.
  /// Before the first step all is as if the system had been made with these values. Throws InputError(name, …); then
  /// nothing has changed.
  void set_parameters(const std::vector<Parameter>& values);
  /// A new state of the unknowns at the present time; history, acceleration and modes are forgotten. Throws
  /// InputError("positions" or "velocities", …) for one of another length or that is not finite; then, and if a force
  /// throws, nothing has changed.
  void set_state(Vector q, Vector v);
  /// A checkpoint. Drops all data retained by solvers, so that a resumed run has the same bits as one that continues.
  Snapshot snapshot();
  /// Throws InputError(entry, …) for a snapshot that does not fit. After any exception the motion is unchanged; only
  /// data retained by solvers may be lost, as after snapshot().
  void restore(const Snapshot& s);

 private:
  void start_anew(State u);
  void renew_method();
  void release_first(int k);
  void take_over(const Snapshot& s);
  void apply_parameters(const std::vector<Parameter>& values);
  std::vector<Parameter> with_only(const std::vector<Parameter>& changed) const;
  void begin_again(const std::vector<double>& forces, const std::optional<ModalMemory>& modes);

  std::shared_ptr<MechanicalSystem> system_;
  std::shared_ptr<void> claim_;  // on the system
  const MethodInfo* info_;
  MethodSettings settings_;
  Stepper stepper_;
  SolverCounts counts_before_;  // of the steppers before the last release
  StepLengths lengths_;
  double start_time_;  // [s]
  MotionState motion_;
  std::vector<Judge> judges_;
  ErrorTransport transport_;
  std::set<std::string> said_;  // notes that are given only once
};

}  // namespace limber
