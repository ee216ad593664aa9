#include "limber/view/side_thread.hpp"

#include <pthread.h>

#include <utility>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"

namespace limber {
namespace {

constexpr std::size_t most_jobs = 20;

}  // namespace

SideThread::SideThread(ViewBoard& board, const char* name) : board_(board) {
  thread_ = std::thread([this] { work(); });
  ::pthread_setname_np(thread_.native_handle(), name);
}

SideThread::~SideThread() {
  end();
  thread_.join();
}

void SideThread::add(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (jobs_.size() >= most_jobs) throw InputError("", "too much is asked for at once; wait for the answers");
    jobs_.push_back(std::move(job));
  }
  asked_.notify_all();
}

void SideThread::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  asked_.notify_all();
}

void SideThread::work() {
  const Interruptible interruptible([this] { return !ended_; });
  for (;;) {
    Job next;
    {
      std::unique_lock lock(mutex_);
      asked_.wait(lock, [this] { return ended_ || !jobs_.empty(); });
      if (ended_) return;
      next = std::move(jobs_.front());
      jobs_.pop_front();
    }
    records_ = next.records;
    try {
      board_.guard(next.client, next.about, next.work);
    } catch (const Interrupted&) {
      return;
    }
    records_ = false;
  }
}

}  // namespace limber
