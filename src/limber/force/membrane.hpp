#pragma once
/// Sheets of linear triangles of thickness t [m] in plane stress,
///
///     W = Σ area t min over a of ψ([F | a]),   F = ∂x/∂X: 3 × 2 in the plane of the rest triangle,
///
/// with any material of the catalog except `linear`, which is not frame indifferent. f = −∂W/∂q comes from the first
/// two columns of P. A sheet cannot be inverted in space; if it collapses to a line, materials that forbid det F ≤ 0
/// give W = ∞.

#include <string>
#include <vector>

#include "limber/force/plane_stress.hpp"
#include "limber/force/stencils.hpp"
#include "limber/force/turning.hpp"
#include "limber/material/catalog.hpp"
#include "limber/mesh/io/surface_io.hpp"

namespace limber {

class MembraneForce final : public Force, public TurningStiffness {
 public:
  /// The mesh's nodes are the rest shape; node i of the mesh is node first_node + i of the state. material_of_triangle:
  /// #F, indices into `materials`. Throws InputError(where…) for a triangle of zero area (2·area ≤ 1e-14 × (longest
  /// edge)²), a thickness that is not positive, or the material `linear`.
  MembraneForce(const TriMesh& mesh, int first_node, std::vector<AnyMaterial> materials,
                const std::vector<int>& material_of_triangle, double thickness, const std::string& where);

  ForceTraits traits() const override { return {.energy = EnergyKind::elastic}; }
  void add_couplings(Couplings& pairs) const override { triangles_.add_couplings(pairs); }
  void add_force(const State& u, Vector& f) const override;
  /// Exact, or with the 6 × 6 Hessian of each triangle's energy in F projected using its closed-form eigensystem.
  void add_tangent(const State& u, TangentBuilder& T) const override;
  void linearize(const State& u, Vector& f, TangentBuilder& T) const override;
  std::optional<Potentials> potentials(const State& u) const override;
  void add_turned_stiffness(const State& start, double dt, TangentBuilder& T) const override;

 private:
  struct Rest {
    Eigen::Matrix2d inverse;  // (∂X/∂ξ)⁻¹ [1/m]: F = [x₁ − x₀, x₂ − x₀] inverse
    double volume;            // area × t [m³]
    int material;
  };
  struct Strain;
  Strain strain(std::size_t i, const Stencils<3>::Points& x) const;
  const AnyMaterial& material(std::size_t i) const { return materials_[static_cast<std::size_t>(rest_[i].material)]; }
  /// Calls use(i, strain, response) for every triangle, as Stencils::for_each.
  template <class Use>
  void for_triangles(const Vector& q, const Use& use) const;
  Stencils<3>::Points forces(std::size_t i, const Strain& e, const PlaneStress& r) const;
  Stencils<3>::Block stiffness(std::size_t i, const Strain& e, PlaneStress r, Definiteness definiteness) const;

  std::vector<AnyMaterial> materials_;
  std::vector<PlaneStress> at_rest_;  // one per material, at rest
  std::vector<Rest> rest_;
  Stencils<3> triangles_;
};

}  // namespace limber
