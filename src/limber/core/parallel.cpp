#include "limber/core/parallel.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_scheduler_observer.h>

#include <memory>

#include "limber/core/signals.hpp"

#ifdef LIMBER_PLAIN_THREADS
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#endif

namespace limber {
namespace {
std::unique_ptr<tbb::global_control> limit;

/// Threads that help leave signals to the one that they help.
class Helpers final : public tbb::task_scheduler_observer {
 public:
  void on_scheduler_entry(bool is_worker) override {
    if (is_worker) static thread_local const SignalsWait wait;
  }
};
}  // namespace

void set_threads(int n) {
  static Helpers* const helpers = new Helpers;  // never destroyed: they may outlive it
  helpers->observe(true);
  limit.reset();
  if (n > 0)
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  static_cast<std::size_t>(n));
}

int threads() {
  const auto allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return std::min(static_cast<int>(allowed), tbb::info::default_concurrency());
}

#ifdef LIMBER_PLAIN_THREADS
// Plain threads, for the thread sanitizer: it cannot see how a oneTBB that was compiled without it synchronises, and
// would find races everywhere. A loop within a loop has one thread.
void parallel_over(Index n, const PartOfLoop& loop) {
  static thread_local bool within = false;
  const Index workers = within ? 1 : std::min<Index>({n, threads(), 4});  // enough for a race
  std::atomic<Index> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    const bool before = std::exchange(within, true);
    try {
      for (Index i = next++; i < n; i = next++) loop(i, i + 1);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      next = n;
    }
    within = before;
  };
  {
    std::vector<std::jthread> others;
    for (Index k = 1; k < workers; ++k) others.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}
#else
void parallel_over(Index n, const PartOfLoop& loop) {
  tbb::parallel_for(tbb::blocked_range<Index>(0, n), [&](const auto& part) { loop(part.begin(), part.end()); });
}
#endif

}  // namespace limber
