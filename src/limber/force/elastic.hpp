#pragma once
/// The elastic force of one body, f = −∂W/∂q with W = Σ V ψ(F): the program's only element loop.

#include <memory>
#include <vector>

#include "limber/force/turning.hpp"
#include "limber/material/catalog.hpp"
#include "limber/mesh/element_mesh.hpp"
#include "limber/model/force.hpp"

namespace limber {

class ElementBatches;
class ElementKernel;
class MeanEnergy;
class TurnedKernel;

/// The parts of the energy that act on means, so that nearly incompressible bodies do not lock (force/mean_energy.hpp).
struct MeanParts {
  std::vector<double> bulk;  // #materials, or empty: the part of λ [Pa] moved from each (`softened`) to the means
  std::vector<int> group;    // #materials: means are taken over elements of one group
};

class ElasticForce final : public Force, public TurningStiffness {
 public:
  /// The mesh's nodes are the rest shape; node i of the mesh is node first_node + i of the state. material_of_element:
  /// #E, indices into `materials`. One material per element costs no more than a few materials in all.
  ElasticForce(const ElementMesh& mesh, int first_node, const std::vector<AnyMaterial>& materials,
               const std::vector<int>& material_of_element, const MeanParts& means = {});
  ElasticForce(const TetMesh& mesh, int first_node, const std::vector<AnyMaterial>& materials,
               const std::vector<int>& material_of_tet)
      : ElasticForce(linear_elements(mesh), first_node, materials, material_of_tet) {}
  /// Of the same mesh with other numbers in materials of the same models: shares the elements with the former force,
  /// unless others take part in means now.
  ElasticForce(const ElasticForce& former, const ElementMesh& mesh, int first_node,
               const std::vector<AnyMaterial>& materials, const std::vector<int>& material_of_element,
               const MeanParts& means);
  ~ElasticForce() override;

  ForceTraits traits() const override;
  void add_couplings(std::vector<std::pair<int, int>>& pairs) const override;
  void bind(const BlockPattern& pattern, std::span<const int> free_index) override;

  void add_force(const State& u, Vector& f) const override;
  /// Exact, or with each element's dP/dF projected. Call bind first.
  void add_tangent(const State& u, TangentBuilder& T) const override;
  void linearize(const State& u, Vector& f, TangentBuilder& T) const override;
  std::optional<Potentials> potentials(const State& u) const override;
  /// Call bind first.
  void add_turned_stiffness(const State& start, double dt, TangentBuilder& T) const override;
  /// Keeps det F > 0 for materials that need it: nine tenths of the way to the first inversion, if there is one.
  double max_step(const Vector& q, const Vector& dq, double t0 = 0, double t1 = 0) const override;

  bool shares_elements_with(const ElasticForce& other) const { return elements_ == other.elements_; }
  /// The smallest det F at the quadrature points of all elements.
  double min_det_F(const Vector& q) const;

 private:
  ElasticForce(const ElementMesh& mesh, int first_node, const std::vector<AnyMaterial>& materials,
               const std::vector<int>& material_of_element, const MeanParts& means,
               const std::shared_ptr<ElementBatches>& former);
  /// visit(block, kernel) for every block, colour by colour; each takes about `cost` [ns].
  template <class Visit>
  void for_blocks(double cost, const Visit& visit) const;

  std::vector<std::unique_ptr<ElementKernel>> kernels_;  // one for each model of material
  std::vector<TurnedKernel> turned_;                     // of these
  std::shared_ptr<ElementBatches> elements_;
  std::unique_ptr<MeanEnergy> means_;  // null: there is none
};

}  // namespace limber
