#include "limber/scene/construction/moving_obstacles.hpp"

#include "limber/scene/construction/obstacle_meshes.hpp"
#include "limber/scene/construction/obstacle_parts.hpp"

namespace limber {
namespace {

Vec3 moved_by(const RigidMotion& pose, const Vec3& X) {
  Vec3 x, v, a;
  pose.evaluate(X, x, v, a);
  return x;
}

}  // namespace

MovingObstacle::MovingObstacle(const ObstacleChoice& choice) {
  if (choice.shape == ObstacleChoice::Shape::mesh) {
    ObstacleSurface surface = obstacle_surface(choice);
    mesh_ = std::move(surface.mesh);
    edges_ = std::move(surface.edges);
    points_ = std::move(surface.points);
    sequence_ = std::move(surface.sequence);
    radius_ = choice.thickness / 2;
  } else {
    mesh_ = drawn_obstacle(choice);
    if (mesh_.triangles.empty()) plane_ = Plane{choice.point, choice.normal.normalized()};
  }
  motion_ = obstacle_motion(choice, obstacle_centre(choice, mesh_));
}

std::optional<MovingObstacle::Plane> MovingObstacle::plane(double t) const {
  if (!plane_) return std::nullopt;
  const RigidMotion pose = motion_.at(t);
  const Vec3 at = moved_by(pose, plane_->point);
  return Plane{at, (moved_by(pose, plane_->point + plane_->normal) - at).normalized()};
}

std::vector<Vec3> MovingObstacle::nodes(double t) const {
  const RigidMotion pose = motion_.at(t);
  std::vector<Vec3> nodes = sequence_ ? sequence_->at(t) : mesh_.nodes;
  for (Vec3& x : nodes) x = moved_by(pose, x);
  return nodes;
}

TriMesh MovingObstacle::drawn(double t, double line_radius) const {
  TriMesh mesh{nodes(t), mesh_.triangles};
  const TriMesh lines = drawn_lines(mesh.nodes, edges_, points_, radius_ > 0 ? radius_ : line_radius);
  const int first = static_cast<int>(mesh.nodes.size());
  mesh.nodes.insert(mesh.nodes.end(), lines.nodes.begin(), lines.nodes.end());
  for (const auto& [a, b, c] : lines.triangles) mesh.triangles.push_back({first + a, first + b, first + c});
  return mesh;
}

}  // namespace limber
