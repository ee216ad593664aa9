#pragma once
/// How good a tetrahedral mesh is: the shapes of its elements, and whether its surface is one clean skin. Angles are
/// in degrees; the radius ratio 3 r_in / r_circ is 1 for the regular tetrahedron and 0 for a flat one.

#include <array>
#include <cstddef>
#include <vector>

#include "limber/mesh/tet_mesh.hpp"

namespace limber {

struct TetShape {
  std::array<double, 6> dihedral{};  // [°], at the edges 01, 02, 03, 12, 13, 23
  double min_dihedral = 0, max_dihedral = 0;
  double radius_ratio = 0;
  double volume = 0;                           // signed [m³]
  double shortest_edge = 0, longest_edge = 0;  // [m]
};
TetShape tet_shape(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);
TetShape tet_shape(const TetMesh& mesh, std::size_t t);

/// For each tetrahedron the number of its component: two belong together if a chain of shared faces joins them.
/// Components are numbered by their first tetrahedra.
std::vector<int> tet_components(const TetMesh& mesh);

/// The nodes of a closed surface whose triangles do not form one closed fan, ascending: there the surface touches
/// itself. Both ends of an edge of more than two triangles are among them.
std::vector<int> pinched_nodes(const std::vector<std::array<int, 3>>& triangles);

struct MeshReport {
  std::size_t nodes = 0, tets = 0, surface_triangles = 0;
  std::size_t components = 0;                        // joined by faces
  double volume = 0;                                 // Σ |volume| [m³]
  double min_edge = 0, mean_edge = 0, max_edge = 0;  // over distinct edges [m]
  double min_volume = 0, max_volume = 0;             // signed, of one tetrahedron [m³]

  double min_dihedral = 0, max_dihedral = 0;         // [°]
  std::array<std::size_t, 18> dihedral_histogram{};  // all angles of all tetrahedra, 10° each
  double min_radius_ratio = 0, mean_radius_ratio = 0;
  std::array<std::size_t, 10> radius_ratio_histogram{};  // tetrahedra, 0.1 each
  std::size_t worst_tet = 0;                             // the first with the smallest dihedral angle
  Vec3 worst_at = Vec3::Zero();                          // its centroid [m]

  std::size_t inverted = 0;            // negatively ordered
  std::size_t flat = 0;                // |volume| ≤ 1e-14 × (longest edge)³
  std::size_t unreferenced_nodes = 0;  // in no tetrahedron
  std::size_t nonmanifold_edges = 0;   // of the surface, not between exactly two of its triangles
  std::size_t pinched_nodes = 0;       // of the surface, see above
  long euler = 0;                      // V − E + F of the surface: 2 per sphere, 0 per torus
};

/// The indices of `mesh` must be in range and its coordinates finite; otherwise it may be as bad as it likes, or empty.
MeshReport mesh_report(const TetMesh& mesh);

}  // namespace limber
