#pragma once
/// Everything that a step changes, as a value. A step works on a copy, which replaces the original when the step is
/// accepted; if the step throws, the original is untouched. The memory of forces and the modes belong to the motion
/// too, but are stored where they are used; see StepTransaction.

#include <optional>
#include <vector>

#include "limber/core/history.hpp"
#include "limber/model/mechanical_system.hpp"
#include "limber/sim/energy_account.hpp"
#include "limber/time/stepper.hpp"

namespace limber {

/// Energy dissipated by one kind of force.
struct Loss {
  double total = 0;  // [J] since the start
  double power = 0;  // [W] at the present state, with the forces of the last step

  /// Adds the loss in an accepted step of length h [s] that ends with the power `now` [W]: by the trapezoidal rule, or
  /// with the power at the stage where all forces acted.
  void add(double h, double now, std::optional<double> at_stage);
};

/// The errors of some of the steps, as they have become since.
struct CarriedError {
  State now = {};      // of the present state, carried on to the time now.t; empty before the first of these steps
  double added = 0;    // [m] sum of what the steps have added
  double largest = 0;  // [m] the largest of a position so far
};

/// What the control of the error knows of the motion so far.
struct StepControl {
  double next = 0;                         // [s] proposed length of the next step; 0 before the first
  double ratio = 0;                        // of error to allowed error in the last step; 0 before the first
  double speed = 0;                        // [m/s] of the fastest unknown, fading
  double acceleration = 0;                 // [m/s²] likewise
  double error_q = 0;                      // of a step without contact [m] over h^(p+1), fading
  double error_v = 0;                      // likewise [m/s]
  double largest = 0;                      // [m] the largest error of a position so far, by all steps
  double drawn = 0;                        // [m] from the reserve
  double adapted = 0;                      // [s] when contact forces last adapted; 0: never
  bool touched_last = false;               // contact acted in the last step
  long since_carried = 0;                  // steps since the error was last carried on
  long rejected = 0;                       // steps taken again for their error
  long at_shortest = 0;                    // steps that were accepted only because they could not be shorter
  CarriedError smooth = {}, touched = {};  // by steps without and with contact

  /// The error of all unknowns; empty before the first step.
  Vector error() const;
  /// The numbers, without the errors of unknowns.
  std::vector<double> memory() const;
  void restore(const std::vector<double>& memory);
};

struct MotionState {
  History history;
  long step = 0;
  std::optional<State> acting = {};  // where the forces of the last step acted, if not at its end
  Energies energies = {};
  EnergyAccount account = {};
  Loss damping = {}, friction = {};
  double supply = 0;      // [J] mechanical energy at the start plus all that was supplied() since
  bool touching = false;  // in contact at the present state
  StepControl control = {};

  const State& now() const { return history[0]; }
  double time() const { return now().t; }
  /// Kinetic plus elastic energy [J].
  double mechanical() const { return energies.kinetic + energies.elastic; }
};

/// A motion that starts at u.
MotionState motion_from(MechanicalSystem& system, State u);

/// Books forces that changed between two steps: the change of energy counts as put in from outside.
void book_changed_forces(MechanicalSystem& system, MotionState& motion);

/// Numbers of the system have changed between two steps, and so has what is known of a motion at its present state. The
/// change of energy counts as put in from outside; accelerations are those of the new forces.
void book_changed_parameters(MechanicalSystem& system, MotionState& motion);

/// Undoes what a step has done to the system's forces and to the method's modes, unless it is committed.
class StepTransaction {
 public:
  StepTransaction(MechanicalSystem& system, Stepper& stepper);
  StepTransaction(const StepTransaction&) = delete;
  StepTransaction& operator=(const StepTransaction&) = delete;

  void roll_back();
  /// The same, but solvers keep what they have learnt: for a step that is taken again in every run of the scene.
  void undo();

 private:
  MechanicalSystem& system_;
  Stepper& stepper_;
  std::vector<double> forces_;
  ModesMark modes_;
};

}  // namespace limber
