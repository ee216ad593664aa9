#pragma once
/// Areas and masses of bodies thinner than their meshes: sheets of triangles with a thickness t, rods of edges with a
/// radius r. Each element's mass, ρ t A or ρ π r² L, goes to its n nodes in equal parts (lumped) or as ∫ ρ N_a N_b
/// (consistent: 2 on the diagonal, 1 elsewhere, over n(n + 1)).

#include <array>
#include <span>
#include <string>
#include <vector>

#include "limber/force/mass.hpp"
#include "limber/mesh/io/surface_io.hpp"

namespace limber {

/// Area of each triangle [m²]. Throws InputError(where, …), naming it, for one of no area: 2·area ≤ 1e-14 × (longest
/// edge)².
std::vector<double> triangle_areas(const TriMesh& mesh, const std::string& where);

/// Sorted by (a, b), a ≤ b, each pair once. Node i of the mesh is `first_node` + i. `density`: #F [kg/m³].
std::vector<NodalMass> membrane_masses(const TriMesh& mesh, int first_node, std::span<const double> density,
                                       double thickness, MassKind kind);
/// The same for rods; edges count nodes of q (3N), as network_springs. density [kg/m³], radius [m].
std::vector<NodalMass> rod_masses(const std::vector<std::array<int, 2>>& edges, const Vector& q, double density,
                                  double radius, MassKind kind);

}  // namespace limber
