#pragma once
/// Chooses the objects that get a smooth surface, and the pairs that use it. r is two mean edge lengths: near sharp
/// edges the zero of φ is then offset by up to .16 r, and a contact couples about thirty nodes.

#include <string>
#include <vector>

#include "limber/contact/geometry/collisions.hpp"

namespace limber {

/// An object that keeps its triangles, or meets some other object's triangles.
struct KeptTriangles {
  int object = 0;
  std::string why;  // "has …", "is …"
};

/// Sets smooth_radius and smooth of a scene that is otherwise complete.
std::vector<KeptTriangles> choose_smooth_surfaces(ContactScene& scene);

}  // namespace limber
