#pragma once  // internal
/// Parameter checks for shapes, and the relation between cell size and edge length.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace limber {

/// The mean edge of prisms and hexahedra cut into tetrahedra [their edge length]; diagonals are longer.
inline constexpr double cut_cell_mean_edge = 1.25;
/// The number of cells along a length for which the mean edge is near the resolution.
inline int cells_for(double length, double resolution) {
  return std::max(1, static_cast<int>(std::lround(length / resolution * cut_cell_mean_edge)));
}

/// Throws InputError(name, …) unless the value is finite and > 0.
void require_positive(const std::string& name, double value);
/// Throws InputError unless lowest ≤ value ≤ highest; `why` completes the message.
void require_between(const std::string& name, double value, double lowest, double highest, const std::string& why = "");
/// Throws InputError before anything is built if about `tets` tetrahedra exceed max_tets.
void require_count(double tets, std::size_t max_tets, double resolution);

}  // namespace limber
