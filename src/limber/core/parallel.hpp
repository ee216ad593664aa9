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

template <class Body>
void parallel_for(Index n, const Body& body) {
  if (n == 1) return body(Index{0});
#ifdef LIMBER_PLAIN_THREADS
  plain_parallel_for(n, body);
#else
  tbb::parallel_for(Index{0}, n, body);
#endif
}

/// visit(i) for i in 0 … n − 1, so many of them in one piece of work.
template <class Visit>
void in_pieces(std::size_t n, std::size_t piece, const Visit& visit) {
  parallel_for(static_cast<Index>((n + piece - 1) / piece), [&](Index p) {
    const std::size_t first = static_cast<std::size_t>(p) * piece;
    for (std::size_t i = first; i < std::min(n, first + piece); ++i) visit(i);
  });
}

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
