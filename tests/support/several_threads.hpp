#pragma once
/// The same work on several threads at once.

#include <latch>
#include <thread>
#include <vector>

namespace limber::test {

constexpr int several = 4;

/// work(thread) for thread = 0 … several − 1; all begin together.
template <class Work>
void on_several_threads(const Work& work) {
  std::latch start(several);
  std::vector<std::jthread> threads;
  for (int t = 0; t < several; ++t)
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      work(t);
    });
}

}  // namespace limber::test
