#pragma once  // internal
/// Pseudorandom numbers in (−½, ½) for distributed vectors. Each depends on the global index of its unknown, so that
/// all processes holding a node have the same bits, for any number of processes.

#include <cstdint>

#include "limber/core/space.hpp"

namespace limber {

/// #n × columns; depends on the seed. Only if the space is shared.
inline Matrix scattered_numbers(const Space& space, Index n, Index columns, std::uint64_t seed) {
  const auto mixed = [](std::uint64_t x) {  // splitmix64
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  };
  Matrix R(n, columns);
  for (Index c = 0; c < columns; ++c) {
    const std::uint64_t column = mixed(seed + static_cast<std::uint64_t>(c));
    for (Index i = 0; i < n; ++i) {
      const Index place = 3 * static_cast<Index>(space.places()[static_cast<std::size_t>(i / 3)]) + i % 3;
      R(i, c) = static_cast<double>(mixed(column ^ static_cast<std::uint64_t>(place)) >> 11) * 0x1p-53 - .5;
    }
  }
  return R;
}

}  // namespace limber
