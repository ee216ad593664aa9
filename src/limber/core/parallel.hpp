#pragma once
/// Loops over independent pieces of work, with oneTBB. The pieces are the same for any number of threads and a sum
/// is taken in the order of the pieces, so results have the same bits for any number of threads.

#include <tbb/parallel_for.h>

#include <algorithm>
#include <vector>

#include "limber/core/types.hpp"
#ifdef LIMBER_PLAIN_THREADS
#include <functional>
#endif

namespace limber {

/// The number of threads that loops may use from now on (0: all cores).
void set_threads(int n);
int threads();

#ifdef LIMBER_PLAIN_THREADS
/// The same with plain threads, for the thread sanitizer: it cannot see how a oneTBB that was compiled without it
/// synchronises, and would find races everywhere. A loop within a loop has one thread.
void plain_parallel_for(Index n, const std::function<void(Index)>& body);
#endif

/// [ns] Loops that take less stay on one thread: others would have to be woken.
constexpr double worth_threads = 2e4;

/// body(i) for i in 0 … n − 1; each takes about `cost` [ns].
template <class Body>
void parallel_for(Index n, const Body& body, double cost = worth_threads) {
  if (n == 1 || static_cast<double>(n) * cost < worth_threads) {
    for (Index i = 0; i < n; ++i) body(i);
    return;
  }
#ifdef LIMBER_PLAIN_THREADS
  plain_parallel_for(n, body);
#else
  tbb::parallel_for(Index{0}, n, body);
#endif
}

/// visit(i) for i in 0 … n − 1, so many of them in one piece of work; each takes about `cost` [ns].
template <class Visit>
void in_pieces(std::size_t n, std::size_t piece, const Visit& visit, double cost = worth_threads) {
  parallel_for(
      static_cast<Index>((n + piece - 1) / piece),
      [&](Index p) {
        const std::size_t first = static_cast<std::size_t>(p) * piece;
        for (std::size_t i = first; i < std::min(n, first + piece); ++i) visit(i);
      },
      cost * static_cast<double>(std::min(n, piece)));
}

/// Σᵢ term(i), added in the order of i; each takes about `cost` [ns].
template <class Term>
double ordered_sum(Index n, const Term& term, double cost = worth_threads) {
  std::vector<double> terms(static_cast<std::size_t>(n));
  parallel_for(
      n, [&](Index i) { terms[static_cast<std::size_t>(i)] = term(i); }, cost);
  double sum = 0;
  for (const double x : terms) sum += x;
  return sum;
}

}  // namespace limber
