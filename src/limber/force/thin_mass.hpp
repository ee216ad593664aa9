#pragma once
/// Areas and masses of bodies thinner than their meshes: sheets of triangles with thickness t, rods of edges with
/// radius r. The mass of an element, ρ t A or ρ π r² L, is divided equally among its n nodes (lumped) or distributed as
/// ∫ ρ N_a N_b (consistent: 2 on the diagonal, 1 elsewhere, over n(n + 1)).

#include <array>
#include <span>
#include <string>
#include <vector>

#include "limber/force/mass.hpp"
#include "limber/mesh/io/surface_io.hpp"

namespace limber {

/// Area of each triangle [m²]. Throws InputError(where, …), naming the triangle, if its area is zero: 2·area ≤ 1e-14 ×
/// (longest edge)².
std::vector<double> triangle_areas(const TriMesh& mesh, const std::string& where);

/// Sorted by (a, b), a ≤ b, without repeats. Node i of the mesh is `first_node` + i. `density`: #F [kg/m³].
std::vector<NodalMass> membrane_masses(const TriMesh& mesh, int first_node, std::span<const double> density,
                                       double thickness, MassKind kind);
/// The same for rods; edges index nodes of q (3N), as in network_springs. density [kg/m³], radius [m].
std::vector<NodalMass> rod_masses(const std::vector<std::array<int, 2>>& edges, const Vector& q, double density,
                                  double radius, MassKind kind);

}  // namespace limber
