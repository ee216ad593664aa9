#pragma once  // internal
/// What is asked of a thread, in the order in which it came.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

namespace limber {

class Waiting {
 public:
  using Clock = std::chrono::steady_clock;
  using Work = std::function<void()>;

  void add(Work work) { add({std::move(work), 0}, false); }
  /// `bytes`: what it keeps. False, and nothing is added, if that is more than can be kept waiting.
  bool add_if_room(Work work, std::size_t bytes) { return add({std::move(work), bytes}, true); }
  /// Waits for the next piece of work, at most until `due`; without it as long as it takes. Null: none has come, or the
  /// end has.
  Work next(std::optional<Clock::time_point> due);
  void end();
  bool ended() const { return ended_; }

 private:
  struct Piece {
    Work work;
    std::size_t bytes = 0;
  };
  bool add(Piece piece, bool if_room);

  std::atomic<bool> ended_ = false;
  std::mutex mutex_;  // of what follows
  std::condition_variable added_;
  std::deque<Piece> pieces_;
  std::size_t bytes_ = 0;
};

}  // namespace limber
