#pragma once
/// A triangle surface with a tree of boxes over it, for two questions: how far is the nearest triangle, and how often
/// does the surface wind around x,  w(x) = (1/4π) Σ (solid angle of triangle i seen from x):  1 inside and 0 outside of
/// a closed surface that faces outwards, and in between, smoothly, near holes and flipped triangles.

#include <array>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/mesh/surface_io.hpp"
#include "limber/mesh/tet_mesh.hpp"

namespace limber {

class TriangleTree {
 public:
  /// At least one triangle.
  explicit TriangleTree(const TriMesh& mesh);

  struct Hit {
    double distance;   // [m]
    int triangle = 0;  // in the tree's own order
  };
  /// The nearest triangle; the search is short if `guess` is near.
  Hit nearest(const Vec3& x, int guess = 0) const;
  /// w(x). Far groups of triangles act as one dipole: the error is up to 0.05.
  double winding(const Vec3& x) const;

 private:
  struct Node {
    Box3 box;
    Vec3 centre, area = Vec3::Zero();  // middle of the area [m], Σ area × normal [m²]
    double radius = 0;                 // of the ball around `centre` that holds all triangles [m]
    int first = 0, count = 0;          // triangles of this node
    int right = 0;                     // the right child, the left one being the next node; 0: leaf
  };
  using Corners = std::array<Vec3, 3>;

  int build(int first, int count);
  void summarize(Node& node) const;

  std::vector<Corners> triangles_;  // in the order of the leaves
  std::vector<Node> nodes_;
};

}  // namespace limber
