#pragma once  // internal
/// When the next step of a stage that plays is due, so that its time passes at a chosen speed.

#include <chrono>

namespace limber {

class PlayClock {
 public:
  using Clock = std::chrono::steady_clock;

  /// The stage's time [s] is `time` now.
  void start(double time);
  /// Simulated seconds in one second; 0: as fast as it can.
  void set_speed(double factor) { speed_ = factor; }
  double speed() const { return speed_; }
  /// The speed that is reached, a mean over the last steps; 0 before the first one.
  double reached() const { return reached_; }
  void forget_reached() { reached_ = 0; }

  /// `recording`: whether a recording or a fit is made meanwhile.
  Clock::time_point due(double time, bool recording) const;
  /// A step has been made.
  void stepped(double from, double to, Clock::time_point begun, bool recording);

 private:
  Clock::time_point start_, rests_until_;
  double time_ = 0;  // [s] of the stage at start_
  double speed_ = 1, reached_ = 0;
};

}  // namespace limber
