#pragma once
/// Where all nodes of a contact scene are, and how fast they move: those of obstacles follow their motion.

#include <vector>

#include "limber/contact/geometry/contact_scene.hpp"

namespace limber {

class SceneMotion {
 public:
  /// Refers to the scene.
  explicit SceneMotion(const ContactScene& scene);

  /// Whether any obstacle moves.
  bool moves() const;
  /// Positions of all nodes at time t, of bodies and obstacles. 3 × nodes. q: 3N of the bodies.
  Vector positions(const Vector& q, double t) const;
  /// The same. Throws StepFailure if one is not finite.
  Vector finite_positions(const Vector& q, double t) const;
  /// Velocity [m/s] of a node.
  Vec3 velocity(int node, const Vector& v, double t) const;
  PosedShape pose(int obstacle, double t) const {
    return scene_.implicit[static_cast<std::size_t>(obstacle)].shape.pose(t);
  }
  /// In how many pieces obstacles go from t0 to t1, so that none turns by more than a quarter of a radian in one: there
  /// the chords of its corners leave it nearly as it is.
  int turning_pieces(double t0, double t1) const;

 private:
  const ContactScene& scene_;
  std::vector<int> obstacle_of_node_;  // after body_nodes: index into surfaces
};

}  // namespace limber
