#pragma once
/// The collisions at a configuration: all pairs of points, edges and triangles (colliding_pairs.hpp), and all points
/// with implicit obstacles (obstacle_collisions.hpp), whose gap (distance minus thicknesses) is below δ. Quantities
/// summed over collisions are computed elsewhere (barrier_force.hpp, friction_force.hpp). Several threads may ask at
/// once.

#include <optional>
#include <utility>
#include <vector>

#include "limber/contact/geometry/colliding_pairs.hpp"
#include "limber/contact/geometry/configuration.hpp"
#include "limber/contact/geometry/obstacle_collisions.hpp"
#include "limber/contact/geometry/scene_motion.hpp"
#include "limber/core/held_list.hpp"
#include "limber/core/memo.hpp"

namespace limber {

class Collisions {
 public:
  explicit Collisions(ContactScene scene);

  const ContactScene& scene() const { return scene_; }
  double delta() const { return scene_.delta; }
  /// δ of this pair: a tenth if smooth surfaces carry the contact and pairs only prevent crossings.
  double delta(const Collision& c) const;
  /// Collisions with a gap below their δ, in an order that depends on the configuration only. q: 3N of the bodies.
  HeldList<Collision> at(const Vector& q, double t) const;
  /// The collisions of at() evaluated by this process; sums over them are summed over all processes.
  HeldList<Collision> own(const Vector& q, double t) const;
  /// The pairs of body nodes coupled by collisions, and those that may be coupled soon: of all pairs with a gap below
  /// 2δ.
  void add_couplings(const Vector& q, double t, std::vector<std::pair<int, int>>& now) const;
  void add_couplings_soon(const Vector& q, double t, std::vector<std::pair<int, int>>& soon) const;
  /// The largest s in [0, 1] for which every gap retains a tenth of itself, or of δ if that is less, from q to q +
  /// s·dq, while obstacles move from t0 to t1.
  double max_step(const Vector& q, const Vector& dq, double t0, double t1) const;

  /// Whether any obstacle moves.
  bool moves() const { return motion_.moves(); }
  /// Positions of all nodes at time t, of bodies and obstacles. 3 × nodes.
  Vector positions(const Vector& q, double t) const { return motion_.positions(q, t); }
  /// The same nodes, with −1 for nodes of obstacles.
  template <class Nodes>
  Nodes body_nodes(Nodes nodes) const {
    for (int& node : nodes)
      if (node >= scene_.body_nodes) node = -1;
    return nodes;
  }
  /// Velocity [m/s] of a node.
  Vec3 velocity(int node, const Vector& v, double t) const { return motion_.velocity(node, v, t); }
  PosedShape pose(int obstacle, double t) const { return motion_.pose(obstacle, t); }
  /// The pair with the smallest gap at q; nullopt: none is below 2δ.
  std::optional<Collision> nearest(const Vector& q, double t) const;
  /// All pairs of primitives with a gap below `within` [m], of any size, without merging.
  std::vector<Collision> near(const Vector& q, double t, double within) const;

 private:
  struct Found {
    std::vector<Collision> all, own;  // own: of several processes
  };
  std::shared_ptr<const Found> found(const Vector& q, double t) const;

  const ContactScene scene_;
  SceneMotion motion_;
  ObstacleCollisions obstacles_;
  CollidingPairs pairs_;
  Memo<Configuration, Found> found_;
};

}  // namespace limber
