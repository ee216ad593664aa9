#pragma once
/// The contact surface divided into patches of neighbouring primitives of one object. They bound how far primitives
/// that could meet have moved relative to each other. Distant objects do not count, however fast; of rotation and
/// bending only the difference between neighbours counts.

#include <vector>

#include "limber/contact/geometry/surface.hpp"
#include "limber/contact/geometry/tree_pairs.hpp"

namespace limber {

class Patches {
 public:
  /// rest [m]: 3 × all nodes; defines neighbours.
  Patches(const ContactSurface& surface, const MayCollide& may, const Vector& rest);

  /// The box of each patch at x, thickness included.
  std::vector<Bounds> boxes(const Vector& x) const;

  /// An upper bound of the relative motion [m] of two primitives on the straight path from x, where the patches have
  /// these boxes, to y, for all pairs whose gap may fall below `within` on it.
  double spread(const std::vector<Bounds>& boxes, const Vector& x, const Vector& y, double within) const;

  std::size_t count() const { return patches_.size(); }

 private:
  struct Patch {
    std::vector<int> nodes;  // of its primitives; neighbouring patches share nodes
    int object = 0;
  };

  std::vector<double> radius_;
  MayCollide may_;
  std::vector<Patch> patches_;
};

}  // namespace limber
