#pragma once
/// Contact as inequalities (cona), (conb): the gaps of all nearby pairs, with their gradients.
///
/// Gaps to implicit obstacles are signed. Distances between points, edges and triangles do not tell the sides of a
/// surface apart, so a tenth of δ is subtracted (a thickness of that size has the same effect). Constraints are
/// linearised, so surfaces may still cross; these formulations serve for comparison with the barrier. Nearly parallel
/// edges, where the direction of the distance jumps, are omitted.

#include <map>
#include <memory>

#include "limber/contact/geometry/collisions.hpp"
#include "limber/model/gap_source.hpp"

namespace limber {

class CollisionGaps final : public GapSource {
 public:
  CollisionGaps(std::shared_ptr<const Collisions> collisions, GapRule rule)
      : collisions_(std::move(collisions)), rule_(rule) {}

  GapRule rule() const override { return rule_; }
  double contact() const override { return collisions_->delta(); }
  std::vector<Gap> near(const State& u, double until, double distance) override;
  void report_forces(std::vector<double> forces) override;
  /// λ [N] of a pair in the last stage; 0 if it was not near.
  double normal_force(const Collision& c) const;

 private:
  using Pair = std::array<int, 6>;  // nodes, obstacle, kind
  static Pair pair(const Collision& c);
  /// The largest approach of obstacles to the bodies' points q from t to `until` [m].
  double obstacle_travel(const Vector& q, double t, double until) const;

  std::shared_ptr<const Collisions> collisions_;
  GapRule rule_;
  std::vector<Pair> near_;         // pairs of the last call
  std::map<Pair, double> forces_;  // [N] nonzero forces
};

}  // namespace limber
