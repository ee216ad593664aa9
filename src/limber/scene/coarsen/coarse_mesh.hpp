#pragma once  // internal
/// A coarser mesh of a body, in the coordinates of its own mesh.

#include <string>
#include <vector>

#include "limber/mesh/hex_mesh.hpp"
#include "limber/scene/construction/body_shape.hpp"

namespace limber {

/// `factor` > 1: how many times longer the edges become. Boxes have fewer cells, shapes and filled surfaces a larger
/// resolution; other tetrahedra are replaced by a lattice inside their boundary. Without regions and fields. Throws
/// InputError("--resolution", …) where the body cannot be coarsened so.
SolidMesh coarse_mesh(const BodyChoice& body, const BodyShape& fine, double factor, std::vector<std::string>& notes);

}  // namespace limber
