#pragma once  // internal
/// Sparse matrices count their entries with 32 bits.

#include <fmt/format.h>

#include <limits>

#include "limber/core/errors.hpp"
#include "limber/core/types.hpp"

namespace limber {

/// Throws InputError("bodies", …) if a matrix would have more entries than that.
inline void require_countable(Index entries) {
  constexpr Index most = std::numeric_limits<int>::max();
  if (entries > most)
    throw InputError("bodies", fmt::format("a matrix of the scene would have {} entries, and {} are possible: take a "
                                           "coarser mesh, or share the scene among processes",
                                           entries, most));
}

}  // namespace limber
