#pragma once
/// How powers w · f change with the rest positions X of the nodes. Vectors are 3N over the nodes of the mesh, whose
/// positions are X.

#include <span>
#include <vector>

#include "limber/force/mass.hpp"
#include "limber/material/catalog.hpp"
#include "limber/mesh/io/surface_io.hpp"

namespace limber {

/// Of the elastic force at x. With F = ∂x/∂X and W = ∂w/∂X at a point of the volume V,
///
///     w · f = −Σ V P:W,   ∂(w · f)/∂X_a = −Σ V [(P:W) I − Fᵀ (∂P/∂F : W) − Wᵀ P] ∇N_a.
void add_elastic_rest_powers(const ElementMesh& mesh, const std::vector<AnyMaterial>& materials,
                             const std::vector<int>& material_of_element, const Vector& x, const Vector& w,
                             Eigen::Ref<Vector> to);

/// Of Σ m_ab w_a · y_b with the masses of `element_masses`. density: #E [kg/m³].
void add_mass_rest_powers(const ElementMesh& mesh, std::span<const double> density, MassKind kind, const Vector& w,
                          const Vector& y, Eigen::Ref<Vector> to);
/// The same with those of `membrane_masses`. density [kg/m³].
void add_mass_rest_powers(const TriMesh& mesh, double density, double thickness, MassKind kind, const Vector& w,
                          const Vector& y, Eigen::Ref<Vector> to);

}  // namespace limber
