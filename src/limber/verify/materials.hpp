#pragma once  // internal
/// Which tetrahedra must never be inverted, by the scene that a run keeps beside its trajectory.

#include <optional>
#include <string>
#include <vector>

#include "limber/record/trajectory.hpp"

namespace limber {

/// Per tetrahedron: 1 if its material forbids inversion. Where a body names the materials of regions by words, which
/// the trajectory does not hold, a tetrahedron counts as forbidden only if all the materials that it may have do
/// forbid. Nothing if the file does not exist; throws InputError(path, …) if it does not fit the trajectory.
std::optional<std::vector<char>> inversion_forbidden(const TrajectoryHeader& header, const std::string& scene_file);

}  // namespace limber
