#pragma once
/// What a scene's obstacles are made of: for contact, for pictures, and for the check of what was written.

#include <memory>

#include "limber/mesh/io/surface_io.hpp"
#include "limber/model/motion.hpp"
#include "limber/model/node_sequence.hpp"
#include "limber/scene/scene.hpp"

namespace limber {

/// A box, or what a mesh's files hold.
struct ObstacleSurface {
  TriMesh mesh;                           // placed [m]; outwards where it is closed; nodes of edges and points too
  std::vector<std::array<int, 2>> edges;  // of no triangle
  std::vector<int> points;                // of neither
  ObstacleChoice::Form form = ObstacleChoice::Form::triangles;  // how it acts: distance or triangles
  std::shared_ptr<const NodeSequence> sequence = nullptr;       // of mesh.nodes, placed; null: they stay
  std::vector<std::string> notes = {};                          // what the user should hear
};

/// Throws InputError for the files, and where they do not fit the obstacle's keys.
ObstacleSurface obstacle_surface(const ObstacleChoice& obstacle);

/// What it turns about where its motion does not say [m]. `surface`: a mesh's.
Vec3 obstacle_centre(const ObstacleChoice& obstacle, const TriMesh& surface = {});

Motion obstacle_motion(const ObstacleChoice& obstacle, const Vec3& centre);

}  // namespace limber
