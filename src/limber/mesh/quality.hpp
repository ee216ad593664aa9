#pragma once
/// Quality of a tetrahedral mesh: the shapes of its elements, and whether its surface is a clean manifold. Angles are
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

/// The component number of each tetrahedron. Tetrahedra connected by a chain of shared faces form a component;
/// components are numbered by their first tetrahedra.
std::vector<int> tet_components(const TetMesh& mesh);

/// The nodes of a closed surface whose triangles do not form a single closed fan, ascending: the surface touches itself
/// there. Includes both ends of every edge with more than two triangles.
std::vector<int> pinched_nodes(const std::vector<std::array<int, 3>>& triangles);

struct MeshReport {
  std::size_t nodes = 0, tets = 0, surface_triangles = 0;
  std::size_t components = 0;                        // connected by faces
  double volume = 0;                                 // Σ |volume| [m³]
  double min_edge = 0, mean_edge = 0, max_edge = 0;  // over distinct edges [m]
  double min_volume = 0, max_volume = 0;             // signed, of one tetrahedron [m³]

  double min_dihedral = 0, max_dihedral = 0;         // [°]
  std::array<std::size_t, 18> dihedral_histogram{};  // all angles of all tetrahedra, bins of 10°
  double min_radius_ratio = 0, mean_radius_ratio = 0;
  std::array<std::size_t, 10> radius_ratio_histogram{};  // tetrahedra, bins of 0.1
  std::size_t worst_tet = 0;                             // the first with the smallest dihedral angle
  Vec3 worst_at = Vec3::Zero();                          // its centroid [m]

  std::size_t inverted = 0;            // negatively ordered
  std::size_t flat = 0;                // |volume| ≤ 1e-14 × (longest edge)³
  std::size_t unreferenced_nodes = 0;  // in no tetrahedron
  std::size_t nonmanifold_edges = 0;   // surface edges not shared by exactly two triangles
  std::size_t pinched_nodes = 0;       // of the surface, see pinched_nodes above
  long euler = 0;                      // V − E + F of the surface: 2 per sphere, 0 per torus
};

/// The indices of `mesh` must be in range and its coordinates finite. Otherwise it may be arbitrarily bad, or empty.
MeshReport mesh_report(const TetMesh& mesh);

}  // namespace limber
