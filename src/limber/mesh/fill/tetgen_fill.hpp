#pragma once  // internal
/// TetGen behind one function: constrained Delaunay tetrahedra inside a clean surface, whose triangles they keep or
/// subdivide. An optional component of the build (LIMBER_TETGEN): TetGen is under the AGPL.

#include <optional>
#include <string>

#include "limber/mesh/tet_mesh.hpp"
#include "limber/mesh/tri_mesh.hpp"

namespace limber {

bool has_tetgen();

/// Tetrahedra of at most `max_volume` [m³] each, in hollows, too; nothing, and `why` (part of a sentence), where TetGen
/// gives up. The surface must be clean (surface_checks.hpp). Nothing else may call TetGen at the same time.
std::optional<TetMesh> fill_with_tetgen(const TriMesh& surface, double max_volume, std::string& why);

}  // namespace limber
