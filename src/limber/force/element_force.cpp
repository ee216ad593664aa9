#include "limber/force/element_force.hpp"

#include <cmath>
#include <limits>

#include "limber/force/element_groups.hpp"

namespace limber {
namespace {

// [ns] Of a block of elements.
constexpr double force_cost = 3e3, tangent_cost = 1e4;

}  // namespace

ElementForce::ElementForce(ElementParts parts)
    : elements_(std::move(parts.elements)), kernels_(std::move(parts.kernels)), means_(std::move(parts.means)) {}

ElementForce::~ElementForce() = default;

void ElementForce::add_couplings(Couplings& pairs) const {
  add_couplings_within(*elements_, pairs);
  if (means_) means_->add_couplings(pairs);
}

void ElementForce::bind(const BlockPattern& pattern, std::span<const int> free_index) {
  elements_->bind(pattern, free_index);
}

void ElementForce::add_force(const State& u, Vector& f) const {
  const auto held = at_points(u.t);
  for_coloured_blocks(*elements_, force_cost, [&](const ElementBlock& block) {
    kernel_of(kernels_, block).add_force(*elements_, block, held.get(), u.q.data(), f.data());
  });
  if (means_) means_->add_force(u.q, f);
}

/// `f`: null, where only the tangent is wanted.
void ElementForce::add_linearization(const State& u, double* f, TangentBuilder& T) const {
  eigen_assert(elements_->is_bound());
  const auto definiteness = T.projected() ? Definiteness::projected : Definiteness::exact;
  const auto held = at_points(u.t);
  for_coloured_blocks(*elements_, tangent_cost, [&](const ElementBlock& block) {
    kernel_of(kernels_, block)
        .linearize(*elements_, block, definiteness, held.get(), u.q.data(), f, T.stiffness_values());
  });
}

void ElementForce::add_tangent(const State& u, TangentBuilder& T) const {
  add_linearization(u, nullptr, T);
  if (means_) means_->add_tangent(u.q, T);
}

void ElementForce::linearize(const State& u, Vector& f, TangentBuilder& T) const {
  add_linearization(u, f.data(), T);
  if (!means_) return;
  means_->add_force(u.q, f);
  means_->add_tangent(u.q, T);
}

std::optional<Potentials> ElementForce::potentials(const State& u) const {
  const auto held = at_points(u.t);
  double W = sum_of_blocks(*elements_, force_cost, [&](const ElementBlock& block) {
    return kernel_of(kernels_, block).energy(*elements_, block, held.get(), u.q.data());
  });
  if (means_) W += means_->energy(u.q);
  return Potentials{std::isnan(W) ? std::numeric_limits<double>::infinity() : W, 0};
}

double ElementForce::max_step(const Vector& q, const Vector& dq, double, double) const {
  return step_before_inversion(*elements_, kernels_, force_cost, q, dq);
}

}  // namespace limber
