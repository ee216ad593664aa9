#pragma once
/// Friction (friction.hpp) at contacts with smooth surfaces. With g = ∂φ/∂q and n = g₀/|g₀| at the point, the weights
/// of the nodes
///
///     wᵢ = n·gᵢ/|g₀|,   w₀ = 1,   Σ wᵢ = 0,
///
/// play the role that a pair's weights play for its gap: v_rel = Σ wᵢvᵢ, λ = −κ b' |g₀|.

#include "limber/contact/forces/friction.hpp"
#include "limber/contact/smooth/smooth_contact_force.hpp"

namespace limber {

class SmoothFrictionForce final : public Friction {
 public:
  /// eps [m/s]: speed above which friction is fully developed.
  SmoothFrictionForce(std::shared_ptr<const SmoothContacts> contacts, std::shared_ptr<const ContactStiffness> stiffness,
                      FrictionForm form, double eps)
      : Friction(contacts->shared_collisions(), form, eps),
        contacts_(std::move(contacts)),
        stiffness_(std::move(stiffness)) {}

  /// The friction [N] on the point, with the normal force of u.
  Vec3 force_on_point(const SmoothContact& c, const State& u) const;

 private:
  Points points(const State& u) const override;
  void append(const SmoothContact& c, Points& all) const;
  void add_coupled_stiffness(const Points& now, const State& u, TangentBuilder& T) const override;
  /// −∂f/∂q on the nodes of the contact.
  Matrix coupled_stiffness(const SmoothContact& c, const Points& all, const Point& p, const State& u) const;

  std::shared_ptr<const SmoothContacts> contacts_;
  std::shared_ptr<const ContactStiffness> stiffness_;
};

}  // namespace limber
