#include "limber/force/plastic.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/force/element_groups.hpp"
#include "limber/force/material_kernel.hpp"
#include "limber/material/decompose.hpp"

namespace limber {
namespace {

constexpr double flow_cost = 4e3;        // [ns] of a block of elements
constexpr std::size_t plastic_size = 7;  // E_p and α
constexpr double known_yield = 1e-12;    // a state that has returned exceeds the yield stress by rounding
constexpr int tensor_place[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2};

/// The radial return of a strain at a point.
struct Return {
  M3<Lanes> S, flow;  // stress; ∂q/∂s
  Lanes q, limit, slip, softer;
  Lanes trace;
};

class PlasticKernel final : public ElementKernel {
 public:
  PlasticKernel(std::span<const AnyMaterial* const> materials, int first_batch) : material_(materials, first_batch) {}

  bool needs_positive_det() const override { return false; }

  double energy(const ElementBatches& elements, const ElementBlock& block, const double* held,
                const double* q) const override {
    return sum_energy<0>(elements, block, q, [&](BatchPoint at, const M3<Lanes>& F) {
      const auto& m = material_(at.batch);
      const Return r = returned(elements, held, at, F);
      const Lanes f = r.slip * (Lanes(3.0) * m.mu + m.hardening);
      return volumetric(m, r) + r.q * r.q / (Lanes(6.0) * m.mu) - Lanes(.5) * f * r.slip;
    });
  }

  double stored(const ElementBatches& elements, const ElementBlock& block, const double* held, const double* q) const {
    return sum_energy<0>(elements, block, q, [&](BatchPoint at, const M3<Lanes>& F) {
      const auto& m = material_(at.batch);
      const Return r = returned(elements, held, at, F);
      const Lanes left = r.q - Lanes(3.0) * m.mu * r.slip, alpha = slipped(elements, held, at) + r.slip;
      return volumetric(m, r) + left * left / (Lanes(6.0) * m.mu) + Lanes(.5) * m.hardening * alpha * alpha;
    });
  }

  void add_force(const ElementBatches& elements, const ElementBlock& block, const double* held, const double* q,
                 double* f) const override {
    add_forces<0>(elements, block, q, f,
                  [&](BatchPoint at, const M3<Lanes>& F) { return F * returned(elements, held, at, F).S; });
  }

  /// dP_ij/dF_kl = δ_ik S_jl + F_im C_mjnl F_kn, C = dS/dE.
  void linearize(const ElementBatches& elements, const ElementBlock& block, Definiteness definiteness,
                 const double* held, const double* q, double* f, double* K) const override {
    add_stiffness<0>(elements, block, q, f, K, [&](BatchPoint at, const M3<Lanes>& F, const Lanes& w) {
      const auto& m = material_(at.batch);
      const Return r = returned(elements, held, at, F);
      const M3<Lanes> S = w * (definiteness == Definiteness::projected ? positive_part(r.S) : r.S);
      const M3<Lanes> B = times_transposed(F, F), N = F * r.flow;
      const Lanes shear = w * m.mu * (Lanes(1.0) - Lanes(3.0) * m.mu * r.slip / r.q);
      const Lanes bulk = w * (m.lambda + Lanes(2.0 / 3) * m.mu) - Lanes(2.0 / 3) * shear;
      const Lanes softer = w * r.softer, o(0.0);
      DenseTangent t;
      t.P = w * (F * r.S);
      for (int j = 0; j < 3; ++j)
        for (int l = 0; l < 3; ++l)
          for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k)
              t.H(i + 3 * j, k + 3 * l) = bulk * F(i, j) * F(k, l) - softer * N(i, j) * N(k, l) +
                                          shear * ((j == l ? B(i, k) : o) + F(i, l) * F(k, j)) + (i == k ? S(j, l) : o);
      return t;
    });
  }

  /// From E_p and α at the start of a step those at its end.
  void flow(const ElementBatches& elements, const ElementBlock& block, const double* q, double* held) const {
    for_batches(block, [&](int batch, int, int) {
      const BatchEdges<0> edges(q, elements, batch);
      for (int point = 0; point < elements.points(); ++point) {
        const BatchShape<0> shape(elements, batch, point);
        const BatchPoint at{batch, point};
        const Return r = returned(elements, held, at, gradient(elements, shape, edges));
        const Lanes beyond = r.q - r.limit;
        const Lanes slip = select(beyond > Lanes(known_yield) * r.limit, r.slip, Lanes(0.0));
        double* p = held + place(elements, at);
        for (const int k : {0, 4, 8, 5, 2, 1}) {
          double* to = p + tensor_place[k] * lane_count;
          (Lanes::load_unaligned(to) + slip * r.flow.m[k]).store_unaligned(to);
        }
        (slipped(elements, held, at) + slip).store_unaligned(p + 6 * lane_count);
      }
    });
  }

 private:
  static std::size_t place(const ElementBatches& elements, BatchPoint at) {
    return static_cast<std::size_t>(at.batch * elements.points() + at.point) * plastic_size * lane_count;
  }
  static Lanes slipped(const ElementBatches& elements, const double* held, BatchPoint at) {
    return Lanes::load_unaligned(held + place(elements, at) + 6 * lane_count);
  }
  template <class M>
  static Lanes volumetric(const M& m, const Return& r) {
    return Lanes(.5) * (m.lambda + Lanes(2.0 / 3) * m.mu) * r.trace * r.trace;
  }

  Return returned(const ElementBatches& elements, const double* held, BatchPoint at, const M3<Lanes>& F) const {
    const auto& m = material_(at.batch);
    const M3<Lanes> unit = diagonal(Lanes(1.0), Lanes(1.0), Lanes(1.0));
    const M3<Lanes> E = Lanes(.5) * (transpose(F) * F - unit);
    M3<Lanes> plastic;
    for (int k = 0; k < 9; ++k)
      plastic.m[k] = Lanes::load_unaligned(held + place(elements, at) + tensor_place[k] * lane_count);
    Return r;
    r.trace = limber::trace(E);
    const M3<Lanes> s = Lanes(2.0) * m.mu * (E - plastic - (r.trace / Lanes(3.0)) * unit);
    const Lanes least(std::numeric_limits<double>::min()), o(0.0), stiff = Lanes(3.0) * m.mu;
    r.q = max(sqrt(Lanes(1.5) * dot(s, s)), least);
    r.limit = m.yield + m.hardening * slipped(elements, held, at);
    r.slip = max(r.q - r.limit, o) / (stiff + m.hardening);
    r.flow = (Lanes(1.5) / r.q) * s;
    r.S = s - (Lanes(2.0) * m.mu * r.slip) * r.flow + ((m.lambda + Lanes(2.0 / 3) * m.mu) * r.trace) * unit;
    const Lanes left = stiff / (stiff + m.hardening) - stiff * r.slip / r.q;
    r.softer = select(r.slip > o, Lanes(4.0 / 3) * m.mu * left, o);
    return r;
  }

  BatchMaterials<StVenantKirchhoffOf> material_;
};

const PlasticKernel* plastic_kernel(const std::vector<std::unique_ptr<ElementKernel>>& kernels,
                                    const ElementBlock& block) {
  return dynamic_cast<const PlasticKernel*>(&kernel_of(kernels, block));
}

}  // namespace

bool PlasticForce::yields(const AnyMaterial& material) {
  const auto* m = std::get_if<StVenantKirchhoff>(&material);
  return m && std::isfinite(m->yield);
}

PlasticForce::PlasticForce(const ElementForce& former, const ElementMesh& mesh, int first_node,
                           const std::vector<AnyMaterial>& materials, const std::vector<int>& material_of_element,
                           const MeanParts& means)
    : PlasticForce(MeanShares{mesh, first_node, materials, material_of_element, means.bulk, means.group},
                   former.shared_elements()) {}

PlasticForce::PlasticForce(const MeanShares& shares, const std::shared_ptr<ElementBatches>& former)
    : ElementForce(element_parts(shares, former,
                                 [&](const auto& at_places, int first_batch) -> std::unique_ptr<ElementKernel> {
                                   if (std::holds_alternative<StVenantKirchhoff>(*at_places[0]))
                                     return std::make_unique<PlasticKernel>(at_places, first_batch);
                                   return make_element_kernel(at_places, first_batch, shares.mesh.kind);
                                 })),
      past_(shared_elements(), plastic_size) {}

void PlasticForce::begin_step(const State& u) {
  const auto& blocks = elements().blocks();
  double* past = past_.at(0, 0);
  parallel_for(
      static_cast<Index>(blocks.size()),
      [&](Index i) {
        const ElementBlock& block = blocks[static_cast<std::size_t>(i)];
        if (const auto* kernel = plastic_kernel(kernels(), block)) kernel->flow(elements(), block, u.q.data(), past);
      },
      flow_cost);
}

double PlasticForce::stored_energy(const State& u) const {
  const double* past = past_.at(0, 0);
  const double W = sum_of_blocks(elements(), flow_cost, [&](const ElementBlock& block) {
    const auto* kernel = plastic_kernel(kernels(), block);
    return kernel ? kernel->stored(elements(), block, past, u.q.data())
                  : kernel_of(kernels(), block).energy(elements(), block, past, u.q.data());
  });
  return W + (means() ? means()->energy(u.q) : 0);
}

void PlasticForce::restore(const std::vector<double>& memory) {
  if (memory.size() != past_.size())
    throw InputError("forces", fmt::format("{} numbers do not fit the memory of a body that yields, which has {}",
                                           memory.size(), past_.size()));
  past_.restore(memory);
}

}  // namespace limber
