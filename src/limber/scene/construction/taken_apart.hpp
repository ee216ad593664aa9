#pragma once  // internal
#include "limber/mesh/element_mesh.hpp"

namespace limber {

/// The elements of a mesh, each on nodes of its own, element by element.
ElementMesh taken_apart(const ElementMesh& mesh);

}  // namespace limber
