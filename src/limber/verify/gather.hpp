#pragma once  // internal
/// Looking for things in parallel, with an answer that does not depend on the number of threads.

#include <algorithm>
#include <vector>

#include "limber/core/parallel.hpp"
#include "limber/core/types.hpp"

namespace limber {

/// look(first, last, found) for each piece of [0, n); what they found, in order.
template <class T, class Look>
std::vector<T> gather(Index n, const Look& look) {
  constexpr Index piece = 64;
  std::vector<std::vector<T>> found(static_cast<std::size_t>((n + piece - 1) / piece));
  parallel_for(static_cast<Index>(found.size()),
               [&](Index p) { look(p * piece, std::min(n, (p + 1) * piece), found[static_cast<std::size_t>(p)]); });
  std::vector<T> all;
  for (const auto& f : found) all.insert(all.end(), f.begin(), f.end());
  return all;
}

}  // namespace limber
