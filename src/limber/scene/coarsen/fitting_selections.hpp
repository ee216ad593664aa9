#pragma once  // internal
/// What a scene selects of a body, when the body has other nodes: words, boxes and planes stay where they catch nodes,
/// and node numbers become those of the nearest nodes.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "limber/scene/scene.hpp"

namespace limber {

/// Changes the scene's JSON; the meshes' nodes are given before placement. Forces and springs that act on each node are
/// rescaled, so that all together stay. Throws InputError for what depends on the nodes one by one.
void fit_selections(const Scene& scene, int body, const std::vector<Vec3>& before, const std::vector<Vec3>& now,
                    nlohmann::json& json, std::vector<std::string>& notes);

}  // namespace limber
