#pragma once
/// The contact surface cut into patches, each of neighbouring primitives of one object. They tell how far primitives
/// that could meet have moved relative to each other: what stays apart does not count however fast it flies, and of
/// what turns or bends only the part that differs between neighbours.

#include <vector>

#include "limber/contact/geometry/surface.hpp"
#include "limber/contact/geometry/tree_pairs.hpp"

namespace limber {

class Patches {
 public:
  /// rest [m]: 3 × all nodes; neighbours are those at rest.
  Patches(const ContactSurface& surface, const MayCollide& may, const Vector& rest);

  /// Of each patch at x, thickness included.
  std::vector<Bounds> boxes(const Vector& x) const;

  /// How far two primitives can have moved relative to each other [m] on the straight way from x, where the patches
  /// have these boxes, to y: a bound for all pairs whose gap can have been below `within` anywhere on it.
  double spread(const std::vector<Bounds>& boxes, const Vector& x, const Vector& y, double within) const;

  std::size_t count() const { return patches_.size(); }

 private:
  struct Patch {
    std::vector<int> nodes;  // of its primitives: neighbouring patches share some
    int object = 0;
  };

  std::vector<double> radius_;
  MayCollide may_;
  std::vector<Patch> patches_;
};

}  // namespace limber
