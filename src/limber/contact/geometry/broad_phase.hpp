#pragma once
/// Finds candidate pairs of primitives: all pairs with overlapping boxes. The box of a primitive contains the straight
/// motion x₀ → x₁ of its nodes, enlarged by reach/2 + the node's radius and a few rounding errors. So every pair that
/// comes within reach + both radii at any time is found; so are other pairs.

#include <array>
#include <vector>

#include "limber/contact/geometry/surface.hpp"
#include "limber/contact/geometry/tree_pairs.hpp"
#include "limber/core/types.hpp"

namespace limber {

/// Numbers are indices into the surface's lists (points, edges, triangles), not nodes. Each list is ascending.
struct Candidates {
  std::vector<std::array<int, 2>> point_triangle;  // (point, triangle): every point against every triangle
  std::vector<std::array<int, 2>> edge_edge;       // first < second: all edges, of triangles and of rods
  /// (point, edge): every point against edges that belong to no triangle. Points of rods meet other rods here as well
  /// as in edge_edge, since edge pairs lose their force as they become parallel.
  std::vector<std::array<int, 2>> point_edge;
  std::vector<std::array<int, 2>> point_point;  // first < second: both in no edge and no triangle
};

class BroadPhase {
 public:
  /// All nodes of a primitive belong to one object. may: #objects × #objects, symmetric.
  BroadPhase(ContactSurface surface, const MayCollide& may);

  /// x0, x1 [m]: 3 × all nodes; pass the same vector twice for bodies at rest. reach ≥ 0 [m]. All numbers are finite.
  /// Pairs that share a node or may not collide are omitted. The lists do not depend on the number of threads or on
  /// earlier calls.
  void find(const Vector& x0, const Vector& x1, double reach, Candidates& out);

  const ContactSurface& surface() const { return surface_; }

  /// How often trees were rebuilt because their refitted boxes had become too large.
  int rebuilds() const { return rebuilds_; }

 private:
  /// A tree over some primitives, each given by indices into `nodes_`.
  template <std::size_t N>
  struct Family {
    std::vector<std::array<int, N>> corners;
    std::vector<int> number;  // index in the surface's list, ascending
    std::vector<int> object;
    std::vector<Bounds> boxes;
    BoxTree tree;
    double built_area = -1;  // Σ surface area of the boxes when the tree was built [m²]; −1: no tree yet
  };

  void make_families();
  template <std::size_t N>
  void add(Family<N>& family, int number, std::array<int, N> nodes) const;
  void update_boxes(const Vector& x0, const Vector& x1, double reach);
  template <std::size_t N>
  void update(Family<N>& family, double reach);
  template <std::size_t N, std::size_t M>
  void pairs(const Family<N>& a, const Family<M>& b, std::size_t first_count, std::vector<std::array<int, 2>>& out);

  ContactSurface surface_;
  ObjectTable may_;
  std::vector<int> nodes_;     // the nodes of all primitives, ascending
  std::vector<Bounds> boxes_;  // per entry of nodes_
  Family<1> points_, lone_points_;
  Family<2> edges_, rods_;
  Family<3> triangles_;
  std::vector<std::vector<std::array<int, 2>>> found_;  // per task
  std::vector<int> offsets_;
  int rebuilds_ = 0;
};

}  // namespace limber
