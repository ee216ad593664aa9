#pragma once
/// A heap of triangles, and two questions to it: how far is the nearest one, and how often does the heap wind around x,
///   w(x) = (1/4π) Σ (solid angle of triangle i seen from x):
/// 1 inside and 0 outside of a closed surface that faces outwards, and in between, smoothly, near holes.

#include <limits>
#include <vector>

#include "limber/mesh/box_tree.hpp"
#include "limber/mesh/tri_mesh.hpp"

namespace limber {

/// The share that triangle a, b, c, seen from x, has of the whole sphere; positive where x is behind it.
double solid_angle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c);

class WindingTree {
 public:
  /// At least one triangle.
  explicit WindingTree(TriMesh mesh);

  const TriMesh& mesh() const { return mesh_; }
  const BoxTree& tree() const { return tree_; }
  /// w(x). Groups of triangles that are further away than twice their radius act as one dipole: the error is below 0.05
  /// near surfaces, and much smaller in general.
  double winding(const Vec3& x) const;
  /// To the nearest triangle [m], which is at most `within`: the search is short where that is little.
  double distance(const Vec3& x, double within = std::numeric_limits<double>::infinity()) const;

 private:
  struct Dipole {
    Vec3 centre = Vec3::Zero(), area = Vec3::Zero();  // middle of the area [m], Σ area × normal [m²]
    double radius = 0;                                // of the ball around `centre` that holds the triangles [m]
  };
  Dipole dipole(int node) const;

  TriMesh mesh_;
  BoxTree tree_;
  std::vector<Dipole> dipoles_;  // one a node of the tree
};

}  // namespace limber
