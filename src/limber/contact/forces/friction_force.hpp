#pragma once
/// Friction (friction.hpp) at collisions of points, edges, triangles and implicit obstacles (collisions.hpp).

#include "limber/contact/forces/barrier_force.hpp"
#include "limber/contact/forces/friction.hpp"

namespace limber {

class FrictionForce final : public Friction {
 public:
  /// eps [m/s]: speed above which friction is fully developed.
  FrictionForce(std::shared_ptr<const Collisions> collisions, std::shared_ptr<const ContactStiffness> stiffness,
                FrictionForm form, double eps)
      : Friction(std::move(collisions), form, eps), stiffness_(std::move(stiffness)) {}

  /// The friction [N] on the first object of a collision, with the normal force of u; x: positions of all nodes.
  Vec3 force_on_first(const Collision& c, const State& u, const Vector& x) const;

 private:
  /// The collisions with friction, among all.
  struct Rubbing {
    HeldList<Collision> all;
    std::vector<const Collision*> list;
  };
  Rubbing with_friction(const State& u) const;
  Points points(const State& u) const override;
  Points points(const std::vector<const Collision*>& some, const State& u, const Vector& x) const;
  void add_coupled_stiffness(const Points& now, const State& u, TangentBuilder& T) const override;
  NodeMatrix coupled_stiffness(const Collision& c, const Points& all, const Point& p, const State& u,
                               const Vector& x) const;

  std::shared_ptr<const ContactStiffness> stiffness_;
};

}  // namespace limber
