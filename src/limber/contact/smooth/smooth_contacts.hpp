#pragma once
/// The points near a smooth surface (smooth_neighbours.hpp) at a configuration: those whose gap, φ(x; q) minus the
/// radii, is below δ. φ ≤ 0 is outside the domain, as a gap of 0 is for pairs. Several threads may ask at once.

#include <memory>

#include "limber/contact/geometry/collisions.hpp"
#include "limber/contact/smooth/smooth_neighbours.hpp"

namespace limber {

struct SmoothContact {
  std::array<int, 2> objects{};  // the point's object, the surface's object
  double gap = 0;                // [m]
  LocalGap local;                // φ; the point is its first node

  int node() const { return local.nodes[0]; }
  /// |∂φ/∂x|, close to 1.
  double slope() const { return local.gradient.head<3>().norm(); }
  Vec3 normal() const { return local.gradient.head<3>().normalized(); }
};

class SmoothContacts {
 public:
  /// For the objects with a smooth_radius in the scene of the collisions.
  explicit SmoothContacts(std::shared_ptr<const Collisions> collisions);

  double delta() const { return collisions_->delta(); }
  const Collisions& collisions() const { return *collisions_; }
  const std::shared_ptr<const Collisions>& shared_collisions() const { return collisions_; }
  /// Contacts with a gap below δ, ordered by surface and node.
  HeldList<SmoothContact> at(const Vector& q, double t) const;
  /// Objects and gap of a contact.
  struct Gap {
    std::array<int, 2> objects{};
    double gap = 0;  // [m]
  };
  std::vector<Gap> gaps(const Vector& q, double t) const;
  /// The pairs of body nodes coupled by contacts, without repeats, and those that may be coupled soon (gap below 2δ).
  void add_couplings(const Vector& q, double t, std::vector<std::pair<int, int>>& now) const;
  void add_couplings_soon(const Vector& q, double t, std::vector<std::pair<int, int>>& soon) const;
  /// The first s of 1, ½, ¼, … for which every gap at q + s·dq is at least a tenth of its present value (or of δ, if
  /// that is less), with obstacles a fraction s of the way from t0 to t1. Collisions guard the path in between: pairs
  /// of triangles never cross.
  double max_step(const Vector& q, const Vector& dq, double t0, double t1) const;

 private:
  /// Appends all pairs of body nodes that share a group, without repeats.
  void couple(const std::vector<std::vector<int>>& groups, std::vector<std::pair<int, int>>& pairs) const;

  std::shared_ptr<const Collisions> collisions_;
  SmoothNeighbours neighbours_;
  Memo<Configuration, std::vector<SmoothContact>> found_;
};

/// The largest outward offset of the zero of φ from the triangles, in units of r, searched up to .3; large if a surface
/// has too few triangles.
double stand_off(const std::vector<std::array<int, 3>>& triangles, const Vector& rest, double radius);

}  // namespace limber
