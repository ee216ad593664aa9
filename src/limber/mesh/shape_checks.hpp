#pragma once  // internal
/// What the shapes ask of their parameters, and how edges go with cells.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace limber {

/// The mean edge of prisms and hexahedra cut into tetrahedra [their edge]: diagonals are longer.
inline constexpr double cut_cell_mean_edge = 1.25;
/// Cells along a length, so that their mean edge is near the resolution.
inline int cells_for(double length, double resolution) {
  return std::max(1, static_cast<int>(std::lround(length / resolution * cut_cell_mean_edge)));
}

/// Finite and > 0, else InputError(name, …).
void require_positive(const std::string& name, double value);
/// lowest ≤ value ≤ highest, else InputError; `why` completes the message.
void require_between(const std::string& name, double value, double lowest, double highest, const std::string& why = "");
/// Before anything is built: about `tets` tetrahedra at this resolution.
void require_count(double tets, std::size_t max_tets, double resolution);

}  // namespace limber
