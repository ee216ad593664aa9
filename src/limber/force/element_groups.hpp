#pragma once  // internal
/// Elements grouped by material model, each group with its kernel, and loops over their blocks.

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "limber/core/extremes.hpp"
#include "limber/core/parallel.hpp"
#include "limber/force/element_batches.hpp"
#include "limber/force/element_kernel.hpp"
#include "limber/force/mean_energy.hpp"
#include "limber/model/force.hpp"

namespace limber {

/// The group of each element, #E, numbered in order of appearance.
inline std::vector<int> groups_by_model(const std::vector<AnyMaterial>& materials,
                                        const std::vector<int>& material_of_element) {
  std::map<std::size_t, int> group_of_model;
  std::vector<int> groups;
  for (const int m : material_of_element) {
    const std::size_t model = materials[static_cast<std::size_t>(m)].index();
    groups.push_back(group_of_model.emplace(model, static_cast<int>(group_of_model.size())).first->second);
  }
  return groups;
}

/// The elements of a former force of the same mesh and models; new ones where there is none, or where other elements
/// take part in means now.
inline std::shared_ptr<ElementBatches> shared_or_made(const std::shared_ptr<ElementBatches>& former,
                                                      const MeanShares& shares, const std::vector<int>& groups) {
  std::vector<double> parts = own_parts(shares);
  if (former && parts == former->part()) return former;
  return std::make_shared<ElementBatches>(shares.mesh, shares.first_node, groups, parts);
}

/// make(materials of its places, or one that all share; its first batch) for each group, in the order of places.
template <class Make>
void for_groups(const ElementBatches& elements, const std::vector<int>& groups,
                const std::vector<AnyMaterial>& materials, const std::vector<int>& material_of_element,
                const Make& make) {
  const auto& order = elements.order();
  for (std::size_t i = 0; i < order.size();) {
    const std::size_t first = i;
    const auto group_at = [&](std::size_t place) { return groups[static_cast<std::size_t>(order[place])]; };
    std::vector<const AnyMaterial*> at_places;
    for (; i < order.size() && group_at(i) == group_at(first); ++i)
      at_places.push_back(
          &materials[static_cast<std::size_t>(material_of_element[static_cast<std::size_t>(order[i])])]);
    if (std::all_of(at_places.begin(), at_places.end(), [&](const auto* m) { return m == at_places[0]; }))
      at_places.resize(1);
    make(std::span<const AnyMaterial* const>(at_places), static_cast<int>(first) / lane_count);
  }
}

/// The kernel of a block's elements.
template <class Kernel>
const Kernel& kernel_of(const std::vector<std::unique_ptr<Kernel>>& kernels, const ElementBlock& block) {
  return *kernels[static_cast<std::size_t>(block.kernel)];
}

/// Calls visit(block) for every block, colour by colour. Each call takes about `cost` [ns].
template <class Visit>
void for_coloured_blocks(const ElementBatches& elements, double cost, const Visit& visit) {
  const auto& start = elements.colour_start();
  for (std::size_t c = 0; c + 1 < start.size(); ++c)
    parallel_for(
        start[c + 1] - start[c], [&](Index i) { visit(elements.blocks()[static_cast<std::size_t>(start[c] + i)]); },
        cost);
}

/// Σ term(block), in the order of the blocks. Each term takes about `cost` [ns].
template <class Term>
double sum_of_blocks(const ElementBatches& elements, double cost, const Term& term) {
  const auto& blocks = elements.blocks();
  return ordered_sum(
      static_cast<Index>(blocks.size()), [&](Index i) { return term(blocks[static_cast<std::size_t>(i)]); }, cost);
}

/// The smallest term(block), independent of the order of evaluation. Each term takes about `cost` [ns].
template <class Term>
double smallest_of_blocks(const ElementBatches& elements, double cost, const Term& term) {
  const auto& blocks = elements.blocks();
  std::vector<double> terms(blocks.size());
  parallel_for(
      static_cast<Index>(blocks.size()),
      [&](Index i) { terms[static_cast<std::size_t>(i)] = term(blocks[static_cast<std::size_t>(i)]); }, cost);
  return smallest_of(terms);
}

/// Nine tenths of the way to the first inversion between q and q + dq, if a kernel forbids inversion and one occurs;
/// otherwise 1.
template <class Kernels>
double step_before_inversion(const ElementBatches& elements, const Kernels& kernels, double cost, const Vector& q,
                             const Vector& dq) {
  const auto forbids = [](const auto& kernel) { return kernel->needs_positive_det(); };
  if (std::none_of(kernels.begin(), kernels.end(), forbids)) return 1;
  const double s = smallest_of_blocks(elements, cost, [&](const ElementBlock& block) {
    if (!kernel_of(kernels, block).needs_positive_det()) return 1.0;
    return step_to_inversion(elements, block, q.data(), dq.data());
  });
  return s < 1 ? 0.9 * s : 1;
}

/// What an ElementForce is made of.
struct ElementParts {
  std::shared_ptr<ElementBatches> elements;
  std::vector<std::unique_ptr<ElementKernel>> kernels;  // one for each group of elements
  std::unique_ptr<MeanEnergy> means = nullptr;
};

/// With one kernel for each model of material: make(materials of its places, first batch). `former`: elements that may
/// be shared, of the same mesh and of materials of the same models, or null.
template <class Make>
ElementParts element_parts(const MeanShares& shares, const std::shared_ptr<ElementBatches>& former, const Make& make) {
  const std::vector<int> groups = groups_by_model(shares.materials, shares.material_of);
  ElementParts parts{shared_or_made(former, shares, groups), {}, make_mean_energy(shares)};
  for_groups(*parts.elements, groups, shares.materials, shares.material_of,
             [&](const auto& at_places, int first_batch) { parts.kernels.push_back(make(at_places, first_batch)); });
  return parts;
}

/// The pairs of nodes within each element.
inline void add_couplings_within(const ElementBatches& elements, Couplings& pairs) {
  elements.for_elements([&](const std::vector<int>& nodes) {
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) pairs.emplace_back(nodes[a], nodes[b]);
  });
}

}  // namespace limber
