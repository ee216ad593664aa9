#pragma once
/// The contact force f = −κ ∂/∂q Σ b(φ(x_p; q) − ξ; δ) over points p near smooth surfaces (smooth_contacts.hpp), b the
/// barrier, ξ the radii, κ the stiffness of the pair of objects. φ is invariant under rigid motions, so the forces of a
/// contact have no resultant and no moment.

#include "limber/contact/forces/barrier_force.hpp"
#include "limber/contact/smooth/smooth_contacts.hpp"

namespace limber {

class SmoothContactForce final : public Force, public ContactForce, public LearningForce {
 public:
  SmoothContactForce(std::shared_ptr<const SmoothContacts> contacts, std::shared_ptr<ContactStiffness> stiffness)
      : contacts_(std::move(contacts)), stiffness_(std::move(stiffness)) {}

  ForceTraits traits() const override;
  void add_couplings(Couplings&) const override {}
  void add_couplings_at(const State& u, Couplings& now) const override { contacts_->add_couplings(u.q, u.t, now); }
  void add_couplings_soon(const State& u, Couplings& soon) const override {
    contacts_->add_couplings_soon(u.q, u.t, soon);
  }
  void add_force(const State& u, Vector& f) const override;
  void add_tangent(const State& u, TangentBuilder& T) const override;
  std::optional<Potentials> potentials(const State& u) const override;
  double max_step(const Vector& q, const Vector& dq, double t0, double t1) const override {
    return contacts_->max_step(q, dq, t0, t1);
  }
  double smallest_gap(const State& u) const override;
  bool adapt(const State& u, double budget) override { return stiffness_->adapt(depths(u), budget); }
  /// The work of moving obstacles.
  double driving_work(const Travel& step, const State& u) const override;
  ContactStiffness::Depths depths(const State& u) const;

 private:
  std::shared_ptr<const SmoothContacts> contacts_;
  std::shared_ptr<ContactStiffness> stiffness_;
};

/// λ = −κ b'(gap) |∂φ/∂x| [N] on the point.
double normal_force(const SmoothContact& c, const ContactStiffness& stiffness, double delta);

}  // namespace limber
