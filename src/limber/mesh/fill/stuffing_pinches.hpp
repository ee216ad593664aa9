#pragma once  // internal
/// Taking tetrahedra out of a mesh.

#include <vector>

#include "limber/mesh/tet_mesh.hpp"

namespace limber {

/// Removes the marked tetrahedra (#T) and the nodes that only they use. The others keep their order.
void drop_tets(TetMesh& mesh, const std::vector<char>& dropped);

}  // namespace limber
