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
  /// As TurningStiffness.
  virtual void add_turned_stiffness(const State& start, double dt, TangentBuilder& T) const = 0;
  /// To Cauchy's stress [Pa] and ψ [J/m³] of each element, #E of the mesh, where it has a share in them.
  virtual void add_stress(const Vector& q, std::vector<Mat3>& sigma, std::vector<double>& psi) const = 0;
};

/// Where linear tetrahedra keep what is left of their energy: on means around edges, or in themselves.
enum class Shear { on_edges, in_elements };

/// What each element gives to means; node i of the mesh is node first_node + i of the state.
struct MeanShares {
  const ElementMesh& mesh;
  int first_node;
  const std::vector<AnyMaterial>& materials;
  const std::vector<int>& material_of;  // #E
  const std::vector<double>& bulk;      // #materials [Pa]: κ, 0 where elements take no part
  const std::vector<int>& group;        // #materials: means are taken over elements of one group
  Shear shear = Shear::on_edges;

  bool takes_part(int material) const { return !bulk.empty() && bulk[static_cast<std::size_t>(material)] > 0; }
};

/// Of linear tetrahedra whose shear is on edges: the part of it that stays with them.
inline constexpr double elements_own = .05;

/// null: no element takes part.
///
/// κ acts on the mean change of volume of an element; of a compact patch of linear tetrahedra, which have too few nodes
/// for that (mesh/tet_patches.hpp). With the volume v of a patch, V at rest,
///
///     W = Σ κ V U(v/V),  f = −Σ κ U' ∇v,  K = Σ κ U''/V ∇v ∇vᵀ + κ U' ∇²v.
///
/// Linear tetrahedra are too stiff in bending even then. F around an edge is the mean of F in the tetrahedra around it,
/// by volume, each giving a sixth of itself to each of its edges; 1 − elements_own of the energy without κ is that of
/// the edges, Σ V ψ(F), and the rest is that of the tetrahedra, which notice when they are about to invert.
std::unique_ptr<MeanEnergy> make_mean_energy(const MeanShares& shares);
/// The part of each element's own energy that stays with it, #E; empty: all of all.
std::vector<double> own_parts(const MeanShares& shares);

}  // namespace limber
