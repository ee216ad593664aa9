#pragma once
/// What a run's scene says and its trajectory does not: obstacles, thicknesses and seams, as the check of its frames
/// takes them.

#include "limber/scene/scene.hpp"
#include "limber/verify/obstacle_check.hpp"

namespace limber::app {

/// Reads the files of obstacles. Throws InputError.
Surroundings surroundings(const Scene& scene);

}  // namespace limber::app
