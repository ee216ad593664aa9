#pragma once
/// A spring from a point of a body to a point in space, both of which may be changed between steps: how a hand pulls.
///
///     W = k/2 |Σ w_i x_i − y|²

#include <array>

#include "limber/model/force.hpp"

namespace limber {

/// A point of a body: a weighted mean of up to four nodes. Weights of unused places are zero.
struct BodyPoint {
  std::array<int, 4> nodes{};
  std::array<double, 4> weights{};
  Vec3 at(const Vector& q) const;  // q: 3N
};

class PullForce : public Force {
 public:
  /// Between steps only; a simulation is told by Simulation::change_forces. k [N/m]. The nodes are ones that other
  /// forces couple; where they are not, the one with the largest weight stands for all.
  void pull(const BodyPoint& point, const Vec3& to, double stiffness);
  void release() { stiffness_ = 0; }
  bool pulls() const { return stiffness_ > 0; }
  const BodyPoint& point() const { return point_; }
  const Vec3& to() const { return to_; }
  /// On the point [N]. q: 3N.
  Vec3 force(const Vector& q) const { return stiffness_ * (to_ - point_.at(q)); }

  ForceTraits traits() const override { return {}; }
  void add_couplings(Couplings&) const override {}
  void bind(const BlockPattern& pattern, std::span<const int> free_index) override;
  void add_force(const State& u, Vector& f) const override;
  void add_tangent(const State& u, TangentBuilder& T) const override;
  std::optional<Potentials> potentials(const State& u) const override;

 private:
  bool coupled(int a, int b) const;

  BodyPoint point_;
  Vec3 to_ = Vec3::Zero();
  double stiffness_ = 0;
  const BlockPattern* pattern_ = nullptr;
  std::span<const int> free_index_;
};

}  // namespace limber
