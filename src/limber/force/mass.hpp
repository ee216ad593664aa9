#pragma once
/// The mass matrix of a mesh, one scalar per pair of nodes (times I₃):
///
///     consistent: m_ab = ∫ ρ N_a N_b;   lumped: m_aa of the consistent one, scaled to the element's mass (Hinton, Rock
///     and Zienkiewicz 1976), which for linear tetrahedra is a quarter of it at each node.
///
/// Row sums of a quadratic element's matrix would give negative masses at its corners.

#include <span>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/mesh/element_mesh.hpp"
#include "limber/model/mechanical_system.hpp"

namespace limber {

enum class MassKind { lumped, consistent };

/// Sorted by (a, b), a ≤ b, without repeats. Node i of the mesh is `first_node` + i. `density`: #E [kg/m³].
std::vector<NodalMass> element_masses(const ElementMesh& mesh, int first_node, std::span<const double> density,
                                      MassKind kind);

/// Adds each row sum [kg] to `sums`, #N: the masses on which gravity acts.
void add_row_sums(const std::vector<NodalMass>& masses, Vector& sums);

}  // namespace limber
