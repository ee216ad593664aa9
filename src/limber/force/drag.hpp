#pragma once
/// A fluid at rest that slows nodes down: f = −c v on each node of a set.

#include "limber/model/force.hpp"

namespace limber {

class Drag final : public Force, public DampingForce {
 public:
  Drag(std::vector<int> nodes, double coefficient) : nodes_(std::move(nodes)), c_(coefficient) {}

  ForceTraits traits() const override { return {.velocity_dependent = true}; }
  void add_couplings(Couplings&) const override {}
  void add_force(const State& u, Vector& f) const override {
    for (const int i : nodes_) f.segment<3>(3 * i) -= c_ * u.v.segment<3>(3 * i);
  }
  void add_tangent(const State&, TangentBuilder& T) const override {
    for (const int i : nodes_) T.add_damping(i, i, c_ * Mat3::Identity());
  }
  std::optional<Potentials> potentials(const State& u) const override {
    return Potentials{.stored = 0, .dissipated = damping_power(u) / 2};
  }
  double damping_power(const State& u) const override {
    double power = 0;
    for (const int i : nodes_) power += c_ * u.v.segment<3>(3 * i).squaredNorm();
    return power;
  }

 private:
  std::vector<int> nodes_;
  double c_;  // [N s/m] of each node
};

}  // namespace limber
