#include "limber/force/material_kernel.hpp"
#include "limber/force/viscous_kernel.hpp"
#include "limber/material/decompose.hpp"

namespace limber {
namespace {

LIMBER_INLINE M3<Lanes> load_symmetric(const double* p) {
  const auto at = [p](int k) { return Lanes::load_unaligned(p + k * lane_count); };
  const Lanes a = at(3), b = at(4), c = at(5);
  return {{at(0), c, b, c, at(1), a, b, a, at(2)}};
}
/// Its symmetric part.
LIMBER_INLINE void store_symmetric(const M3<Lanes>& A, double* p) {
  const Lanes half(0.5);
  const auto put = [p](int k, const Lanes& x) { x.store_unaligned(p + k * lane_count); };
  for (int i = 0; i < 3; ++i) put(i, A(i, i));
  put(3, half * (A(1, 2) + A(2, 1)));
  put(4, half * (A(0, 2) + A(2, 0)));
  put(5, half * (A(0, 1) + A(1, 0)));
}

/// The upper triangular F with FᵀF = C.
LIMBER_INLINE M3<Lanes> upper_root(const M3<Lanes>& C) {
  const Lanes o(0.0), a = sqrt(C(0, 0)), b = C(0, 1) / a, c = C(0, 2) / a;
  const Lanes d = sqrt(C(1, 1) - b * b), e = (C(1, 2) - b * c) / d;
  return {{a, b, c, o, d, e, o, o, sqrt(C(2, 2) - c * c - e * e)}};
}

/// c and B of a point.
struct Held {
  Lanes c;
  M3<Lanes> B;
  LIMBER_INLINE Held(const ElementBatches& elements, const double* held, BatchPoint at) {
    const auto place = static_cast<std::size_t>(at.batch * point_count<0>(elements) + at.point);
    const double* p = held + place * held_size * lane_count;
    c = Lanes::load_unaligned(p);
    B = load_symmetric(p + lane_count);
  }
};

/// How a material measures strain and stress.
template <class Material>
struct StrainMeasure {
  static constexpr bool turns = !std::is_same_v<Material, Linear>;  // F B is a stress of F

  LIMBER_INLINE static M3<Lanes> unit() { return diagonal(Lanes(1.0), Lanes(1.0), Lanes(1.0)); }
  LIMBER_INLINE static M3<Lanes> strain(const M3<Lanes>& F) {
    if constexpr (turns)
      return Lanes(0.5) * (transpose(F) * F - unit());
    else
      return Lanes(0.5) * (F + transpose(F)) - unit();
  }
  /// An F that has this strain.
  LIMBER_INLINE static M3<Lanes> gradient_of(const M3<Lanes>& E) {
    if constexpr (turns)
      return upper_root(unit() + Lanes(2.0) * E);
    else
      return unit() + E;
  }
  LIMBER_INLINE static M3<Lanes> push(const M3<Lanes>& F, const M3<Lanes>& S) {
    if constexpr (turns)
      return F * S;
    else
      return S;
  }
  /// Elements that are pressed flat have no F⁻¹: below det F = flat it fades, and where they are inverted it is 0.
  LIMBER_INLINE static M3<Lanes> pull(const M3<Lanes>& F, const M3<Lanes>& P) {
    if constexpr (turns) {
      const Lanes flat(0.1), J = det(F), faded = max(J, Lanes(0.0)) / (flat * flat);
      return select(J < flat, faded, Lanes(1.0) / J) * (transpose(cofactor(F)) * P);
    } else {
      return P;
    }
  }
};

/// A tangent and what a stress B that goes with F adds to it.
template <class Tangent, bool turns>
class StressedTangent {
 public:
  struct Contraction {
    typename Tangent::Contraction own;
    V3<Lanes> g, Bg;
  };

  LIMBER_INLINE StressedTangent(const Tangent& tangent, const M3<Lanes>& P, const M3<Lanes>& B)
      : own_(tangent), P_(P), B_(B) {}
  LIMBER_INLINE const M3<Lanes>& stress() const { return P_; }
  LIMBER_INLINE Contraction contract(const V3<Lanes>& g) const { return {own_.contract(g), g, B_ * g}; }
  LIMBER_INLINE M3<Lanes> block(const Contraction& a, const Contraction& b) const {
    M3<Lanes> K = own_.block(a.own, b.own);
    if constexpr (turns) {
      const Lanes along = dot(a.g, b.Bg);
      for (int i = 0; i < 3; ++i) K(i, i) = K(i, i) + along;
    }
    return K;
  }

 private:
  Tangent own_;
  M3<Lanes> P_, B_;
};

/// ProjectedTangents and the positive part of what B adds.
struct StressedProjectedTangents {
  const ElementBatches& elements;
  const double* held;
  ProjectedTangents own;

  StressedTangent<PrincipalTangent<Lanes>, true> operator()(BatchPoint at, const M3<Lanes>& F, const Lanes& w) const {
    const Held h(elements, held, at);
    const PrincipalTangent<Lanes> dP = own(at, F, w * h.c);
    return {dP, dP.stress() + w * (F * h.B), w * positive_part(h.B)};
  }
};

template <template <class> class M>
class ViscousMaterialKernel final : public ViscousKernel {
  using Measure = StrainMeasure<M<double>>;

 public:
  ViscousMaterialKernel(std::span<const AnyMaterial* const> materials, int first_batch)
      : material_(materials, first_batch) {}

  bool needs_positive_det() const override { return M<double>::needs_positive_det; }

  double energy(const ElementBatches& elements, const ElementBlock& block, const double* held,
                const double* q) const override {
    return sum_energy<0>(elements, block, q, [&](BatchPoint at, const M3<Lanes>& F) {
      const Held h(elements, held, at);
      return h.c * material_(at.batch).energy(F) + dot(h.B, Measure::strain(F));
    });
  }

  void add_force(const ElementBatches& elements, const ElementBlock& block, const double* held, const double* q,
                 double* f) const override {
    add_forces<0>(elements, block, q, f, [&](BatchPoint at, const M3<Lanes>& F) {
      const Held h(elements, held, at);
      return h.c * material_(at.batch).stress(F) + Measure::push(F, h.B);
    });
  }

  void linearize(const ElementBatches& elements, const ElementBlock& block, Definiteness definiteness,
                 const double* held, const double* q, double* f, double* K) const override {
    if constexpr (!is_convex<M>)
      if (definiteness == Definiteness::projected)
        return add_stiffness<0>(elements, block, q, f, K,
                                StressedProjectedTangents{elements, held, ProjectedTangents(material_)});
    add_stiffness<0>(elements, block, q, f, K, [&](BatchPoint at, const M3<Lanes>& F, const Lanes& w) {
      const Held h(elements, held, at);
      auto own = material_(at.batch).tangent(F, w * h.c);
      return StressedTangent<decltype(own), Measure::turns>(own, own.stress() + w * Measure::push(F, h.B), w * h.B);
    });
  }

  void measure(const ElementBatches& elements, int batch, const double* q, double* measured) const override {
    const BatchEdges<0> edges(q, elements, batch);
    for (int point = 0; point < point_count<0>(elements); ++point, measured += measured_size * lane_count) {
      const BatchShape<0> shape(elements, batch, point);
      put(batch, gradient(elements, shape, edges), measured);
    }
  }

  void measure_at(int batch, const double* strain, double* measured) const override {
    put(batch, Measure::gradient_of(load_symmetric(strain)), measured);
  }

 private:
  void put(int batch, const M3<Lanes>& F, double* measured) const {
    const M<Lanes>& m = material_(batch);
    store_symmetric(Measure::pull(F, m.stress(F)), measured);
    store_symmetric(Measure::strain(F), measured + 6 * lane_count);
    m.energy(F).store_unaligned(measured + 12 * lane_count);
  }

  BatchMaterials<M> material_;
};

}  // namespace

std::unique_ptr<ViscousKernel> make_viscous_kernel(std::span<const AnyMaterial* const> materials, int first_batch) {
  return std::visit(
      [&]<template <class> class M>(const M<double>&) -> std::unique_ptr<ViscousKernel> {
        return std::make_unique<ViscousMaterialKernel<M>>(materials, first_batch);
      },
      *materials[0]);
}

}  // namespace limber
