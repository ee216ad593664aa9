#pragma once
/// The collisions at a configuration: all pairs of points, edges and triangles, and all points with implicit obstacles,
/// whose gap (distance minus thicknesses) is below δ. Pairs with the same two nearest features, vertex-vertex or
/// vertex-edge, are merged into one collision that counts several times. Quantities summed over collisions are computed
/// elsewhere (barrier_force.hpp, friction_force.hpp).

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "limber/contact/geometry/candidate_searches.hpp"
#include "limber/contact/geometry/moving_shape.hpp"
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

/// One collision at a configuration (except kind `smooth`, used by reports: smooth_contacts.hpp). With x its up to four
/// nodes, gap(x) has the gradient w ⊗ n. The kind is that of the nearest features: point_triangle and edge_edge have
/// their nearest points inside the triangle and both edges. With a mollifier, the kind is that of the pair, which is
/// then not merged.
struct Collision {
  using Kind = CollisionKind;
  Kind kind = Kind::obstacle;
  std::array<int, 4> nodes{-1, -1, -1, -1};  // −1: unused
  int count = 0;                             // of nodes
  std::array<int, 2> objects{};
  int obstacle = -1;  // index in ContactScene::implicit
  int pairs = 1;      // number of primitive pairs with these nearest features: factor of energy, force and tangent
  double gap = 0;     // [m]
  Nearest nearest;    // pairs; for an obstacle's point w = {1}, k = 0
  Mat3 curvature;     // ∇²φ of an implicit obstacle
  double eps_x = 0;   // of the mollifier; 0: m = 1

  const Vec3& normal() const { return nearest.n; }
  /// w₀ … w₃.
  const std::array<double, 4>& weights() const { return nearest.w; }
};

class Collisions {
 public:
  explicit Collisions(ContactScene scene);

  const ContactScene& scene() const { return scene_; }
  double delta() const { return scene_.delta; }
  /// δ of this pair: a tenth if smooth surfaces carry the contact and pairs only prevent crossings.
  double delta(const Collision& c) const;
  /// Collisions with a gap below their δ, in an order that depends on the configuration only. q: 3N of the bodies. The
  /// reference is valid until the next call.
  const std::vector<Collision>& at(const Vector& q, double t) const;
  /// The collisions of at() evaluated by this process; sums over them are summed over all processes.
  const std::vector<Collision>& own(const Vector& q, double t) const;
  /// The pairs of body nodes coupled by collisions, and those that may be coupled soon: of all pairs with a gap below
  /// 2δ.
  void add_couplings(const Vector& q, double t, std::vector<std::pair<int, int>>& now) const;
  void add_couplings_soon(const Vector& q, double t, std::vector<std::pair<int, int>>& soon) const;
  /// The largest s in [0, 1] for which every gap retains a tenth of itself, or of δ if that is less, from q to q +
  /// s·dq, while obstacles move from t0 to t1.
  double max_step(const Vector& q, const Vector& dq, double t0, double t1) const;

  /// Whether any obstacle moves.
  bool moves() const;
  /// Positions of all nodes at time t, of bodies and obstacles. 3 × nodes.
  Vector positions(const Vector& q, double t) const;
  /// The same nodes, with −1 for nodes of obstacles.
  template <class Nodes>
  Nodes body_nodes(Nodes nodes) const {
    for (int& node : nodes)
      if (node >= scene_.body_nodes) node = -1;
    return nodes;
  }
  /// Velocity [m/s] of a node, or of an implicit obstacle's surface at x.
  Vec3 velocity(int node, const Vector& v, double t) const;
  PosedShape pose(int obstacle, double t) const {
    return scene_.implicit[static_cast<std::size_t>(obstacle)].shape.pose(t);
  }
  /// The pair with the smallest gap at q, even above δ if candidates reach that far; nullopt: none is near.
  std::optional<Collision> nearest(const Vector& q, double t) const;
  /// All pairs of primitives with a gap below `within` [m], of any size, without merging.
  std::vector<Collision> near(const Vector& q, double t, double within) const;

 private:
  using Search = CandidateSearches::Search;
  using Candidate = CandidateSearches::Candidate;
  /// Two colliding primitives.
  struct Met {
    Collision::Kind kind;
    PairNodes nodes;
    double eps_x;  // of the mollifier if m < 1
  };
  /// A vertex and an edge, ascending, or two vertices, ascending (the last entry is then −1).
  using Features = std::array<int, 3>;
  struct Shared {
    Features features;
    Met met;
  };

  /// The boxes of all objects' points of bodies at q, thickness included; empty where there are none.
  std::vector<Bounds> body_boxes(const Vector& q) const;
  /// Of each object: whether all in its box is further than `times` the box's diagonal and `within` [m] from the shape,
  /// or it cannot collide with it.
  std::vector<char> far_from(const ImplicitObstacle& obstacle, const PosedShape& shape,
                             const std::vector<Bounds>& boxes, double within, double times) const;
  Vector finite_positions(const Vector& q, double t) const;
  std::optional<Met> meet(Collision::Kind kind, const PairNodes& nodes, const Vector& x, double within) const;
  Collision collide(const Met& m, const Vector& x) const;
  /// The same collision expressed by its nearest features alone.
  Collision reduced(const Collision& c, const Features& to) const;
  std::vector<std::size_t> by_features(const std::vector<Shared>& shared) const;
  void find(const Vector& x, const Vector& q, double t, double within, std::vector<Collision>& found) const;
  void find_at_obstacles(const Vector& q, double t, double within, std::vector<Collision>& found) const;
  double mollifier_width(const PairNodes& nodes, const Vector& x) const;
  double pair_step(Collision::Kind kind, const PairNodes& nodes, const Vector& x0, const Vector& x1) const;

  ContactScene scene_;
  std::vector<int> obstacle_of_node_;  // after body_nodes: index into surfaces
  mutable CandidateSearches searches_;
  mutable Vector found_q_;
  mutable double found_t_ = std::numeric_limits<double>::quiet_NaN();
  mutable std::vector<Collision> found_, own_;
};

}  // namespace limber
