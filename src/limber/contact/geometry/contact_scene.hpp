#pragma once
/// What may collide: the surfaces of bodies and obstacles, and what is known of them. It does not change.

#include <memory>
#include <string>
#include <vector>

#include "limber/contact/geometry/moving_shape.hpp"
#include "limber/contact/geometry/surface.hpp"
#include "limber/model/motion.hpp"
#include "limber/model/node_sequence.hpp"

namespace limber {

/// A solid given by an implicit function. It acts on the points of bodies.
struct ImplicitObstacle {
  MovingShape shape;
  int object = 0;
};

/// A solid or sheet whose points, edges and triangles belong to the contact surface: exact against other surfaces.
struct SurfaceObstacle {
  std::vector<int> nodes;       // of the contact surface, after those of the bodies; consecutive
  std::vector<Vec3> positions;  // [m] before motion
  Motion motion;                // x = c + R(t) (X − c) + d(t)
  std::shared_ptr<const NodeSequence> sequence = nullptr;  // X(t); null: X is constant

  bool is_static() const { return motion.is_constant() && !sequence; }
};

/// The weight of an object, and the part of it that one collision carries when the object rests on one of its sides
/// [N]. 0: unknown; ∞: an obstacle, which carries any load.
struct RestingLoad {
  double whole = 0, part = 0;
};

struct ContactScene {
  ContactSurface surface;  // bodies' nodes 0 … N − 1, then those of surface obstacles
  int body_nodes = 0;      // N
  MayCollide may_collide;
  std::vector<ImplicitObstacle> implicit;
  std::vector<SurfaceObstacle> surfaces;
  Vector rest;                          // 3 × all nodes [m]
  double delta = 1e-3;                  // δ [m]
  std::vector<std::string> objects;     // names of bodies, then of obstacles
  std::vector<std::vector<double>> mu;  // friction, #objects × #objects
  std::vector<double> stiffness;      // per object [N/m], ∞ for obstacles; κ is at most the smaller value of a pair
  std::vector<RestingLoad> load;      // per object; empty: unknown
  std::vector<double> smooth_radius;  // per object [m]: radius of its smooth surface, 0: none; empty: no object has one
  MayCollide smooth;                  // [a][b]: points of b meet the smooth surface of a; empty: none
  int process = 0, processes = 1;     // processes sharing the work: each evaluates some of the collisions
};

}  // namespace limber
