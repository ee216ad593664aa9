#include "limber/force/viscoelastic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/force/element_geometry.hpp"
#include "limber/force/element_groups.hpp"
#include "limber/force/mean_energy.hpp"
#include "limber/force/viscous_kernel.hpp"

namespace limber {
namespace {

// [ns] Of a block of elements.
constexpr double viscous_force_cost = 4e3, viscous_tangent_cost = 1.2e4, memory_cost = 2e3;
constexpr std::size_t wide = static_cast<std::size_t>(lane_count);
constexpr std::size_t branch_size = 7;  // T and W

const ViscousKernel& kernel_of(const std::vector<std::unique_ptr<ViscousKernel>>& kernels, const ElementBlock& block) {
  return *kernels[static_cast<std::size_t>(block.kernel)];
}

/// (e^−x − 1 + x)/x²
double second_phi(double x) {
  if (std::abs(x) > .5) return (std::expm1(-x) + x) / (x * x);
  double sum = 0, term = .5;
  for (int k = 3; k < 18; ++k) sum += term, term *= -x / k;
  return sum;
}
/// (1 − e^−x)/x
double first_phi(double x) { return x != 0 ? -std::expm1(-x) / x : 1; }

}  // namespace

ViscoelasticForce::ViscoelasticForce(const ElementMesh& mesh, int first_node, const std::vector<AnyMaterial>& materials,
                                     const std::vector<Viscosity>& viscosities,
                                     const std::vector<int>& material_of_element, const MeanParts& means)
    : ViscoelasticForce(mesh, first_node, materials, viscosities, material_of_element, means, nullptr) {}

ViscoelasticForce::ViscoelasticForce(const ViscoelasticForce& former, const ElementMesh& mesh, int first_node,
                                     const std::vector<AnyMaterial>& materials,
                                     const std::vector<Viscosity>& viscosities,
                                     const std::vector<int>& material_of_element, const MeanParts& means)
    : ViscoelasticForce(mesh, first_node, materials, viscosities, material_of_element, means, former.elements_) {}

ViscoelasticForce::ViscoelasticForce(const ElementMesh& mesh, int first_node, const std::vector<AnyMaterial>& materials,
                                     const std::vector<Viscosity>& viscosities,
                                     const std::vector<int>& material_of_element, const MeanParts& means,
                                     const std::shared_ptr<ElementBatches>& former) {
  std::vector<Viscosity> kinds;  // materials that differ in numbers from fields mostly share one
  std::vector<int> kind_of_material;
  for (const Viscosity& v : viscosities) {
    const auto known = std::find(kinds.begin(), kinds.end(), v);
    kind_of_material.push_back(static_cast<int>(known - kinds.begin()));
    if (known == kinds.end()) kinds.push_back(v);
    most_ = std::max(most_, v.size());
  }
  gamma_.assign(kinds.size() * most_, 0);
  time_.assign(kinds.size() * most_, 1);
  for (std::size_t v = 0; v < kinds.size(); ++v)
    for (std::size_t i = 0; i < kinds[v].size(); ++i) {
      gamma_[v * most_ + i] = kinds[v][i].share * instantaneous_ratio(kinds[v]);
      time_[v * most_ + i] = kinds[v][i].time;
    }
  const std::vector<int> groups = groups_by_model(materials, material_of_element);
  const MeanShares shares{mesh,       first_node,  materials,         material_of_element,
                          means.bulk, means.group, Shear::in_elements};
  elements_ = shared_or_made(former, shares, groups);
  means_ = make_mean_energy(shares);
  for_groups(*elements_, groups, materials, material_of_element, [&](const auto& at_places, int first_batch) {
    kernels_.push_back(make_viscous_kernel(at_places, first_batch));
  });
  for (const int e : elements_->order()) {
    const int material = material_of_element[static_cast<std::size_t>(e)];
    kind_at_.push_back(kind_of_material[static_cast<std::size_t>(material)]);
  }
  const std::size_t points = kind_at_.size() * static_cast<std::size_t>(elements_->points());
  past_.resize(points * (measured_size + branch_size * most_));
}

ViscoelasticForce::~ViscoelasticForce() = default;

ForceTraits ViscoelasticForce::traits() const { return {.time_dependent = true, .energy = EnergyKind::elastic}; }

void ViscoelasticForce::add_couplings(std::vector<std::pair<int, int>>& pairs) const {
  add_couplings_within(*elements_, pairs);
  if (means_) means_->add_couplings(pairs);
}

void ViscoelasticForce::bind(const BlockPattern& pattern, std::span<const int> free_index) {
  elements_->bind(pattern, free_index);
}

/// In the step from t_n to t, D = t − t_n, with x = D/τ, e = e^−x and a = (1 − e)/x:
/// T = (1 − a) S(t) + (a − e) S(t_n) + e T(t_n), exact where S goes straight.
std::vector<ViscoelasticForce::Filter> ViscoelasticForce::filters(double t) const {
  if (!begun_) return std::vector<Filter>(time_.size(), Filter{1, 0, 0, 0, 0, 0, 0, 0});
  std::vector<Filter> all;
  for (const double tau : time_) {
    const double x = (t - since_) / tau, a = first_phi(x), own = second_phi(x);
    all.push_back({x * own, x * (a - own), std::exp(-x), own, a - own, a, std::exp(-2 * x), first_phi(2 * x)});
  }
  return all;
}

/// T and W of a branch in all lanes of a batch, from S, E and ψ of now and of the step's start, and its own then.
///
/// Where S and E go straight, the work on a branch is γ ∫ (S − T) : Ė dt = γ (T(t) − T(t_n)) : (E − E(t_n))/x. The law
/// itself is not straight: its part that has not relaxed gives ψ in place of the trapezoid of S.
void ViscoelasticForce::advance(const std::vector<Filter>& by, std::size_t batch, std::size_t branch, const double* now,
                                const double* start, const double* kept, double* to) const {
  constexpr std::size_t strain = 6 * wide, density = 12 * wide, energy = 6 * wide;
  for (std::size_t l = 0; l < wide; ++l) {
    const std::size_t which = number(batch, l, branch);
    const Filter& f = by[which];
    double straight = 0, trapezoid = 0;
    for (std::size_t k = l; k < strain; k += wide) {
      const double S = now[k], before = start[k], T = kept[k];
      const double dE = (k < 3 * wide ? 1 : 2) * (now[strain + k] - start[strain + k]);
      straight += (f.own_mean * S + f.before_mean * before - f.rest_mean * T) * dE;
      trapezoid += .5 * (S + before) * dE;
      to[k] = f.own * S + f.before * before + f.rest * T;
    }
    const double bent = now[density + l] - start[density + l] - trapezoid;
    to[energy + l] = f.kept * kept[energy + l] + f.taken * gamma_[which] * (straight + f.rest_mean * bent);
  }
}

std::size_t ViscoelasticForce::point_size() const { return measured_size + branch_size * most_; }

std::size_t ViscoelasticForce::number(std::size_t batch, std::size_t lane, std::size_t branch) const {
  return static_cast<std::size_t>(kind_at_[batch * wide + lane]) * most_ + branch;
}

/// visit(batch, its kernel, room for what is measured at its points) for all batches; blocks run side by side.
template <class Visit>
void ViscoelasticForce::for_all_batches(const Visit& visit) const {
  const auto& blocks = elements_->blocks();
  parallel_for(
      static_cast<Index>(blocks.size()),
      [&](Index i) {
        const ElementBlock& block = blocks[static_cast<std::size_t>(i)];
        std::vector<double> measured(static_cast<std::size_t>(elements_->points()) * measured_size * wide);
        for_batches(block, [&](int batch, int, int) {
          visit(static_cast<std::size_t>(batch), kernel_of(kernels_, block), measured.data());
        });
      },
      memory_cost);
}

ViscoelasticForce::Held ViscoelasticForce::held(double t) const {
  return held_.at(t, [&](Vector& values) { hold(t, values); });
}

void ViscoelasticForce::hold(double t, Vector& values) const {
  values.resize(static_cast<Index>(past_.size() / point_size() * held_size));
  const auto points = static_cast<std::size_t>(elements_->points());
  const std::vector<Filter> by = filters(t);
  for_all_batches([&](std::size_t batch, const ViscousKernel&, double*) {
    for (std::size_t point = batch * points; point < (batch + 1) * points; ++point) {
      double *c = values.data() + point * held_size * wide, *B = c + wide;
      std::fill_n(c, wide, 1.0);
      std::fill_n(B, 6 * wide, 0.0);
      if (!begun_) continue;
      const double* S = past_.data() + point * point_size() * wide;
      for (std::size_t i = 0; i < most_; ++i) {
        const double* T = S + (measured_size + i * branch_size) * wide;
        double before[wide], rest[wide];
        for (std::size_t l = 0; l < wide; ++l) {
          const std::size_t which = number(batch, l, i);
          c[l] += gamma_[which] * (1 - by[which].own);
          before[l] = gamma_[which] * by[which].before;
          rest[l] = gamma_[which] * by[which].rest;
        }
        for (std::size_t k = 0; k < 6 * wide; k += wide)
          for (std::size_t l = 0; l < wide; ++l) B[k + l] -= before[l] * S[k + l] + rest[l] * T[k + l];
      }
    }
  });
}

void ViscoelasticForce::add_force(const State& u, Vector& f) const {
  const Held held_now = held(u.t);
  const double* now = held_now->data();
  for_coloured_blocks(*elements_, viscous_force_cost, [&](const ElementBlock& block) {
    kernel_of(kernels_, block).add_force(*elements_, block, now, u.q.data(), f.data());
  });
  if (means_) means_->add_force(u.q, f);
}

void ViscoelasticForce::add_tangent(const State& u, TangentBuilder& T) const {
  eigen_assert(elements_->is_bound());
  const auto definiteness = T.projected() ? Definiteness::projected : Definiteness::exact;
  const Held held_now = held(u.t);
  const double* now = held_now->data();
  for_coloured_blocks(*elements_, viscous_tangent_cost, [&](const ElementBlock& block) {
    kernel_of(kernels_, block)
        .linearize(*elements_, block, definiteness, now, u.q.data(), nullptr, T.stiffness_values());
  });
  if (means_) means_->add_tangent(u.q, T);
}

void ViscoelasticForce::linearize(const State& u, Vector& f, TangentBuilder& T) const {
  eigen_assert(elements_->is_bound());
  const auto definiteness = T.projected() ? Definiteness::projected : Definiteness::exact;
  const Held held_now = held(u.t);
  const double* now = held_now->data();
  for_coloured_blocks(*elements_, viscous_tangent_cost, [&](const ElementBlock& block) {
    kernel_of(kernels_, block)
        .linearize(*elements_, block, definiteness, now, u.q.data(), f.data(), T.stiffness_values());
  });
  if (!means_) return;
  means_->add_force(u.q, f);
  means_->add_tangent(u.q, T);
}

std::optional<Potentials> ViscoelasticForce::potentials(const State& u) const {
  const auto& blocks = elements_->blocks();
  const Held held_now = held(u.t);
  const double* now = held_now->data();
  double W = ordered_sum(
      static_cast<Index>(blocks.size()),
      [&](Index i) {
        const ElementBlock& block = blocks[static_cast<std::size_t>(i)];
        return kernel_of(kernels_, block).energy(*elements_, block, now, u.q.data());
      },
      viscous_force_cost);
  if (means_) W += means_->energy(u.q);
  return Potentials{std::isnan(W) ? std::numeric_limits<double>::infinity() : W, 0};
}

double ViscoelasticForce::max_step(const Vector& q, const Vector& dq, double, double) const {
  return step_before_inversion(*elements_, kernels_, viscous_force_cost, q, dq);
}

void ViscoelasticForce::begin_step(const State& u) {
  const auto points = static_cast<std::size_t>(elements_->points());
  const std::vector<Filter> by = filters(u.t);
  for_all_batches([&](std::size_t batch, const ViscousKernel& kernel, double* measured) {
    kernel.measure(*elements_, static_cast<int>(batch), u.q.data(), measured);
    for (std::size_t point = 0; point < points; ++point) {
      const double* now = measured + point * measured_size * wide;
      double* past = past_.data() + (batch * points + point) * point_size() * wide;
      for (std::size_t i = 0; i < most_; ++i) {
        double* branch = past + (measured_size + i * branch_size) * wide;
        advance(by, batch, i, now, past, branch, branch);
      }
      std::copy_n(now, measured_size * wide, past);
    }
  });
  begun_ = true;
  since_ = u.t;
  held_.forget();
}

double ViscoelasticForce::account(const State& u, Ask ask) const {
  const auto points = static_cast<std::size_t>(elements_->points());
  const std::vector<Filter> by = filters(u.t);
  const auto& blocks = elements_->blocks();
  const auto of_batch = [&](std::size_t batch, int count, const ViscousKernel& kernel, double* measured) {
    double sum = 0;
    kernel.measure(*elements_, static_cast<int>(batch), u.q.data(), measured);
    for (std::size_t point = 0; point < points; ++point) {
      const double* now = measured + point * measured_size * wide;
      const double* psi = now + 12 * wide;
      const double* volume = elements_->shape(static_cast<int>(batch), static_cast<int>(point)) +
                             3 * static_cast<std::size_t>(elements_->nodes_each() - 1) * wide;
      if (ask == Ask::stored)
        for (std::size_t l = 0; l < static_cast<std::size_t>(count); ++l) sum += volume[l] * psi[l];
      if (!begun_) continue;
      const double* past = past_.data() + (batch * points + point) * point_size() * wide;
      for (std::size_t i = 0; i < most_; ++i) {
        double branch[branch_size * wide];
        advance(by, batch, i, now, past, past + (measured_size + i * branch_size) * wide, branch);
        for (std::size_t l = 0; l < static_cast<std::size_t>(count); ++l)
          sum += volume[l] * branch[6 * wide + l] * (ask == Ask::stored ? 1 : 2 / time_[number(batch, l, i)]);
      }
    }
    return sum;
  };
  return ordered_sum(
      static_cast<Index>(blocks.size()),
      [&](Index i) {
        const ElementBlock& block = blocks[static_cast<std::size_t>(i)];
        std::vector<double> measured(points * measured_size * wide);
        double of_block = 0;
        for_batches(block, [&](int batch, int, int count) {
          of_block += of_batch(static_cast<std::size_t>(batch), count, kernel_of(kernels_, block), measured.data());
        });
        return of_block;
      },
      viscous_force_cost);
}

double ViscoelasticForce::stored_energy(const State& u) const {
  const double W = account(u, Ask::stored) + (means_ ? means_->energy(u.q) : 0);
  return std::isnan(W) ? std::numeric_limits<double>::infinity() : W;
}

double ViscoelasticForce::damping_power(const State& u) const { return begun_ ? account(u, Ask::power) : 0; }

/// In the order of the elements, which does not depend on the lanes of a machine; empty before the first step.
std::vector<double> ViscoelasticForce::memory() const {
  if (!begun_) return {};
  const std::size_t points = static_cast<std::size_t>(elements_->points()), each = point_size();
  std::vector<double> all(1 + elements_->count() * points * each);
  all[0] = since_;
  const auto& order = elements_->order();
  for (std::size_t place = 0; place < order.size(); ++place)
    for (std::size_t point = 0; point < points; ++point)
      for (std::size_t k = 0; k < each; ++k)
        all[1 + (static_cast<std::size_t>(order[place]) * points + point) * each + k] =
            past_[((place / wide * points + point) * each + k) * wide + place % wide];
  return all;
}

void ViscoelasticForce::restore(const std::vector<double>& memory) {
  const std::size_t points = static_cast<std::size_t>(elements_->points()), each = point_size();
  if (const std::size_t size = 1 + elements_->count() * points * each; !memory.empty() && memory.size() != size)
    throw InputError("forces", fmt::format("{} numbers do not fit the memory of a viscoelastic body, which has {}",
                                           memory.size(), size));
  held_.forget();
  begun_ = !memory.empty();
  if (!begun_) return;
  since_ = memory[0];
  const auto& order = elements_->order();
  for (std::size_t place = 0; place < order.size(); ++place)
    for (std::size_t point = 0; point < points; ++point)
      for (std::size_t k = 0; k < each; ++k)
        past_[((place / wide * points + point) * each + k) * wide + place % wide] =
            memory[1 + (static_cast<std::size_t>(order[place]) * points + point) * each + k];
}

}  // namespace limber
