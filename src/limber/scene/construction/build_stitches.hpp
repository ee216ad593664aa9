#pragma once  // internal
/// Nodes of one body that follow another body: each keeps its place in the element, triangle or node that it lies at.

#include <string>
#include <vector>

#include "limber/model/mechanical_system.hpp"
#include "limber/scene/scene.hpp"

namespace limber {

struct Body;

struct StitchGround {
  const Scene& scene;
  const std::vector<Body>& bodies;
  std::vector<const std::vector<Vec3>*> meshed;  // of each body, before placement: what selections refer to
};

/// Adds the ties of all stitches to the parts, which have the prescriptions and the ties of rigid parts already. Throws
/// InputError for nodes that are too far away, prescribed, or stitched to what follows others itself.
void add_stitches(const StitchGround& ground, MechanicalSystem::Parts& parts, std::vector<std::string>& notes);

}  // namespace limber
