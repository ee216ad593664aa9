#pragma once
/// Which objects get a smooth surface, and who meets whom there. r is two mean edges of the surface: the zero of φ then
/// stands off by up to .16 r beside a sharp edge, and a contact couples about thirty nodes.

#include <string>
#include <vector>

#include "limber/contact/geometry/collisions.hpp"

namespace limber {

/// An object that keeps its triangles, or that others meet by theirs.
struct KeptTriangles {
  int object = 0;
  std::string why;  // "has …", "is …"
};

/// Sets smooth_radius and smooth of a scene that is complete else.
std::vector<KeptTriangles> choose_smooth_surfaces(ContactScene& scene);

}  // namespace limber
