#pragma once
/// Obstacles as pictures and exports show them: triangles, the round ones with 96 around.

#include "limber/mesh/io/surface_io.hpp"
#include "limber/scene/scene.hpp"

namespace limber {

/// Placed [m], before any motion, outwards; empty for planes and half-spaces, which have no end. Throws InputError for
/// a mesh's file.
TriMesh drawn_obstacle(const ObstacleChoice& obstacle);

/// A rod around each edge and a ball around each point of `nodes` [m], 16 triangles around; as many triangles wherever
/// the nodes are.
TriMesh drawn_lines(const std::vector<Vec3>& nodes, const std::vector<std::array<int, 2>>& edges,
                    const std::vector<int>& points, double radius);

}  // namespace limber
