#include "limber/force/elastic.hpp"

#include "limber/force/element_groups.hpp"
#include "limber/force/turned_kernel.hpp"

namespace limber {
namespace {

// [ns] Of a block of elements.
constexpr double det_cost = 3e3, turned_cost = 1e4;

}  // namespace

ElasticForce::ElasticForce(const ElementMesh& mesh, int first_node, const std::vector<AnyMaterial>& materials,
                           const std::vector<int>& material_of_element, const MeanParts& means)
    : ElasticForce({mesh, first_node, materials, material_of_element, means.bulk, means.group}, nullptr) {}

ElasticForce::ElasticForce(const ElementForce& former, const ElementMesh& mesh, int first_node,
                           const std::vector<AnyMaterial>& materials, const std::vector<int>& material_of_element,
                           const MeanParts& means)
    : ElasticForce({mesh, first_node, materials, material_of_element, means.bulk, means.group},
                   former.shared_elements()) {}

ElasticForce::ElasticForce(const MeanShares& shares, const std::shared_ptr<ElementBatches>& former)
    : ElementForce(element_parts(shares, former, [&](const auto& at_places, int first_batch) {
        return make_element_kernel(at_places, first_batch, shares.mesh.kind);
      })) {
  for_groups(elements(), groups_by_model(shares.materials, shares.material_of), shares.materials, shares.material_of,
             [&](const auto& at_places, int first_batch) { turned_.emplace_back(at_places, first_batch); });
}

ElasticForce::~ElasticForce() = default;

ForceTraits ElasticForce::traits() const {
  return {.symmetric = true, .velocity_dependent = false, .has_potential = true, .energy = EnergyKind::elastic};
}

void ElasticForce::add_turned_stiffness(const State& start, double dt, TangentBuilder& T) const {
  eigen_assert(elements().is_bound());
  for_coloured_blocks(elements(), turned_cost, [&](const ElementBlock& block) {
    turned_[static_cast<std::size_t>(block.kernel)].add(elements(), block, start.q.data(), start.v.data(), dt,
                                                        T.stiffness_values());
  });
  if (means()) means()->add_turned_stiffness(start, dt, T);
}

double ElasticForce::min_det_F(const Vector& q) const {
  return smallest_of_blocks(elements(), det_cost,
                            [&](const ElementBlock& block) { return least_det(elements(), block, q.data()); });
}

}  // namespace limber
