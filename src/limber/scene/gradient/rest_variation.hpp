#pragma once  // internal
/// Derivatives by the rest positions of a body's nodes, "bodies[i].rest": N × 3 in the world [m]. Elasticity, masses
/// and weight depend on them; the body starts in its rest shape, and pinned nodes stand at theirs.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "limber/gradient/variation.hpp"
#include "limber/scene/construction/build.hpp"

namespace limber {

/// The body in "bodies[2].rest"; nothing for another name.
std::optional<int> body_of_rest(const std::string& name);

/// Throws InputError(name, …) where something depends on rest positions whose derivative is not known.
std::unique_ptr<SystemVariation> make_rest_variation(const Scene& scene, const Model& model, int body,
                                                     const std::string& name, bool moving);

/// 3N [m].
std::vector<double> rest_positions(const Model& model, int body);

}  // namespace limber
