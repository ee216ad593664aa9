#pragma once
/// Contact results at a state: each collision with its forces, and sums over pairs of objects.

#include <optional>
#include <string>
#include <vector>

#include "limber/contact/forces/collision_gaps.hpp"
#include "limber/contact/forces/friction_force.hpp"
#include "limber/contact/smooth/smooth_friction_force.hpp"

namespace limber {

struct ContactPoint {
  Collision::Kind kind;
  std::array<int, 2> objects{};
  std::array<int, 4> nodes{};    // −1: unused; numbers above the bodies' nodes: an obstacle's
  double gap = 0;                // [m]
  Vec3 point = Vec3::Zero();     // [m] on the first object
  Vec3 normal = Vec3::Zero();    // from the second object to the first
  double normal_force = 0;       // λ [N]
  Vec3 friction = Vec3::Zero();  // [N] on the first object
};

/// Summed over all collisions of two objects; forces [N] on the first of them.
struct ContactPair {
  std::array<int, 2> objects{};
  int collisions = 0;
  double smallest_gap = 0;  // [m]
  Vec3 normal_force = Vec3::Zero();
  Vec3 friction_force = Vec3::Zero();
};

/// With the normal forces of the last stage.
std::vector<ContactPoint> contact_points(const Collisions& collisions, const CollisionGaps& gaps, const State& full);
/// q, v: 3N. friction: null if there is none.
std::vector<ContactPoint> contact_points(const Collisions& collisions, const ContactStiffness& stiffness,
                                         const FrictionForce* friction, const State& full);
/// At smooth surfaces; nodes: the point only.
std::vector<ContactPoint> contact_points(const SmoothContacts& contacts, const ContactStiffness& stiffness,
                                         const SmoothFrictionForce* friction, const State& full);
/// Ordered by objects; the first object of a pair has the smaller number.
std::vector<ContactPair> contact_pairs(const std::vector<ContactPoint>& points);
/// "point-triangle", …
std::string to_string(Collision::Kind kind);

}  // namespace limber
