#pragma once
/// The time that a run still needs, by its last steps: those of the last 20 s, but at least eight.

#include <deque>

namespace limber {

class Pace {
 public:
  /// `now` [s] after so many steps: at the start of the work, and after each step.
  void at(long step, double now) {
    // Moments that are close tell nothing.
    if (marks_.size() > 1 && marks_.back().now - marks_[marks_.size() - 2].now < shortest) marks_.pop_back();
    marks_.push_back({step, now});
    while (marks_.size() > 2 && now - marks_[1].now >= window && step - marks_[1].step >= least_steps)
      marks_.pop_front();
  }
  /// [s]; of so many steps in all.
  double left(long steps) const {
    if (marks_.size() < 2) return 0;
    const Mark &from = marks_.front(), &to = marks_.back();
    return (to.now - from.now) / static_cast<double>(to.step - from.step) * static_cast<double>(steps - to.step);
  }

 private:
  static constexpr double window = 20, shortest = .05;  // [s]
  static constexpr long least_steps = 8;
  struct Mark {
    long step;
    double now;
  };
  std::deque<Mark> marks_;
};

}  // namespace limber
