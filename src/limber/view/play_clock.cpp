#include "limber/view/play_clock.hpp"

#include <algorithm>

namespace limber {
namespace {

constexpr double longest_lag = .1;  // [s] that a simulation which was slow may make up for
/// While a recording is made, the simulation rests after each step for so many times as long as the step took.
/// Otherwise it takes as much of the processor as the recording, and pages that draw its steps take most of the rest.
constexpr double rest_for_recording = 3;

PlayClock::Clock::duration seconds(double s) {
  return std::chrono::duration_cast<PlayClock::Clock::duration>(std::chrono::duration<double>(s));
}

}  // namespace

void PlayClock::start(double time) {
  start_ = Clock::now();
  time_ = time;
}

PlayClock::Clock::time_point PlayClock::due(double time, bool recording) const {
  auto due = recording ? rests_until_ : Clock::time_point();
  if (speed_ > 0) due = std::max(due, start_ + seconds((time - time_) / speed_));
  return due;
}

void PlayClock::stepped(double from, double to, Clock::time_point begun, bool recording) {
  const auto now = Clock::now();
  const double lag = std::chrono::duration<double>(now - start_).count() * speed_ - (to - time_);
  if (speed_ > 0 && lag > longest_lag * speed_) start_ += seconds(lag / speed_ - longest_lag);  // it cannot keep up
  double spent = std::max(1e-9, std::chrono::duration<double>(now - begun).count());
  if (recording) {
    rests_until_ = now + std::chrono::duration_cast<Clock::duration>(rest_for_recording * (now - begun));
    spent *= 1 + rest_for_recording;
  }
  const double possible = (to - from) / spent;
  const double factor = speed_ > 0 ? std::min(possible, speed_) : possible;
  reached_ = reached_ > 0 ? .95 * reached_ + .05 * factor : factor;
}

}  // namespace limber
