#include "limber/force/viscoelastic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/force/element_geometry.hpp"
#include "limber/force/element_groups.hpp"
#include "limber/force/mean_energy.hpp"
#include "limber/force/viscous_kernel.hpp"

namespace limber {
namespace {

// [ns] Of a block of elements.
constexpr double account_cost = 4e3, memory_cost = 2e3;
constexpr std::size_t wide = static_cast<std::size_t>(lane_count);
constexpr std::size_t branch_size = 7;  // T and W

MeanShares viscous_shares(const ElementMesh& mesh, int first_node, const std::vector<AnyMaterial>& materials,
                          const std::vector<int>& material_of_element, const MeanParts& means) {
  return {mesh, first_node, materials, material_of_element, means.bulk, means.group, Shear::in_elements};
}

std::size_t most_branches(const std::vector<Viscosity>& viscosities) {
  std::size_t most = 0;
  for (const Viscosity& v : viscosities) most = std::max(most, v.size());
  return most;
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
    : ViscoelasticForce(viscous_shares(mesh, first_node, materials, material_of_element, means), nullptr, viscosities) {
}

ViscoelasticForce::ViscoelasticForce(const ElementForce& former, const ElementMesh& mesh, int first_node,
                                     const std::vector<AnyMaterial>& materials,
                                     const std::vector<Viscosity>& viscosities,
                                     const std::vector<int>& material_of_element, const MeanParts& means)
    : ViscoelasticForce(viscous_shares(mesh, first_node, materials, material_of_element, means),
                        former.shared_elements(), viscosities) {}

ViscoelasticForce::ViscoelasticForce(const MeanShares& shares, const std::shared_ptr<ElementBatches>& former,
                                     const std::vector<Viscosity>& viscosities)
    : ElementForce(element_parts(shares, former, make_viscous_kernel)),
      most_(most_branches(viscosities)),
      past_(shared_elements(), measured_size + branch_size * most_) {
  std::vector<Viscosity> kinds;  // materials that differ in numbers from fields mostly share one
  std::vector<int> kind_of_material;
  for (const Viscosity& v : viscosities) {
    const auto known = std::find(kinds.begin(), kinds.end(), v);
    kind_of_material.push_back(static_cast<int>(known - kinds.begin()));
    if (known == kinds.end()) kinds.push_back(v);
  }
  gamma_.assign(kinds.size() * most_, 0);
  time_.assign(kinds.size() * most_, 1);
  for (std::size_t v = 0; v < kinds.size(); ++v)
    for (std::size_t i = 0; i < kinds[v].size(); ++i) {
      gamma_[v * most_ + i] = kinds[v][i].share * instantaneous_ratio(kinds[v]);
      time_[v * most_ + i] = kinds[v][i].time;
    }
  for (const int e : elements().order()) {
    const int material = shares.material_of[static_cast<std::size_t>(e)];
    kind_at_.push_back(kind_of_material[static_cast<std::size_t>(material)]);
  }
}

ViscoelasticForce::~ViscoelasticForce() = default;

ForceTraits ViscoelasticForce::traits() const { return {.time_dependent = true, .energy = EnergyKind::elastic}; }

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

const ViscousKernel& ViscoelasticForce::kernel(const ElementBlock& block) const {
  return static_cast<const ViscousKernel&>(kernel_of(kernels(), block));
}

std::size_t ViscoelasticForce::number(std::size_t batch, std::size_t lane, std::size_t branch) const {
  return static_cast<std::size_t>(kind_at_[batch * wide + lane]) * most_ + branch;
}

/// visit(batch, its kernel, room for what is measured at its points) for all batches; blocks run side by side.
template <class Visit>
void ViscoelasticForce::for_all_batches(const Visit& visit) const {
  const auto& blocks = elements().blocks();
  parallel_for(
      static_cast<Index>(blocks.size()),
      [&](Index i) {
        const ElementBlock& block = blocks[static_cast<std::size_t>(i)];
        std::vector<double> measured(static_cast<std::size_t>(elements().points()) * measured_size * wide);
        for_batches(block, [&](int batch, int, int) {
          visit(static_cast<std::size_t>(batch), kernel(block), measured.data());
        });
      },
      memory_cost);
}

std::shared_ptr<const double> ViscoelasticForce::at_points(double t) const {
  const auto held = held_.at(t, [&](Vector& values) { hold(t, values); });
  return {held, held->data()};
}

void ViscoelasticForce::hold(double t, Vector& values) const {
  const auto points = static_cast<std::size_t>(elements().points());
  values.resize(static_cast<Index>(kind_at_.size() * points * held_size));
  const std::vector<Filter> by = filters(t);
  for_all_batches([&](std::size_t batch, const ViscousKernel&, double*) {
    for (std::size_t point = 0; point < points; ++point) {
      double *c = values.data() + (batch * points + point) * held_size * wide, *B = c + wide;
      std::fill_n(c, wide, 1.0);
      std::fill_n(B, 6 * wide, 0.0);
      if (!begun_) continue;
      const double* S = past_.at(batch, point);
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

void ViscoelasticForce::begin_step(const State& u) {
  const auto points = static_cast<std::size_t>(elements().points());
  const std::vector<Filter> by = filters(u.t);
  for_all_batches([&](std::size_t batch, const ViscousKernel& kernel, double* measured) {
    kernel.measure(elements(), static_cast<int>(batch), u.q.data(), measured);
    for (std::size_t point = 0; point < points; ++point) {
      const double* now = measured + point * measured_size * wide;
      double* past = past_.at(batch, point);
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
  const auto points = static_cast<std::size_t>(elements().points());
  const std::vector<Filter> by = filters(u.t);
  const auto of_batch = [&](std::size_t batch, int count, const ViscousKernel& kernel, double* measured) {
    double sum = 0;
    kernel.measure(elements(), static_cast<int>(batch), u.q.data(), measured);
    for (std::size_t point = 0; point < points; ++point) {
      const double* now = measured + point * measured_size * wide;
      const double* psi = now + 12 * wide;
      const double* volume = elements().shape(static_cast<int>(batch), static_cast<int>(point)) +
                             3 * static_cast<std::size_t>(elements().nodes_each() - 1) * wide;
      if (ask == Ask::stored)
        for (std::size_t l = 0; l < static_cast<std::size_t>(count); ++l) sum += volume[l] * psi[l];
      if (!begun_) continue;
      const double* past = past_.at(batch, point);
      for (std::size_t i = 0; i < most_; ++i) {
        double branch[branch_size * wide];
        advance(by, batch, i, now, past, past + (measured_size + i * branch_size) * wide, branch);
        for (std::size_t l = 0; l < static_cast<std::size_t>(count); ++l)
          sum += volume[l] * branch[6 * wide + l] * (ask == Ask::stored ? 1 : 2 / time_[number(batch, l, i)]);
      }
    }
    return sum;
  };
  return sum_of_blocks(elements(), account_cost, [&](const ElementBlock& block) {
    std::vector<double> measured(points * measured_size * wide);
    double of_block = 0;
    for_batches(block, [&](int batch, int, int count) {
      of_block += of_batch(static_cast<std::size_t>(batch), count, kernel(block), measured.data());
    });
    return of_block;
  });
}

double ViscoelasticForce::stored_energy(const State& u) const {
  const double W = account(u, Ask::stored) + (means() ? means()->energy(u.q) : 0);
  return std::isnan(W) ? std::numeric_limits<double>::infinity() : W;
}

double ViscoelasticForce::damping_power(const State& u) const { return begun_ ? account(u, Ask::power) : 0; }

/// Empty before the first step.
std::vector<double> ViscoelasticForce::memory() const {
  if (!begun_) return {};
  std::vector<double> all = past_.by_element();
  all.insert(all.begin(), since_);
  return all;
}

void ViscoelasticForce::restore(const std::vector<double>& memory) {
  if (const std::size_t size = 1 + past_.size(); !memory.empty() && memory.size() != size)
    throw InputError("forces", fmt::format("{} numbers do not fit the memory of a viscoelastic body, which has {}",
                                           memory.size(), size));
  held_.forget();
  begun_ = !memory.empty();
  if (!begun_) return;
  since_ = memory[0];
  past_.restore(std::span(memory).subspan(1));
}

}  // namespace limber
