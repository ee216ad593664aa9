#pragma once  // internal
/// Removing tetrahedra from a mesh.

#include <vector>

#include "limber/mesh/tet_mesh.hpp"

namespace limber {

/// Removes the marked tetrahedra (#T) and nodes used by no others. The rest keep their order.
void drop_tets(TetMesh& mesh, const std::vector<char>& dropped);

}  // namespace limber
