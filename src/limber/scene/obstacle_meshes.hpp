#pragma once
/// Obstacles as pictures and exports show them: triangles, the round ones with 96 around.

#include "limber/mesh/surface_io.hpp"
#include "limber/scene/scene.hpp"

namespace limber {

/// Placed [m], before any motion, outwards; empty for planes and half-spaces, which have no end. Throws InputError for
/// a mesh's file.
TriMesh drawn_obstacle(const ObstacleChoice& obstacle);

}  // namespace limber
