#pragma once  // internal
/// What in a scene mostly means another unit than was written, and what acts otherwise than one may expect: notes for a
/// user before a run. Nothing here is an error.

#include <string>
#include <vector>

#include "limber/scene/construction/build.hpp"

namespace limber {

/// Each names the key, its value and what would be usual.
std::vector<std::string> unusual_numbers(const Scene& scene, const Model& model);

/// Whether anything but the method, contact and the wind takes energy from the motion.
bool has_damping(const Scene& scene);

}  // namespace limber
