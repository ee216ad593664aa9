#pragma once
/// A pull by hand: springs from the nodes around a point of a body to the places they would have if the body had
/// translated rigidly since the grasp and the point were at y. With the initial offsets o_i of the nodes from the
/// point, and Σ w_i = 1:
///
///     W = k/2 Σ w_i |x_i − y − o_i|²
///
/// There is one spring per node, instead of one for their mean: the tangent then has diagonal blocks only, which every
/// pattern contains, and the body is not distorted around a single point.

#include <array>
#include <vector>

#include "limber/model/force.hpp"

namespace limber {

/// A point of a body: a weighted mean of up to four nodes. Unused places have weight zero.
struct BodyPoint {
  std::array<int, 4> nodes{};
  std::array<double, 4> weights{};
  Vec3 at(const Vector& q) const;  // q: 3N
  bool operator==(const BodyPoint&) const = default;
};

/// A node's share of a total weight of 1.
struct NodeShare {
  int node;
  double weight;
};

/// The nodes of a body within the radius of one of its points at rest, with smooth weights that fall to zero at the
/// radius; the nodes of the point itself are always included. `rest`: positions of the body's nodes, which are numbered
/// from `first` on.
std::vector<NodeShare> nodes_around(const BodyPoint& point, int first, const std::vector<Vec3>& rest, double radius);

class PullForce : public Force {
 public:
  /// Call these three between steps only, through Simulation::change_forces. q: 3N, at present. k [N/m].
  void grasp(const BodyPoint& point, const std::vector<NodeShare>& around, const Vector& q, double stiffness);
  void pull_to(const Vec3& to) { to_ = to; }
  void release() { held_.clear(); }

  bool pulls() const { return !held_.empty(); }
  const BodyPoint& point() const { return point_; }
  const Vec3& to() const { return to_; }
  /// Total force on all nodes [N]. q: 3N.
  Vec3 force(const Vector& q) const;

  ForceTraits traits() const override { return {}; }
  void add_couplings(Couplings&) const override {}
  void add_force(const State& u, Vector& f) const override;
  void add_tangent(const State& u, TangentBuilder& T) const override;
  std::optional<Potentials> potentials(const State& u) const override;

 private:
  struct Held {
    int node;
    double stiffness;  // w_i k
    Vec3 offset;       // o_i
  };
  Vec3 stretch(const Held& held, const Vector& q) const;

  BodyPoint point_;
  std::vector<Held> held_;
  Vec3 to_ = Vec3::Zero();
};

}  // namespace limber
