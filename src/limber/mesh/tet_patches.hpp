#pragma once  // internal
/// Tetrahedra in compact patches of about six, the size of a cell that a box is made of.

#include <span>
#include <vector>

#include "limber/mesh/element_mesh.hpp"

namespace limber {

/// The patch of each linear tetrahedron, #E, counted from 0. group: #E; a patch has tetrahedra of one group, and
/// those of a negative one are in none: −1.
///
/// Rings of tetrahedra around an edge, and tetrahedra with those across their faces, of five or more, are taken as long
/// as they have nothing in common with those taken before: first those with much volume in little surface, V²/A³. What
/// is left and hangs together is a patch if it has four to eight tetrahedra; else they go to patches beside them, or
/// into pieces of six where there are none.
std::vector<int> compact_patches(const ElementMesh& mesh, std::span<const int> group);

}  // namespace limber
