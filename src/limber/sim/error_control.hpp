#pragma once
/// Steps whose lengths follow an estimate of their error. The accuracy [m] is shared out over the run: a step of length
/// h may add
///
///     (accuracy − error so far) · h/(time left) / gain
///
/// to a position. Errors of steps may cancel, be damped or grow. So their sum is carried along with the motion
/// (ErrorTransport), and the gain is the largest error so far over what the steps have added. In steps with contact, an
/// impact's error does not fall with h as that of a smooth motion does; such a step may also draw on a reserve of half
/// the accuracy, a tenth of what is left of it at a time.
/// Errors of steps with and without contact are carried apart, so that what an impact has spent does not shorten the
/// steps after it.

#include <optional>
#include <utility>
#include <vector>

#include "limber/sim/step_driver.hpp"
#include "limber/time/error_transport.hpp"

namespace limber {

struct ErrorControl {
  double accuracy;             // [m]
  double longest, shortest;    // [s] limits of the lengths of steps
  double duration;             // [s] of the run that the accuracy is shared out over
  double shortest_in_contact;  // [s] where contact acts, if it is more: impacts must not make steps ever shorter
  double typical;              // [s] forces that adapt their stiffness do so at most once in this time
  /// Times [s], ascending, at which steps end because forces or prescribed motions change abruptly there.
  std::vector<double> ends = {};
};

/// Times this close are the same [s].
inline double time_rounding(const ErrorControl& control) { return 1e-9 * control.duration; }

/// The next of the times at which steps end, after t [s]; ∞ after the last.
double next_end(const ErrorControl& control, double t);

/// Lengths of steps: constant, or as their error demands.
struct StepLengths {
  StepLengths(double constant) : step(constant) {}  // NOLINT: a length is the usual case
  StepLengths(ErrorControl by_error) : step(by_error.longest), control(std::move(by_error)) {}  // NOLINT

  double step;  // [s] of each, or of the longest
  std::optional<ErrorControl> control = {};
};

/// The tentative end of a step, and its error.
struct JudgedMotion {
  MotionState motion;
  double error = 0;      // [m] the largest of a position
  double between = 0;    // [m] how far a half step is off the cubic through the ends, if it was taken
  bool touched = false;  // contact acted in it
  LocalError all = {};   // of all positions
};

class ControlledStep {
 public:
  ControlledStep(MechanicalSystem& system, Stepper& stepper, const std::vector<Judge>& judges,
                 const ErrorControl& control, ErrorTransport& transport);

  /// The motion after a step that ends at `latest` [s] or before. The record tells how it was taken. Throws
  /// StepFailure.
  MotionState take(const MotionState& motion, double latest, StepRecord& record);

 private:
  double first_length(const State& u) const;
  double allowed(double h, const MotionState& motion, bool touched) const;
  JudgedMotion attempt(const MotionState& motion, double t_end, StepRecord& record);
  MotionState advanced(const MotionState& motion, double t_end, StepRecord& record);
  LocalError replaced_by_halves(const MotionState& motion, JudgedMotion& next, StepRecord& record);
  double size_of(const LocalError& error, double h, StepControl& state) const;
  void follow(const State& before, MotionState& motion) const;
  bool carry(const JudgedMotion& step, StepControl& state, const State& now);
  double next_length(double h, double ratio, const StepControl& before) const;

  MechanicalSystem& system_;
  Stepper& stepper_;
  const std::vector<Judge>& judges_;
  const ErrorControl& control_;
  ErrorTransport& transport_;
};

}  // namespace limber
