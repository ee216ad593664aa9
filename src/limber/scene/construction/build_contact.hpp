#pragma once
/// Contact as a scene asks for it: what collides, with which δ, κ and μ, checked at the start.

#include <memory>
#include <string>
#include <vector>

#include "limber/contact/report.hpp"
#include "limber/model/gap_source.hpp"
#include "limber/scene/scene.hpp"

namespace limber {

struct Body;

/// The contact of a model, for reports.
struct Contact {
  std::shared_ptr<const Collisions> collisions;
  std::shared_ptr<ContactStiffness> stiffness;
  std::shared_ptr<const FrictionForce> friction;  // null where μ = 0 everywhere
  std::shared_ptr<const SmoothContacts> smooth;   // null with triangles only
  std::shared_ptr<const SmoothFrictionForce> smooth_friction;
  std::vector<std::shared_ptr<Force>> forces;
  std::shared_ptr<CollisionGaps> gaps;  // inequalities instead of forces; null with the barrier
};

/// All collisions at a full state. Inequalities have no normal forces that depend on the state alone: theirs are those
/// of the last stage that was solved.
std::vector<ContactPoint> contact_points(const Contact& contact, const State& full);

/// A body's κ is the smaller of how hard its material and its inertia resist a push at a node [N/m]: Young's modulus
/// times the mean edge of its surface (or its springs' stiffness), and the mean mass of a surface node over h².
struct ContactBody {
  const BodyChoice* choice = nullptr;
  const Body* body = nullptr;
  double young = 0;          // [Pa]
  double spring = 0;         // [N/m] of a spring network
  std::vector<double> mass;  // [kg] of its nodes
  bool movable = true;       // no node is prescribed or stitched
};

/// `positions`: 3N at the start [m], moved where contact.start says push_apart. Throws InputError for objects that
/// cross at the start and for keys that do not fit. `notes` collects what the user should hear.
Contact build_contact(const Scene& scene, const std::vector<ContactBody>& bodies, Vector& positions,
                      std::vector<std::string>& notes, const Communicator& processes = one_process());

}  // namespace limber
