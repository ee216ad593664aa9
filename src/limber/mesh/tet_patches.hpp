#pragma once  // internal
/// Groups tetrahedra into compact patches of about six, the number in one cell of a box.

#include <span>
#include <vector>

#include "limber/mesh/element_mesh.hpp"

namespace limber {

/// The patch of each linear tetrahedron, #E, numbered from 0. group: #E; all tetrahedra of a patch are of one group.
/// Those of a negative group are in no patch: −1.
///
/// Candidates are rings of tetrahedra around an edge, and tetrahedra with their face neighbours, of five or more. They
/// are taken, largest V²/A³ first, if they are disjoint from those taken before. A connected remainder of four to eight
/// tetrahedra is a patch; other remainders join adjacent patches, or are divided into pieces of six if there are none.
std::vector<int> compact_patches(const ElementMesh& mesh, std::span<const int> group);

}  // namespace limber
