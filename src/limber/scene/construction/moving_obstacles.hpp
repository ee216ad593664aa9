#pragma once
/// The obstacles of a scene as pictures show them, at any time.

#include <memory>
#include <optional>
#include <vector>

#include "limber/mesh/tri_mesh.hpp"
#include "limber/model/motion.hpp"
#include "limber/model/node_sequence.hpp"
#include "limber/scene/scene.hpp"

namespace limber {

class MovingObstacle {
 public:
  /// Throws InputError for a mesh's files.
  explicit MovingObstacle(const ObstacleChoice& choice);

  struct Plane {
    Vec3 point, normal;
  };
  /// Of planes and half-spaces, which have no triangles.
  std::optional<Plane> plane(double t) const;
  bool moves() const { return sequence_ || !motion_.is_constant(); }
  std::vector<Vec3> nodes(double t) const;
  /// Edges and points that belong to no triangle have the radius given where the obstacle has no thickness of its own
  /// [m]. The same triangles at all times.
  TriMesh drawn(double t, double line_radius) const;

 private:
  Motion motion_;
  TriMesh mesh_;                                  // before any motion; empty for a plane
  std::vector<std::array<int, 2>> edges_;         // of no triangle, drawn as rods
  std::vector<int> points_;                       // of neither, drawn as balls
  double radius_ = 0;                             // [m] of these; 0: not given
  std::shared_ptr<const NodeSequence> sequence_;  // of the mesh's nodes; null: they stay, but for the motion
  std::optional<Plane> plane_;                    // before any motion
};

}  // namespace limber
