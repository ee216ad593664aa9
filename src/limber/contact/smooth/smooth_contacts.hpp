#pragma once
/// Which points are near a smooth surface (smooth_surface.hpp) of another object, or of a far part of their own, at a
/// configuration: all with gap = φ(x; q) less the radii below δ. φ ≤ 0 is outside the domain, as a gap of 0 is for
/// pairs.

#include <memory>

#include "limber/contact/geometry/collisions.hpp"
#include "limber/contact/smooth/smooth_surface.hpp"

namespace limber {

struct SmoothContact {
  std::array<int, 2> objects{};  // the point's, the surface's
  double gap = 0;                // [m]
  LocalGap local;                // φ; the point is the first of its nodes

  int node() const { return local.nodes[0]; }
  /// |∂φ/∂x|, near 1.
  double slope() const { return local.gradient.head<3>().norm(); }
  Vec3 normal() const { return local.gradient.head<3>().normalized(); }
};

class SmoothContacts {
 public:
  /// Of the objects with a smooth_radius in the scene of the collisions.
  explicit SmoothContacts(std::shared_ptr<const Collisions> collisions);

  double delta() const { return collisions_->delta(); }
  const Collisions& collisions() const { return *collisions_; }
  const std::shared_ptr<const Collisions>& shared_collisions() const { return collisions_; }
  /// With a gap below δ, by surface and node. The reference holds until the next call.
  const std::vector<SmoothContact>& at(const Vector& q, double t) const;
  /// Their objects and gaps alone.
  struct Gap {
    std::array<int, 2> objects{};
    double gap = 0;  // [m]
  };
  std::vector<Gap> gaps(const Vector& q, double t) const;
  /// The pairs of body nodes that contacts couple, each once, and those that they may couple soon (gap below 2δ).
  void add_couplings(const Vector& q, double t, std::vector<std::pair<int, int>>& now) const;
  void add_couplings_soon(const Vector& q, double t, std::vector<std::pair<int, int>>& soon) const;
  /// 1, ½, ¼, …: the first s for which every gap at q + s·dq is at least a tenth of what it was (of δ, where that is
  /// less), obstacles having moved s of their way from t0 to t1. What happens on the way is the guard's matter: pairs
  /// of triangles never cross.
  double max_step(const Vector& q, const Vector& dq, double t0, double t1) const;

 private:
  struct Surface {
    int object = 0;
    double radius = 0;  // [m] half the thickness of the object
    std::vector<std::array<int, 3>> triangles;
    std::vector<Vec3> rest;  // centroids
    SmoothSurface phi;
  };
  /// A point that a surface is near, and the triangles that may count.
  struct Pair {
    int node = 0, surface = 0;
    std::vector<int> triangles;
  };
  struct Near {
    const Pair* pair = nullptr;
    double gap = 0;  // [m]
  };

  /// With a gap below 2δ at the positions x of all nodes; leaves the surfaces there, those that no point is near
  /// excepted. What follows an iterate asks for the same x again: the last answer is kept.
  const std::vector<Near>& near(const Vector& x) const;
  /// Makes pairs_ those of x, unless nothing has moved far.
  void need_pairs(const Vector& x) const;
  std::array<int, 2> objects(const Pair& p) const;
  /// All pairs of body nodes that are in one group, each once.
  void couple(const std::vector<std::vector<int>>& groups, std::vector<std::pair<int, int>>& pairs) const;
  double radii(int node, const Surface& s) const;
  /// The neighbourhood of a point on its own surface does not count.
  SmoothSurface::Filter filter(int node, const Surface& s) const;

  std::shared_ptr<const Collisions> collisions_;
  mutable std::vector<Surface> surfaces_;
  mutable std::vector<Pair> pairs_;  // by surface and node
  mutable Vector pairs_x_;           // where they were looked for
  mutable std::vector<Near> near_;
  mutable Vector near_x_;
  mutable Vector found_q_;
  mutable double found_t_ = std::numeric_limits<double>::quiet_NaN();
  mutable std::vector<SmoothContact> found_;
};

/// How far out from the triangles the zero of φ is at most, in units of r, looked for up to .3: large where a surface
/// has too few triangles.
double stand_off(const std::vector<std::array<int, 3>>& triangles, const Vector& rest, double radius);

}  // namespace limber
