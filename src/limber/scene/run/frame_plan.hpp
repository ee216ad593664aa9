#pragma once  // internal
#include <cmath>

#include "limber/core/state.hpp"
#include "limber/scene/run/facts.hpp"

namespace limber {

/// When frames are due: every k steps, or at k/fps, between steps by cubic interpolation.
class FramePlan {
 public:
  FramePlan(const OutputChoice& output, const TimeSettings& time, double start)
      : start_(start),
        h_(time.step),
        every_(time.accuracy ? 1 : output.frames_every.value_or(1)),
        fps_(output.fps.value_or(time.accuracy ? OutputChoice::standard_fps : 0)),
        steps_(time.accuracy ? 0 : step_count(time)),
        end_(time.accuracy ? time.duration : static_cast<double>(steps_) * h_) {}

  long frames() const {
    if (fps_ == 0) return steps_ / every_ + 1;
    return static_cast<long>(std::floor(end_ * fps_ + rounding)) + 1;
  }
  double time(long frame) const { return start_ + since_start(frame); }
  /// Whether frames are states at the end of steps.
  bool at_steps() const { return fps_ == 0; }
  /// Whether frame k is due after `step` steps, at time t.
  bool due(long frame, long step, double t) const {
    if (frame >= frames()) return false;
    return fps_ == 0 ? frame * every_ <= step : since_start(frame) <= t - start_ + rounding * h_;
  }

 private:
  static constexpr double rounding = 1e-9;
  double since_start(long frame) const {
    return fps_ == 0 ? static_cast<double>(frame * every_) * h_ : static_cast<double>(frame) / fps_;
  }

  double start_;  // [s]
  double h_;
  long every_;
  double fps_;
  long steps_;
  double end_;  // [s] since the start
};

/// The cubic through both states and their velocities, at time t.
State between(const State& a, const State& b, double t);

}  // namespace limber
