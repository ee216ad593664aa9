#pragma once
/// The last states of a motion, newest first. A time integrator has no other memory; a restart serialises it.

#include <deque>
#include <utility>

#include "limber/core/state.hpp"

namespace limber {

class History {
 public:
  explicit History(State now) { past_.push_front(std::move(now)); }
  /// States newest first, at least one.
  explicit History(std::deque<State> newest_first) : past_(std::move(newest_first)) {}

  const State& operator[](std::size_t i) const { return past_.at(i); }
  std::size_t size() const { return past_.size(); }

  /// Adds the newest state and drops all but the newest `kept`.
  void push(State u, std::size_t kept) {
    past_.push_front(std::move(u));
    while (past_.size() > kept) past_.pop_back();
  }

 private:
  std::deque<State> past_;
};

}  // namespace limber
