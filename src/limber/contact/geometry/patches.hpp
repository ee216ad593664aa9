#pragma once
/// The contact surface divided into patches of neighbouring primitives of one object. They bound how far primitives
/// that could meet have moved relative to each other. Distant objects do not count, however fast; of rotation and
/// bending only the difference between neighbours counts.

#include <array>
#include <vector>

#include "limber/contact/geometry/surface.hpp"
#include "limber/contact/geometry/tree_pairs.hpp"

namespace limber {

class Patches {
 public:
  /// rest [m]: 3 × all nodes; defines neighbours.
  Patches(const ContactSurface& surface, const MayCollide& may, const Vector& rest);

  /// The boxes of the patches at x, thickness included, and all pairs whose boxes are less than `reach` [m] apart.
  struct Layout {
    Vector x;
    std::vector<Bounds> boxes;
    double reach = 0;
    std::vector<std::array<int, 2>> near;
    std::size_t joined = 0;  // so many of these are neighbours of one object, the first ones
    // Of each patch: a point in its middle, how far its nodes are from there, and the inverse moments of these and of
    // its neighbours' middles.
    std::vector<Vec3> middle;
    std::vector<double> size;
    std::vector<Mat3> moments;
  };
  Layout layout(const Vector& x, double reach) const;

  /// How far two primitives can have moved relative to each other [m] on the straight way from the layout's x to y: a
  /// bound for all pairs whose gap can have been below `within` anywhere on it.
  double spread(const Layout& from, const Vector& y, double within) const;

  /// Whether all pairs whose gap is `reach` [m] or more at the layout's x keep a gap of `within` on the straight way to
  /// y, and on all ways between two such y. Sharper than the spread: of what turns and stretches evenly, only what the
  /// stretching takes from short distances counts.
  bool keep_apart(const Layout& from, const Vector& y, double within, double reach) const;

  std::size_t count() const { return patches_.size(); }

 private:
  struct Patch {
    std::vector<int> nodes;  // of its primitives; neighbouring patches share nodes
    int object = 0;
  };

  struct Ways;
  std::vector<Ways> ways(const Layout& from, const Vector& y) const;
  /// visit(a, b) for all pairs that may collide, b ≤ a.
  template <class Visit>
  void for_pairs(const Visit& visit) const;

  std::vector<double> radius_;
  double widest_radius_ = 0;
  MayCollide may_;
  std::vector<Patch> patches_;
};

}  // namespace limber
