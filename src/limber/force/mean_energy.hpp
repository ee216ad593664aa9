#pragma once  // internal
/// Parts of an elastic energy that depend on means of the deformation instead of its value at every point, so that
/// bodies that hardly change their volume do not lock: with too many points that each keep their volume, an element
/// could only move by shearing little.

#include <memory>
#include <vector>

#include "limber/material/catalog.hpp"
#include "limber/mesh/element_mesh.hpp"
#include "limber/model/force.hpp"

namespace limber {

class MeanEnergy {
 public:
  virtual ~MeanEnergy() = default;
  virtual void add_couplings(Couplings& pairs) const = 0;
  /// W [J], +∞ outside a material's domain.
  virtual double energy(const Vector& q) const = 0;
  virtual void add_force(const Vector& q, Vector& f) const = 0;
  virtual void add_tangent(const Vector& q, TangentBuilder& T) const = 0;
  /// y += K(q) x
  virtual void add_product(const Vector& q, const Vector& x, Vector& y) const = 0;
  /// To Cauchy's stress [Pa] and ψ [J/m³] of each element, #E of the mesh, where it has a share in them.
  virtual void add_stress(const Vector& q, std::vector<Mat3>& sigma, std::vector<double>& psi) const = 0;
};

/// What each element gives to means; node i of the mesh is node first_node + i of the state.
struct MeanShares {
  const ElementMesh& mesh;
  int first_node;
  const std::vector<AnyMaterial>& materials;
  const std::vector<int>& material_of;  // #E
  const std::vector<double>& bulk;      // #materials [Pa]: κ, 0 where elements take no part
  const std::vector<int>& group;        // #materials: means around nodes are taken over elements of one group

  bool takes_part(int material) const { return !bulk.empty() && bulk[static_cast<std::size_t>(material)] > 0; }
};

/// Of linear tetrahedra: the part of their energy that stays with them.
inline constexpr double nodal_rest = .05;

/// By the kind of the elements; null: none of them takes part.
///
/// Those with more nodes than a tetrahedron has corners: κ acts on the mean change of volume of an element. With its
/// volume v, V at rest,  W = Σ κ V U(v/V),  f = −Σ κ U' ∇v,  K = Σ κ U''/V ∇v ∇vᵀ + κ U' ∇²v.
///
/// Linear tetrahedra have too few nodes for that. F around a node is the mean of F in the tetrahedra around it, by
/// volume; 1 − nodal_rest of the energy is that of the nodes, Σ V_a ψ(F_a) with all of κ, and nodal_rest is that of the
/// tetrahedra, which keeps them from alternating (Dohrmann et al. 2000, Puso and Solberg 2006).
std::unique_ptr<MeanEnergy> make_mean_energy(const MeanShares& shares);
/// The part of each element's own energy that stays with it, #E; empty: all of all.
std::vector<double> own_parts(const MeanShares& shares);

}  // namespace limber
