#pragma once
/// The contact force f = −κ ∂/∂q Σ m b(gap; δ) over all pairs that collide (cforce), b the barrier, m the mollifier of
/// nearly parallel edges. Normal forces λ = −κ m b'(gap) ≥ 0 push apart; they are infinite at gap 0.
///
/// κ of a pair of objects is given, or adaptive: the smaller of their stiffnesses, doubled at the start of a step that
/// finds a gap below δ/100.

#include <memory>

#include "limber/contact/collisions.hpp"
#include "limber/model/force.hpp"

namespace limber {

/// κ [N/m] of all pairs.
class ContactStiffness {
 public:
  enum class Rule { adaptive, given };
  ContactStiffness(const ContactScene& scene, Rule rule) : per_object_(scene.stiffness), rule_(rule) {}

  double of(const std::array<int, 2>& objects) const {
    return factor_ * std::min(per_object_[static_cast<std::size_t>(objects[0])],
                              per_object_[static_cast<std::size_t>(objects[1])]);
  }
  double of(const Collision& c) const { return of(c.objects); }
  /// λ [N] of a collision, all its pairs together.
  double normal_force(const Collision& c, double delta, double mollifier) const;
  /// At the start of a step at time t, by each force; another one, or a step that is tried again, raises κ no further.
  void adapt(double smallest_gap, double delta, double t) {
    if (rule_ != Rule::adaptive || t == raised_at_ || smallest_gap >= 1e-2 * delta || factor_ >= 1e6) return;
    factor_ *= 2;
    raised_at_ = t;
  }
  /// By how much κ has been raised.
  double factor() const { return factor_; }
  void set_factor(double factor) { factor_ = factor; }

 private:
  std::vector<double> per_object_;
  Rule rule_;
  double factor_ = 1;
  double raised_at_ = -std::numeric_limits<double>::infinity();  // [s]
};

class BarrierForce final : public Force {
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
  void begin_step(const State& u) override { stiffness_->adapt(smallest_gap(u), collisions_->delta(), u.t); }
  std::vector<double> memory() const override { return {stiffness_->factor()}; }
  void restore(const std::vector<double>& memory) override { stiffness_->set_factor(memory.at(0)); }

 private:
  std::shared_ptr<const Collisions> collisions_;
  std::shared_ptr<ContactStiffness> stiffness_;
};

/// m of a collision at its configuration x (3 × all nodes).
Mollifier mollifier(const Collision& c, const Vector& x);
double mollifier_value(const Collision& c, const Vector& x);

}  // namespace limber
