#pragma once
/// Friction (fforce) at contacts with smooth surfaces. With g = ∂φ/∂q and n = g₀/|g₀| at the point, the weights of the
/// nodes
///
///     wᵢ = n·gᵢ/|g₀|,   w₀ = 1,   Σ wᵢ = 0,
///
/// are to φ what those of a pair of primitives are to its gap: v_rel = Σ wᵢvᵢ, λ = −κ b' |g₀|, and all else is as in
/// friction_force.hpp, both forms.

#include "limber/contact/forces/friction_force.hpp"
#include "limber/contact/smooth/smooth_contact_force.hpp"

namespace limber {

class SmoothFrictionForce final : public Force, public ContactForce, public LearningForce {
 public:
  /// eps [m/s]: speed from which friction is fully developed.
  SmoothFrictionForce(std::shared_ptr<const SmoothContacts> contacts, std::shared_ptr<const ContactStiffness> stiffness,
                      FrictionForm form, double eps)
      : contacts_(std::move(contacts)), stiffness_(std::move(stiffness)), form_(form), eps_(eps) {}

  ForceTraits traits() const override;
  void add_couplings(Couplings&) const override {}
  void add_couplings_at(const State& u, Couplings& now) const override;
  void add_force(const State& u, Vector& f) const override;
  void add_tangent(const State& u, TangentBuilder& T) const override;
  std::optional<Potentials> potentials(const State& u) const override;
  void update_lagged(const State& u) override { held_ = friction_points(u); }
  void begin_step(const State& u) override { update_lagged(u); }
  double friction_power(const State& u) const override;
  double driving_work(const State& u, double t0, double t1) const override;

  /// [N] on the point, with the normal force of the state itself.
  Vec3 force_on_point(const SmoothContact& c, const State& u) const;

 private:
  struct FrictionPoint {
    std::vector<int> nodes;  // #n
    Vector w;                // #n
    Vec3 n;
    double pressure = 0;  // μ λ [N]
  };
  std::vector<FrictionPoint> friction_points(const State& u) const;
  FrictionPoint friction_point(const SmoothContact& c) const;
  double mu(const SmoothContact& c) const;
  /// Velocities [m/s] of the nodes, 3 × #n.
  Matrix velocities(const std::vector<int>& nodes, const State& u) const;
  /// y.
  Vec3 slip(const FrictionPoint& g, const State& u) const;
  void add_damping(const FrictionPoint& g, const State& u, TangentBuilder& T) const;
  void add_coupled_stiffness(const SmoothContact& c, const FrictionPoint& g, const State& u, TangentBuilder& T) const;

  std::shared_ptr<const SmoothContacts> contacts_;
  std::shared_ptr<const ContactStiffness> stiffness_;
  FrictionForm form_;
  double eps_;
  std::vector<FrictionPoint> held_;
};

}  // namespace limber
