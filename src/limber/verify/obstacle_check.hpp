#pragma once
/// One frame against the obstacles of its scene, by this room's own geometry; thicknesses count. What is decided how:
/// a plane that stands still and a body without thickness, boxes and triangles: exactly. Spheres and capsules:
/// distances to triangles and edges. Cylinders, tori and surfaces that act through a distance grid: at the vertices,
/// where alone they act. Floating point gives way by 1e-12 of the coordinates, and a distance grid by one of its cells.

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "limber/mesh/io/surface_io.hpp"
#include "limber/model/motion.hpp"
#include "limber/model/node_sequence.hpp"
#include "limber/verify/distance_of.hpp"
#include "limber/verify/frame_check.hpp"

namespace limber {

/// All behind the plane through `point`.
struct PlaneObstacle {
  Vec3 point, normal;
};
/// All within `radius` [m] of the segment ab; a sphere has a = b.
struct RoundObstacle {
  Vec3 a, b;
  double radius;
};
/// With flat ends at a and b.
struct CylinderObstacle {
  Vec3 a, b;
  double radius;
};
struct TorusObstacle {
  Vec3 centre, axis;
  double major, minor;
};
/// Its triangles, edges and points, and what the triangles enclose if they are closed.
struct MeshObstacle {
  TriMesh mesh;                                            // its nodes are those of edges and points too
  std::vector<std::array<int, 2>> edges = {};              // of no triangle
  std::vector<int> points = {};                            // of neither
  double radius = 0;                                       // [m] half its thickness
  std::shared_ptr<const NodeSequence> sequence = nullptr;  // of its nodes; null: they stay, but for the motion
};
/// Acts on vertices through its distance on a grid.
struct GridObstacle {
  TriMesh mesh;
  double cell;  // [m] of the grid
};

struct CheckedObstacle {
  std::string name;
  Motion motion;
  std::variant<PlaneObstacle, RoundObstacle, CylinderObstacle, TorusObstacle, MeshObstacle, GridObstacle> shape;
};

/// What a trajectory does not hold.
struct Surroundings {
  std::vector<CheckedObstacle> obstacles;
  std::vector<double> radius;  // per body [m]: half its thickness
  Collide collide = Collide::no;
  std::vector<BodyPair> sewn = {};
};

class ObstacleChecker {
 public:
  ObstacleChecker(const TrajectoryHeader& header, std::vector<Part> parts, Surroundings around);

  /// Flaw::obstacle only, in a fixed order. q: 3 × #V [m], finite.
  std::vector<FrameFlaw> check(const Vector& q, double t) const;

 private:
  /// A triangle of a body's surface, or an edge or node of a body without tetrahedra.
  struct Item {
    std::vector<int> nodes;
    int body;
  };
  struct View;  // one obstacle at one frame

  void look(const View& s, const PlaneObstacle& o) const;
  void look(const View& s, const RoundObstacle& o) const;
  void look(const View& s, const CylinderObstacle& o) const;
  void look(const View& s, const TorusObstacle& o) const;
  void look(const View& s, const MeshObstacle& o) const;
  void look(const View& s, const GridObstacle& o) const;

  template <class Phi>
  void look_at_vertices(const View& s, const Phi& phi) const;
  void look_for_parts_inside(const View& s, const TriMesh& posed) const;
  /// A body that holds all points of a piece of the obstacle. `pieces`: points of each [m].
  void look_inside_bodies(const View& s, const std::vector<std::vector<Vec3>>& pieces) const;
  double radius(int body) const { return around_.radius[static_cast<std::size_t>(body)]; }

  std::vector<Part> parts_;
  Surroundings around_;
  std::vector<Item> items_, vertices_;
};

}  // namespace limber
