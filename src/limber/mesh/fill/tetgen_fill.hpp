#pragma once  // internal
/// Interface to TetGen: constrained Delaunay tetrahedra inside a clean surface, whose triangles are kept or subdivided.
/// An optional component of the build (LIMBER_TETGEN), since TetGen is under the AGPL.

#include <optional>
#include <string>

#include "limber/mesh/tet_mesh.hpp"
#include "limber/mesh/tri_mesh.hpp"

namespace limber {

bool has_tetgen();

/// Tetrahedra of at most `max_volume` [m³] each; hollows are filled too. If TetGen fails, returns nullopt and sets
/// `why` (part of a sentence). The surface must be clean (surface_checks.hpp). Not thread-safe: TetGen must not be
/// called elsewhere at the same time.
std::optional<TetMesh> fill_with_tetgen(const TriMesh& surface, double max_volume, std::string& why);

}  // namespace limber
