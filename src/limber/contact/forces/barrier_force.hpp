#pragma once
/// The contact force f = −κ ∂/∂q Σ m b(gap; δ) over all colliding pairs (cforce), b the barrier, m the mollifier of
/// nearly parallel edges. Normal forces λ = −κ m b'(gap) ≥ 0 are repulsive, and infinite at gap 0.

#include <memory>

#include "limber/contact/forces/contact_stiffness.hpp"
#include "limber/model/force.hpp"

namespace limber {

inline constexpr std::size_t collisions_a_piece = 256;  // per parallel task
inline constexpr double collision_cost = 100;           // [ns] of a value or a gradient

class BarrierForce final : public Force, public ContactForce, public LearningForce {
 public:
  BarrierForce(std::shared_ptr<const Collisions> collisions, std::shared_ptr<ContactStiffness> stiffness)
      : collisions_(std::move(collisions)), stiffness_(std::move(stiffness)) {}

  ForceTraits traits() const override;
  void add_couplings(Couplings&) const override {}
  void add_couplings_at(const State& u, Couplings& now) const override { collisions_->add_couplings(u.q, u.t, now); }
  void add_couplings_soon(const State& u, Couplings& soon) const override {
    collisions_->add_couplings_soon(u.q, u.t, soon);
  }
  void add_force(const State& u, Vector& f) const override;
  void add_tangent(const State& u, TangentBuilder& T) const override;
  std::optional<Potentials> potentials(const State& u) const override;
  double max_step(const Vector& q, const Vector& dq, double t0, double t1) const override {
    return collisions_->max_step(q, dq, t0, t1);
  }
  double smallest_gap(const State& u) const override;
  bool adapt(const State& u, double budget) override { return stiffness_->adapt(depths(u), budget); }
  std::vector<double> memory() const override { return stiffness_->memory(); }
  void restore(const std::vector<double>& memory) override { stiffness_->restore(memory); }
  /// The work of moving obstacles.
  double driving_work(const Travel& step, const State& u) const override;
  ContactStiffness::Depths depths(const State& u) const;

 private:
  std::shared_ptr<const Collisions> collisions_;
  std::shared_ptr<ContactStiffness> stiffness_;
};

/// The mollifier m of a collision at the configuration x (3 × all nodes).
Mollifier mollifier(const Collision& c, const Vector& x);
double mollifier_value(const Collision& c, const Vector& x);

}  // namespace limber
