#pragma once
/// The collisions of points of bodies with implicit obstacles.

#include <vector>

#include "limber/contact/geometry/collision.hpp"
#include "limber/mesh/box_tree.hpp"

namespace limber {

class ObstacleCollisions {
 public:
  /// Refers to the scene.
  explicit ObstacleCollisions(const ContactScene& scene) : scene_(scene) {}

  /// Appends those with a gap below `within` [m], obstacle by obstacle. q: 3N of the bodies.
  void find(const Vector& q, double t, double within, std::vector<Collision>& found) const;
  /// The largest s in [0, 1] for which every gap retains a tenth of itself, or of δ if that is less, from q to q +
  /// s·dq, while obstacles move from t0 to t1.
  double max_step(const Vector& q, const Vector& dq, double t0, double t1) const;

 private:
  /// The boxes of all objects' points of bodies at q, thickness included; empty where there are none.
  std::vector<Bounds> body_boxes(const Vector& q) const;
  /// Of each object: whether all in its box is further than `times` the box's diagonal and `within` [m] from the shape,
  /// or it cannot collide with it.
  std::vector<char> far_from(const ImplicitObstacle& obstacle, const PosedShape& shape,
                             const std::vector<Bounds>& boxes, double within, double times) const;

  const ContactScene& scene_;
};

}  // namespace limber
