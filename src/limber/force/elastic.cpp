#include "limber/force/elastic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/core/parallel.hpp"
#include "limber/force/element_groups.hpp"
#include "limber/force/element_kernel.hpp"
#include "limber/force/mean_energy.hpp"
#include "limber/force/turned_kernel.hpp"

namespace limber {
namespace {

// [ns] Of a block of elements.
constexpr double force_cost = 3e3, tangent_cost = 1e4;

}  // namespace

ElasticForce::ElasticForce(const ElementMesh& mesh, int first_node, const std::vector<AnyMaterial>& materials,
                           const std::vector<int>& material_of_element, const MeanParts& means)
    : ElasticForce(mesh, first_node, materials, material_of_element, means, nullptr) {}

ElasticForce::ElasticForce(const ElasticForce& former, const ElementMesh& mesh, int first_node,
                           const std::vector<AnyMaterial>& materials, const std::vector<int>& material_of_element,
                           const MeanParts& means)
    : ElasticForce(mesh, first_node, materials, material_of_element, means, former.elements_) {}

ElasticForce::ElasticForce(const ElementMesh& mesh, int first_node, const std::vector<AnyMaterial>& materials,
                           const std::vector<int>& material_of_element, const MeanParts& means,
                           const std::shared_ptr<ElementBatches>& former) {
  const std::vector<int> groups = groups_by_model(materials, material_of_element);
  const MeanShares shares{mesh, first_node, materials, material_of_element, means.bulk, means.group};
  elements_ = shared_or_made(former, shares, groups);
  means_ = make_mean_energy(shares);
  for_groups(*elements_, groups, materials, material_of_element, [&](const auto& at_places, int first_batch) {
    kernels_.push_back(make_element_kernel(at_places, first_batch, mesh.kind));
    turned_.emplace_back(at_places, first_batch);
  });
}

ElasticForce::~ElasticForce() = default;

ForceTraits ElasticForce::traits() const {
  return {.symmetric = true, .velocity_dependent = false, .has_potential = true, .energy = EnergyKind::elastic};
}

void ElasticForce::add_couplings(std::vector<std::pair<int, int>>& pairs) const {
  add_couplings_within(*elements_, pairs);
  if (means_) means_->add_couplings(pairs);
}

void ElasticForce::bind(const BlockPattern& pattern, std::span<const int> free_index) {
  elements_->bind(pattern, free_index);
}

template <class Visit>
void ElasticForce::for_blocks(double cost, const Visit& visit) const {
  for_coloured_blocks(*elements_, cost, [&](const ElementBlock& block) {
    visit(block, *kernels_[static_cast<std::size_t>(block.kernel)]);
  });
}

void ElasticForce::add_force(const State& u, Vector& f) const {
  for_blocks(force_cost, [&](const ElementBlock& block, const ElementKernel& kernel) {
    kernel.add_force(*elements_, block, u.q.data(), f.data());
  });
  if (means_) means_->add_force(u.q, f);
}

void ElasticForce::add_tangent(const State& u, TangentBuilder& T) const {
  eigen_assert(elements_->is_bound());
  const auto definiteness = T.projected() ? Definiteness::projected : Definiteness::exact;
  for_blocks(tangent_cost, [&](const ElementBlock& block, const ElementKernel& kernel) {
    kernel.linearize(*elements_, block, definiteness, u.q.data(), nullptr, T.stiffness_values());
  });
  if (means_) means_->add_tangent(u.q, T);
}

void ElasticForce::linearize(const State& u, Vector& f, TangentBuilder& T) const {
  eigen_assert(elements_->is_bound());
  const auto definiteness = T.projected() ? Definiteness::projected : Definiteness::exact;
  for_blocks(tangent_cost, [&](const ElementBlock& block, const ElementKernel& kernel) {
    kernel.linearize(*elements_, block, definiteness, u.q.data(), f.data(), T.stiffness_values());
  });
  if (!means_) return;
  means_->add_force(u.q, f);
  means_->add_tangent(u.q, T);
}

std::optional<Potentials> ElasticForce::potentials(const State& u) const {
  const auto& blocks = elements_->blocks();
  double W = ordered_sum(
      static_cast<Index>(blocks.size()),
      [&](Index i) {
        const ElementBlock& block = blocks[static_cast<std::size_t>(i)];
        return kernels_[static_cast<std::size_t>(block.kernel)]->energy(*elements_, block, u.q.data());
      },
      force_cost);
  if (means_) W += means_->energy(u.q);
  return Potentials{std::isnan(W) ? std::numeric_limits<double>::infinity() : W, 0};
}

void ElasticForce::add_turned_stiffness(const State& start, double dt, TangentBuilder& T) const {
  eigen_assert(elements_->is_bound());
  for_coloured_blocks(*elements_, tangent_cost, [&](const ElementBlock& block) {
    turned_[static_cast<std::size_t>(block.kernel)].add(*elements_, block, start.q.data(), start.v.data(), dt,
                                                        T.stiffness_values());
  });
  if (means_) means_->add_turned_stiffness(start, dt, T);
}

double ElasticForce::max_step(const Vector& q, const Vector& dq, double, double) const {
  return step_before_inversion(*elements_, kernels_, force_cost, q, dq);
}

double ElasticForce::min_det_F(const Vector& q) const {
  return smallest_of_blocks(*elements_, force_cost,
                            [&](const ElementBlock& block) { return least_det(*elements_, block, q.data()); });
}

}  // namespace limber
