#pragma once
/// The elastic force of one body, f = −∂W/∂q with W = Σ V ψ(F).

#include <memory>
#include <vector>

#include "limber/force/element_force.hpp"
#include "limber/force/turning.hpp"

namespace limber {

class TurnedKernel;
struct MeanShares;

class ElasticForce final : public ElementForce, public TurningStiffness {
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
  ElasticForce(const ElementForce& former, const ElementMesh& mesh, int first_node,
               const std::vector<AnyMaterial>& materials, const std::vector<int>& material_of_element,
               const MeanParts& means);
  ~ElasticForce() override;

  ForceTraits traits() const override;
  /// Call bind first.
  void add_turned_stiffness(const State& start, double dt, TangentBuilder& T) const override;
  /// The smallest det F at the quadrature points of all elements.
  double min_det_F(const Vector& q) const;

 private:
  ElasticForce(const MeanShares& shares, const std::shared_ptr<ElementBatches>& former);

  std::vector<TurnedKernel> turned_;  // one for each model of material
};

}  // namespace limber
