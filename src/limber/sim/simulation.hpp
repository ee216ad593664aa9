#pragma once
/// A motion in progress: a system, a method, and the driver that takes steps of constant length h. A step that fails is
/// taken again by the full Newton (semi-implicit methods), then in two halves, recursively, then given up. Where things
/// collide, backward Euler steps in for methods that go beyond their last stage, and for others at an eighth of a step.
/// A step that gains energy which nobody put in is taken again in calmer ways: by a hybrid with new modes, then without
/// modes; at an impact with contact beside the scheme, elsewhere by TR-BDF2; at last by backward Euler.

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "limber/core/errors.hpp"
#include "limber/core/history.hpp"
#include "limber/model/mechanical_system.hpp"
#include "limber/sim/energy_account.hpp"
#include "limber/sim/snapshot.hpp"
#include "limber/time/stepper.hpp"

namespace limber {

struct MethodSettings {
  std::string name = "TR-BDF2";
  MethodParameters parameters = {};
  MethodOptions options = {};
};

/// What one step took.
struct StepReport {
  int retaken() const { return renewed + without_modes + beside + by_tr_bdf2 + calmed; }

  long newton_iterations = 0;
  int escalations = 0;  // substeps left to the full Newton, or to backward Euler
  int substeps = 1;     // 1: the step was not halved
  // Substeps that gained energy and were taken again:
  int renewed = 0;                   // by a hybrid, with modes computed anew,
  int without_modes = 0;             // by a hybrid's base scheme,
  int beside = 0;                    // with contact beside the scheme,
  int by_tr_bdf2 = 0;                // by TR-BDF2, where nothing touches,
  int calmed = 0;                    // or, where all of these gained too, by backward Euler
  std::vector<std::string> notes;    // why
  std::vector<std::string> remarks;  // what else the user should hear, such as more modes than were asked for
};

class Simulation {
 public:
  /// The system is this simulation's as long as it lives: std::logic_error if another one drives it (a model can be
  /// built again). Throws InputError for an unknown method or wrong parameters.
  Simulation(std::shared_ptr<MechanicalSystem> system, const MethodSettings& method, double step, State initial);

  /// One step of length h. Throws StepFailure if it cannot be taken; whatever is thrown, the state is unchanged.
  StepReport step();
  /// Frees the nodes that are held until now. A step begins with it: for those who look at the state before a step and
  /// after it, which then have the same unknowns. The motion starts anew from the present state: history, acceleration
  /// and modes are forgotten.
  void release_due();
  /// Steps until the time is at least t (to within half a step); stops early, also within a step, which is
  /// then undone, when `go_on` returns false.
  void run_until(
      double t, const std::function<bool()>& go_on = [] { return true; });

  const State& state() const { return history_[0]; }
  /// Where the forces of the last step acted: its end, or the stage of a method that goes beyond it (midpoint, gen-α).
  /// Contact, friction and reactions are those of this state.
  const State& acting() const { return acting_ ? *acting_ : state(); }
  double time() const { return state().t; }
  double step_length() const { return h_; }
  long step_count() const { return step_; }
  /// Energy that damping forces have taken out since the start [J]: by the trapezoidal rule over the steps, or with the
  /// power where forces acted, if that is a stage.
  double damping_loss() const { return damping_loss_; }
  /// The same for friction.
  double friction_loss() const { return friction_loss_; }
  Energies energies() const { return energies_; }
  /// What was put in from outside, and what appeared from nowhere.
  const EnergyAccount& account() const { return account_; }
  MechanicalSystem& system() { return *system_; }
  const MechanicalSystem& system() const { return *system_; }
  const MethodInfo& method() const { return *info_; }
  SolverCounts linear_counts() const;
  ExponentialCounts exponential_counts() const { return stepper_.exponential_counts(); }
  /// The modes that the method has split off at the last refresh; null for methods that split off none.
  const ModalSubspace* modes() const { return stepper_.modes(); }

  /// Forces may be changed between steps, such as a pull by hand: `change` does it. By how much the energy is another
  /// one after it counts as put in from outside.
  void change_forces(const std::function<void()>& change);
  /// A new state of the unknowns at the present time; history, acceleration and modes are forgotten. Throws
  /// InputError("positions" or "velocities", …) for one of another length or that is not finite; then, and if a force
  /// throws, nothing has changed.
  void set_state(Vector q, Vector v);
  /// A checkpoint. All that solvers have learnt is forgotten here, so that a run resumed from it has the bits of one
  /// that goes on.
  Snapshot snapshot();
  /// Throws InputError(entry, …) for one that does not fit. Whatever is thrown, the motion is where it was; only what
  /// solvers have learnt may be forgotten, as by a snapshot.
  void restore(const Snapshot& s);

 private:
  /// A step that could be accepted: where it ends, and what it did to the energy.
  struct Trial {
    State u;
    Energies e;
    WorkPutIn put_in;             // from outside
    double gain = 0;              // [J] that came from nowhere; negative: lost
    std::optional<State> acting;  // the stage at which all forces acted, if that is not where it ends
    bool touches = false;         // at its end
    bool touched = false;         // somewhere on the way: its gain counts
  };
  using Take = std::function<State()>;
  struct Calmer {
    int StepReport::*count;
    Take take;
    bool with_modes = false;
  };

  void advance(double t_end, int depth, StepReport& report);
  void adapt();
  void book_changed_forces();
  /// The ways to take a step, in the order in which they are tried. After that it is halved.
  std::vector<Take> attempts(double t_end, int depth);
  /// nullopt, with the reason noted, if the step fails.
  std::optional<Trial> attempted(const Take& take, StepFailure& failure);
  bool stiffens(const Trial& trial);
  Trial judged(State u) const;
  std::vector<Calmer> calmer(const Trial& trial);
  /// A trial that gains too much, taken again.
  Trial calmed(Trial trial, StepReport& report);
  double noise() const;
  bool gains(const Trial& trial) const;
  bool regains(const Trial& trial) const;
  void check_path(const State& u) const;
  double supplied(const Trial& trial) const;
  void check(const Trial& trial) const;
  void accept(Trial trial);
  void start_anew(State u);
  void release_first(int k);
  void take_over(const Snapshot& s);
  void begin_again(const std::vector<double>& forces, const std::optional<ModalMemory>& modes);
  std::string alarm() const;

  std::shared_ptr<MechanicalSystem> system_;
  std::shared_ptr<void> claim_;  // on the system
  const MethodInfo* info_;
  MethodSettings settings_;
  Stepper stepper_;
  SolverCounts counts_before_;  // of the steppers before the last release
  double h_, mass_, start_time_;
  History history_;
  std::optional<State> acting_;  // of the last step, where that is not its end
  long step_ = 0;
  Energies energies_;
  EnergyAccount account_;
  bool touching_ = false;  // at the present state
  double damping_loss_ = 0, damping_power_ = 0, friction_loss_ = 0, friction_power_ = 0;
  std::set<std::string> said_;  // of what is said once
  double supply_ = 0;           // [J] mechanical energy at the start and all that outer forces have put in since
};

}  // namespace limber
