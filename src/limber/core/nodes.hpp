#pragma once
/// Node numbers are of type int. In a vector x of 3·#nodes coordinates, node i is x[3i], x[3i + 1], x[3i + 2].

#include <cstddef>

#include "limber/core/types.hpp"

namespace limber {

/// An int as an index of the standard library's containers.
inline std::size_t ix(int i) { return static_cast<std::size_t>(i); }

inline auto block(Vector& x, int node) { return x.segment<3>(3 * static_cast<Index>(node)); }
inline auto block(const Vector& x, int node) { return x.segment<3>(3 * static_cast<Index>(node)); }
inline Vec3 point(const Vector& x, int node) { return block(x, node); }

}  // namespace limber
