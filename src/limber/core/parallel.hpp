#pragma once
/// Loops over independent pieces of work, with oneTBB. The pieces are the same for any number of threads and a sum
/// is taken in the order of the pieces, so results have the same bits for any number of threads.

#if defined(__SANITIZE_THREAD__)
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#else
#include <tbb/parallel_for.h>
#endif

#include <vector>

#include "limber/core/types.hpp"

namespace limber {

/// The number of threads that loops may use from now on (0: all cores).
void set_threads(int n);
int threads();

#if defined(__SANITIZE_THREAD__)
/// Plain threads, since the sanitizer cannot see how oneTBB's library orders its tasks. Loops inside a loop are serial.
template <class Body>
void parallel_for(Index n, const Body& body) {
  thread_local bool inside = false;
  if (n <= 1 || inside) {
    for (Index i = 0; i < n; ++i) body(i);
    return;
  }
  std::atomic<Index> next = 0;
  std::exception_ptr failure;
  std::mutex failing;
  const auto work = [&] {
    inside = true;
    try {
      for (Index i = next++; i < n; i = next++) body(i);
    } catch (...) {
      const std::lock_guard lock(failing);
      failure = std::current_exception();
    }
    inside = false;
  };
  {
    std::vector<std::jthread> others(static_cast<std::size_t>(std::min(Index{threads()}, n) - 1));
    for (std::jthread& one : others) one = std::jthread(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}
#else
template <class Body>
void parallel_for(Index n, const Body& body) {
  if (n == 1) return body(Index{0});
  tbb::parallel_for(Index{0}, n, body);
}
#endif

/// Σᵢ term(i), added in the order of i.
template <class Term>
double ordered_sum(Index n, const Term& term) {
  std::vector<double> terms(static_cast<std::size_t>(n));
  parallel_for(n, [&](Index i) { terms[static_cast<std::size_t>(i)] = term(i); });
  double sum = 0;
  for (const double x : terms) sum += x;
  return sum;
}

}  // namespace limber
