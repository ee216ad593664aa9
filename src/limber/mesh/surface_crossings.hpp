#pragma once
/// Whether a triangle surface cuts or touches itself other than at common vertices and edges.

#include "limber/mesh/tri_mesh.hpp"

namespace limber {

/// Triangles closer than `tolerance` [m] count as touching, as do neighbours folded onto each other.
bool has_crossings(const TriMesh& mesh, double tolerance);

}  // namespace limber
