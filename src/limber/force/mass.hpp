#pragma once
/// The mass matrix of a mesh, a scalar for each pair of nodes (times I₃):
///
///     consistent: m_ab = ∫ ρ N_a N_b;   lumped: m_aa of the consistent one, scaled to the element's mass (Hinton, Rock
///     and Zienkiewicz 1976), which for linear tetrahedra is a quarter of it at each node.
///
/// Row sums of a quadratic element's matrix would give its corners negative masses.

#include <span>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/mesh/element_mesh.hpp"
#include "limber/model/mechanical_system.hpp"

namespace limber {

enum class MassKind { lumped, consistent };

/// Sorted by (a, b), a ≤ b, each pair once. Node i of the mesh is `first_node` + i. `density`: #E [kg/m³].
std::vector<NodalMass> element_masses(const ElementMesh& mesh, int first_node, std::span<const double> density,
                                      MassKind kind);

/// Adds the sum [kg] of each row to `sums`, #N: what gravity acts on.
void add_row_sums(const std::vector<NodalMass>& masses, Vector& sums);

}  // namespace limber
