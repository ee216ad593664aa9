#pragma once  // internal
/// Parts of an elastic energy that depend on averages of the deformation instead of pointwise values, so that nearly
/// incompressible bodies do not lock: an element that preserves its volume at too many points can hardly move.

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
  /// See TurningStiffness.
  virtual void add_turned_stiffness(const State& start, double dt, TangentBuilder& T) const = 0;
  /// Adds to the Cauchy stress [Pa] and ψ [J/m³] of each element, #E of the mesh, the contributions of the means.
  virtual void add_stress(const Vector& q, std::vector<Mat3>& sigma, std::vector<double>& psi) const = 0;
};

/// How linear tetrahedra evaluate the remaining energy: on averages around edges, or in each element.
enum class Shear { on_edges, in_elements };

/// The contribution of each element to means. Node i of the mesh is node first_node + i of the state.
struct MeanShares {
  const ElementMesh& mesh;
  int first_node;
  const std::vector<AnyMaterial>& materials;
  const std::vector<int>& material_of;  // #E
  const std::vector<double>& bulk;      // #materials [Pa]: κ, 0 for elements that do not take part
  const std::vector<int>& group;        // #materials: means are taken over elements of one group
  Shear shear = Shear::on_edges;

  bool takes_part(int material) const { return !bulk.empty() && bulk[static_cast<std::size_t>(material)] > 0; }
};

/// The fraction of the shear energy that stays in linear tetrahedra if shear is on edges.
inline constexpr double elements_own = .05;

/// Null if no element takes part.
///
/// κ acts on the mean volume change of an element. Linear tetrahedra have too few nodes for that; for them, κ acts on
/// the mean volume change of compact patches (mesh/tet_patches.hpp). With the volume v of a patch, V at rest,
///
///     W = Σ κ V U(v/V),  f = −Σ κ U' ∇v,  K = Σ κ U''/V ∇v ∇vᵀ + κ U' ∇²v.
///
/// Even so, linear tetrahedra are too stiff in bending. F around an edge is the volume-weighted mean of F in the
/// surrounding tetrahedra, each contributing a sixth of its volume to each of its edges. Edges carry 1 − elements_own
/// of the energy without κ, Σ V ψ(F), and the tetrahedra carry the rest, which resists their inversion.
std::unique_ptr<MeanEnergy> make_mean_energy(const MeanShares& shares);
/// The fraction of each element's own energy that stays in it, #E; empty: 1 for all.
std::vector<double> own_parts(const MeanShares& shares);

}  // namespace limber
