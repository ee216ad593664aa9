#pragma once
/// Built-in bodies. `resolution` is the desired mean edge length [m]. y is up. Every function throws
/// InputError(parameter, …) for an invalid parameter, or before building more than max_tets. Each mesh is in one piece
/// with a closed manifold surface and dihedral angles above 10° (for a shell: unless its layers are much thinner than
/// its edges).
/// are not much thinner than its edges are long).

#include <cstddef>
#include <functional>
#include <vector>

#include "limber/mesh/tet_mesh.hpp"

namespace limber {

inline constexpr std::size_t default_max_tets = 5'000'000;

/// Along y, from y = 0 to length. Exact flat ends.
struct CylinderShape {
  double radius = 0.25, length = 1;  // [m]
  double resolution = 0.08;          // at most the radius
  std::size_t max_tets = default_max_tets;
};
TetMesh cylinder_mesh(const CylinderShape& shape);

/// Centred at the origin.
struct SphereShape {
  double radius = 0.5;       // [m]
  double resolution = 0.08;  // at most the radius
  std::size_t max_tets = default_max_tets;
};
TetMesh sphere_mesh(const SphereShape& shape);

/// A hollow sphere about the origin; with a length, a hollow capsule along y. The wall is divided into layers.
struct ShellShape {
  double radius = 0.5, length = 0;  // [m] outer radius; distance between the centres of the round ends
  double thickness = 0.1;           // [m] at most 0.9 of the radius
  double offset = 0;  // [m] shift of the hollow along x, at most 0.75 of the thickness; makes one wall thicker
  int layers = 2;
  double resolution = 0.1;  // on the outside, at most the radius
  std::size_t max_tets = default_max_tets;
};
TetMesh shell_mesh(const ShellShape& shape);

/// About the y axis, centred at the origin.
struct TorusShape {
  double major_radius = 0.5, minor_radius = 0.15;  // [m], minor at most 0.7 major
  double resolution = 0.06;                        // at most the minor radius
  std::size_t max_tets = default_max_tets;
};
TetMesh torus_mesh(const TorusShape& shape);

/// A round rod along a curve, with flat ends.
struct RopeShape {
  double radius = 0.03, length = 2;  // [m]
  double resolution = 0.02;          // at most the radius
  /// Points on the curve (two or more), joined smoothly; if empty, straight from the origin to (length, 0, 0). With
  /// points, `length` is ignored. The curve's bending radius must be at least 1.5 times the rope's radius, and the
  /// curve must keep clear of itself (unchecked).
  std::vector<Vec3> path = {};
  std::size_t max_tets = default_max_tets;
};
TetMesh rope_mesh(const RopeShape& shape);

/// A deck on a parabolic arch with posts between them. From x = 0 to length, y = 0 to height, symmetric in z; deck and
/// arch end in the planes x = 0 and x = length.
struct BridgeShape {
  double length = 8, width = 1, height = 2;  // [m]
  double deck_thickness = 0.25, arch_thickness = 0.3,
         clearance = 0.2;  // [m], clearance: between arch and deck mid-span
  int posts = 7;
  double post_width = 0.25;  // along x [m]
  double resolution = 0.125;
  std::size_t max_tets = default_max_tets;
};
TetMesh bridge_mesh(const BridgeShape& shape);

enum class Count { nodes, tets };

/// The mesh with the count nearest to `target`, found with few calls of `make`, which maps a resolution to a mesh.
/// `coarsest` is the largest resolution accepted by `make`. Throws InputError if even that gives more than 1.1 ×
/// target.
TetMesh mesh_of_count(const std::function<TetMesh(double resolution)>& make, double coarsest, Count what,
                      std::size_t target);

}  // namespace limber
