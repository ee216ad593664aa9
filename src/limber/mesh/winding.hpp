#pragma once
/// An arbitrary set of triangles with two queries: the distance to the nearest one, and the winding number about x,
///   w(x) = (1/4π) Σ (solid angle of triangle i seen from x):
/// It is 1 inside and 0 outside a closed outward surface, and varies smoothly in between near holes.

#include <limits>
#include <vector>

#include "limber/mesh/box_tree.hpp"
#include "limber/mesh/tri_mesh.hpp"

namespace limber {

/// The solid angle of triangle a, b, c seen from x as a fraction of the sphere; positive if x is behind it.
double solid_angle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c);

class WindingTree {
 public:
  /// Requires at least one triangle.
  explicit WindingTree(TriMesh mesh);

  const TriMesh& mesh() const { return mesh_; }
  const BoxTree& tree() const { return tree_; }
  /// w(x). Groups of triangles farther away than twice their radius act as one dipole: the error is below 0.05 near
  /// surfaces, and much smaller in general.
  double winding(const Vec3& x) const;
  /// Distance to the nearest triangle [m], at most `within`; a small `within` shortens the search.
  double distance(const Vec3& x, double within = std::numeric_limits<double>::infinity()) const;

 private:
  struct Dipole {
    Vec3 centre = Vec3::Zero(), area = Vec3::Zero();  // area centroid [m], Σ area × normal [m²]
    double radius = 0;                                // of a ball around `centre` that contains the triangles [m]
  };
  Dipole dipole(int node) const;

  TriMesh mesh_;
  BoxTree tree_;
  std::vector<Dipole> dipoles_;  // one per tree node
};

}  // namespace limber
