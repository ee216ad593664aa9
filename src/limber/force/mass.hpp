#pragma once
/// The mass matrix of linear tetrahedra, a scalar for each pair of nodes (times I₃):
///
///     lumped: a quarter of each tetrahedron's mass at its nodes;   consistent: m_ab = ρ V (1 + δ_ab) / 20.
///
/// The row sums of both are the same.

#include <span>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/mesh/tet_mesh.hpp"
#include "limber/model/mechanical_system.hpp"

namespace limber {

enum class MassKind { lumped, consistent };

/// Sorted by (a, b), a ≤ b, each pair once. Node i of the mesh is `first_node` + i. `density`: #T [kg/m³].
std::vector<NodalMass> tet_masses(const TetMesh& mesh, int first_node, std::span<const double> density, MassKind kind);

/// Adds the sum [kg] of each row to `sums`, #N: what gravity acts on.
void add_row_sums(const std::vector<NodalMass>& masses, Vector& sums);

}  // namespace limber
