#pragma once  // internal
/// Loops over pairs of primitives, in parallel, with the same results for any number of threads.

#include <algorithm>
#include <vector>

#include "limber/core/extremes.hpp"
#include "limber/core/parallel.hpp"

namespace limber {

inline constexpr std::size_t pairs_a_piece = 512;  // pairs that one piece of work looks at
inline constexpr double piece_cost = 1.5e4;        // [ns] where most are further apart than they need to be

inline std::size_t piece_count(std::size_t n) { return (n + pairs_a_piece - 1) / pairs_a_piece; }

/// visit(i, own) for i in 0 … n − 1, in parallel; own: what belongs to the piece of i.
template <class T, class Visit>
void for_pieces_with(std::vector<T>& of_pieces, std::size_t n, const Visit& visit) {
  parallel_for(
      static_cast<Index>(of_pieces.size()),
      [&](Index p) {
        const std::size_t first = static_cast<std::size_t>(p) * pairs_a_piece;
        for (std::size_t i = first; i < std::min(n, first + pairs_a_piece); ++i)
          visit(i, of_pieces[static_cast<std::size_t>(p)]);
      },
      piece_cost);
}

/// visit(i, list) for i in 0 … n − 1, in parallel; the lists are joined in the order of i.
template <class T, class Visit>
std::vector<T> collect(std::size_t n, const Visit& visit) {
  std::vector<std::vector<T>> lists(piece_count(n));
  for_pieces_with(lists, n, visit);
  std::vector<T> all;
  for (auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

/// The smallest of term(i), i in 0 … n − 1, and 1.
template <class Term>
double smallest(std::size_t n, const Term& term) {
  std::vector<double> least(piece_count(n), 1);
  for_pieces_with(least, n, [&](std::size_t i, double& s) { s = min_or_nan(s, term(i)); });
  return least.empty() ? 1 : smallest_of(least);
}

}  // namespace limber
