#pragma once  // internal
/// A thread for what takes long and leaves the stage of a session alone.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "limber/view/board.hpp"

namespace limber {

class SideThread {
 public:
  /// The board, which must outlive it, is told what jobs throw. `name`: of the thread, for those who watch the process.
  SideThread(ViewBoard& board, const char* name);
  ~SideThread();
  SideThread(const SideThread&) = delete;
  SideThread& operator=(const SideThread&) = delete;

  struct Job {
    unsigned long client = 0;
    std::string about;  // what was asked for
    std::function<void()> work;
    bool records = false;
  };
  /// Throws InputError if there are too many already.
  void add(Job job);
  /// Whether a job that records is being done.
  bool records() const { return records_; }
  /// Jobs that look give up, and no others are begun.
  void end();
  bool ended() const { return ended_; }

 private:
  void work();

  ViewBoard& board_;
  std::atomic<bool> ended_ = false, records_ = false;
  std::mutex mutex_;  // of jobs_
  std::condition_variable asked_;
  std::deque<Job> jobs_;
  std::thread thread_;
};

}  // namespace limber
