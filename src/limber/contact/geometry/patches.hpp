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

  /// Two patches whose boxes are near, and a lower bound [m] of the gaps between them that are watched.
  struct Near {
    int a, b;  // b ≤ a
    double gap;
  };
  /// The patches at x.
  struct Layout {
    Vector x;
    BoxTree tree;               // of the patches' boxes, thickness included
    std::vector<Bounds> boxes;  // per patch
    double far = 0;             // [m] boxes that are less apart are
    std::vector<Near> near;     // listed here, by a and b
    /// What follows the bending of a patch; none: only how far it travels is known.
    struct Shape {
      Vec3 middle = Vec3::Zero();
      double size = 0;                   // of its nodes' distances from there
      Mat3 inverse_moments;              // of its nodes and of its neighbours' middles
      std::vector<int> neighbours = {};  // patches of the same object
    };
    std::vector<Shape> shapes;
  };
  /// Watches gaps of `reach` [m] and more. bending: with shapes, in which patches of one object that are nearer than
  /// the reach are neighbours.
  Layout layout(const Vector& x, double reach, bool bending) const;

  /// How far two primitives can have moved relative to each other [m] on the straight way from the layout's x to y: a
  /// bound for all pairs whose gap can have been below `within` anywhere on it.
  double spread(const Layout& from, const Vector& y, double within) const;

  /// The gap [m] that all pairs keep that the layout watches, on the straight way to y and on all ways between two such
  /// y; `most` if it is more, and anything less than `least` if it is less. With shapes, of what turns and stretches
  /// evenly only what the stretching takes from short distances counts.
  double kept_gap(const Layout& from, const Vector& y, double least, double most) const;

  /// The largest relative way of two nodes of the surface between x and y [m].
  double largest_way(const Vector& x, const Vector& y) const;

  std::size_t count() const { return patches_.size(); }

 private:
  struct Patch {
    std::vector<int> nodes;  // of its primitives, as indices of nodes_; neighbouring patches share nodes
    int object = 0;
  };

  struct Ball;
  struct Travel;
  class Flows;
  std::vector<Vec3> points(const Vector& x) const;  // of nodes_
  Travel travel(const Layout& from, const Vector& y) const;
  /// look(a, b) for all pairs of patches that may collide, b ≤ a; pairs of nodes of the tree for which skip(a, b) holds
  /// are left out with all patches below them.
  template <class Skip, class Look>
  void for_pairs(const BoxTree& tree, const Skip& skip, const Look& look) const;

  std::vector<double> radius_;
  double widest_radius_ = 0;
  MayCollide may_;
  std::vector<Patch> patches_;
  std::vector<int> objects_;  // per patch
  std::vector<int> nodes_;    // of all patches, object by object
};

}  // namespace limber
