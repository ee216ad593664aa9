#pragma once
/// Parallel loops with oneTBB. Work is split the same way for any number of threads, and sums are taken in a fixed
/// order, so results have the same bits for any number of threads.

#include <algorithm>
#include <vector>

#include "limber/core/types.hpp"

namespace limber {

/// Sets the number of threads used from now on (0: all cores).
void set_threads(int n);
int threads();

/// [ns] Shorter loops stay on one thread, since waking others would cost more.
constexpr double worth_threads = 2e4;

/// Type-erased loop body for parallel_over. It refers to the body, which must outlive it.
class PartOfLoop {
 public:
  template <class Body>
  explicit PartOfLoop(const Body& body)
      : body_(&body),
        run_([](const void* b, Index first, Index last) { run(*static_cast<const Body*>(b), first, last); }) {}
  void operator()(Index first, Index last) const { run_(body_, first, last); }

 private:
  template <class Body>
  static void run(const Body& body, Index first, Index last) {
    for (Index i = first; i < last; ++i) body(i);
  }
  const void* body_;
  void (*run_)(const void*, Index, Index);
};
/// Runs the loop over 0 … n − 1, split over all threads.
void parallel_over(Index n, const PartOfLoop& loop);

/// Calls body(i) for i in 0 … n − 1 in parallel. Each call takes about `cost` [ns].
template <class Body>
void parallel_for(Index n, const Body& body, double cost = worth_threads) {
  const PartOfLoop loop(body);
  if (n == 1 || static_cast<double>(n) * cost < worth_threads)
    loop(0, n);
  else
    parallel_over(n, loop);
}

/// Calls visit(i) for i in 0 … n − 1 in parallel, `piece` indices per task. Each call takes about `cost` [ns].
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

/// Σᵢ term(i), added in the order of i. Each term takes about `cost` [ns].
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
