#pragma once  // internal
/// The surfaces that a viewer draws: those of the bodies, then those of the obstacles, as one list of vertices.

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "limber/core/memo.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/construction/element_fields.hpp"
#include "limber/scene/construction/moving_obstacles.hpp"
#include "limber/scene/run/bodies_surface.hpp"

namespace limber {

enum class Field { none, displacement, stress, contact };

/// The surfaces of obstacles, as they are drawn.
class ObstacleSurfaces {
 public:
  /// One whose file cannot be read is left out, with a note. `line_radius`: of those that are lines [m].
  ObstacleSurfaces(const std::vector<ObstacleChoice>& choices, double line_radius, std::vector<std::string>& notes);

  /// visit(number of the obstacle in the scene, its surface at time t), of those that are no planes.
  template <class Visit>
  void each(double t, const Visit& visit) const {
    for (const Drawn& o : all_)
      if (!o.obstacle.plane(t)) visit(o.number, o.obstacle.drawn(t, line_radius_));
  }
  std::vector<MovingObstacle::Plane> planes(double t) const;
  bool planes_move() const;

 private:
  struct Drawn {
    std::size_t number;
    MovingObstacle obstacle;
  };
  std::vector<Drawn> all_;
  double line_radius_;
};

/// Does not change; may be asked from any thread.
class ViewShape {
 public:
  /// Throws InputError.
  ViewShape(const Scene& scene, const Model& model);
  /// `given`: for each body the surface that moves with it, if there is one. An obstacle whose file cannot be read is
  /// left out.
  ViewShape(const Scene& scene, const TrajectoryHeader& header, const std::vector<std::optional<SurfaceMesh>>& given);

  struct Part {
    std::string name;
    std::size_t first, count;  // vertices
    bool obstacle;
  };
  const std::vector<Part>& parts() const { return parts_; }
  /// What was left out.
  const std::vector<std::string>& notes() const { return notes_; }
  std::size_t vertices() const { return rest_.size(); }
  const std::vector<std::array<int, 3>>& triangles() const { return triangles_; }
  const std::vector<std::array<int, 2>>& lines() const { return bodies_.mesh().lines; }
  const std::vector<Vec3>& rest() const { return rest_; }
  /// Whether all nodes of a vertex are pinned or follow a script at the start.
  const std::vector<bool>& held() const { return held_; }
  std::vector<MovingObstacle::Plane> planes(double t) const;
  /// Whether some of them are elsewhere at another time.
  bool planes_move() const { return obstacles_->planes_move(); }
  /// A point of a triangle, or of a line, of a body: a mean of its three or two corners. Throws InputError for a
  /// triangle of an obstacle, or none.
  BodyPoint on_triangle(std::size_t triangle, const std::vector<double>& weights) const;
  BodyPoint on_line(std::size_t line, const std::vector<double>& weights) const;

  /// Of all vertices [m]. q: 3N.
  std::vector<Vec3> positions(const Vector& q, double t) const;
  /// At all vertices, 0 at obstacles. `contact`: for that field, #N. Empty for none.
  std::vector<double> values(Field field, const Vector& q, const Vector& contact) const;

 private:
  std::shared_ptr<const ElementFields> fields() const;
  BodyPoint mean_of(std::span<const int> corners, const std::vector<double>& weights) const;

  Scene scene_;
  TrajectoryHeader header_;
  BodiesSurface bodies_;
  std::optional<ObstacleSurfaces> obstacles_;
  std::vector<Part> parts_;
  std::vector<std::array<int, 3>> triangles_;
  std::size_t body_triangles_ = 0;
  std::vector<Vec3> rest_;
  std::vector<bool> held_;
  std::vector<std::string> notes_;
  Memo<int, std::shared_ptr<const ElementFields>> fields_;  // made when the stress is first asked for
};

}  // namespace limber
