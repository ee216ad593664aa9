#pragma once
/// Friction (friction.hpp) where points, edges, triangles and implicit obstacles collide (collisions.hpp).

#include "limber/contact/forces/barrier_force.hpp"
#include "limber/contact/forces/friction.hpp"

namespace limber {

class FrictionForce final : public Friction {
 public:
  /// eps [m/s]: speed from which friction is fully developed.
  FrictionForce(std::shared_ptr<const Collisions> collisions, std::shared_ptr<const ContactStiffness> stiffness,
                FrictionForm form, double eps)
      : Friction(std::move(collisions), form, eps), stiffness_(std::move(stiffness)) {}

  /// [N] on the first object of a collision, with the normal force of the state itself; x: positions of all nodes.
  Vec3 force_on_first(const Collision& c, const State& u, const Vector& x) const;

 private:
  /// Of collisions, which hold until the next configuration is asked for.
  std::vector<const Collision*> with_friction(const State& u) const;
  Points points(const State& u) const override;
  Points points(const std::vector<const Collision*>& some, const State& u, const Vector& x) const;
  void add_coupled_stiffness(const Points& now, const State& u, TangentBuilder& T) const override;
  NodeMatrix coupled_stiffness(const Collision& c, const Points& all, const Point& p, const State& u,
                               const Vector& x) const;

  std::shared_ptr<const ContactStiffness> stiffness_;
};

}  // namespace limber
