#pragma once
/// What a scene's obstacles are made of: for contact, and for the check of what was written.

#include "limber/mesh/surface_io.hpp"
#include "limber/model/motion.hpp"
#include "limber/scene/scene.hpp"

namespace limber {

/// The placed surface [m] of a box or of a mesh's file; outwards where it is closed. Throws InputError for the file.
TriMesh obstacle_surface(const ObstacleChoice& obstacle, SurfaceNotes* notes = nullptr);

/// What it turns about where its motion does not say [m]. `surface`: a mesh's.
Vec3 obstacle_centre(const ObstacleChoice& obstacle, const TriMesh& surface = {});

Motion obstacle_motion(const ObstacleChoice& obstacle, const Vec3& centre);

}  // namespace limber
