#include "limber/force/material_kernel.hpp"
#include "limber/force/point_materials.hpp"
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

/// How a material measures strain and stress: by FᵀF, or as `linear` does.
struct StrainMeasure {
  bool ignores_rotations;

  static M3<Lanes> unit() { return diagonal(Lanes(1.0), Lanes(1.0), Lanes(1.0)); }
  M3<Lanes> strain(const M3<Lanes>& F) const {
    if (ignores_rotations) return Lanes(0.5) * (transpose(F) * F - unit());
    return Lanes(0.5) * (F + transpose(F)) - unit();
  }
  M3<Lanes> push(const M3<Lanes>& F, const M3<Lanes>& S) const { return ignores_rotations ? F * S : S; }
  /// Elements that are pressed flat have no F⁻¹: below det F = flat it fades, and where they are inverted it is 0.
  M3<Lanes> pull(const M3<Lanes>& F, const M3<Lanes>& P) const {
    if (!ignores_rotations) return P;
    const Lanes flat(0.1), J = det(F), faded = max(J, Lanes(0.0)) / (flat * flat);
    return select(J < flat, faded, Lanes(1.0) / J) * (transpose(cofactor(F)) * P);
  }
};

class ViscousPointKernel final : public ViscousKernel {
 public:
  ViscousPointKernel(std::span<const AnyMaterial* const> materials, int first_batch)
      : material_(materials, first_batch), measure_{material_.ignores_rotations()} {}

  bool needs_positive_det() const override { return material_.needs_positive_det(); }

  double energy(const ElementBatches& elements, const ElementBlock& block, const double* held,
                const double* q) const override {
    return sum_energy<0>(elements, block, q, [&](BatchPoint at, const M3<Lanes>& F) {
      const Held h(elements, held, at);
      return h.c * material_.energy(at.batch, F) + dot(h.B, measure_.strain(F));
    });
  }

  void add_force(const ElementBatches& elements, const ElementBlock& block, const double* held, const double* q,
                 double* f) const override {
    add_forces<0>(elements, block, q, f, [&](BatchPoint at, const M3<Lanes>& F) {
      const Held h(elements, held, at);
      return h.c * material_.stress(at.batch, F) + measure_.push(F, h.B);
    });
  }

  void linearize(const ElementBatches& elements, const ElementBlock& block, Definiteness definiteness,
                 const double* held, const double* q, double* f, double* K) const override {
    add_stiffness<0>(elements, block, q, f, K, [&](BatchPoint at, const M3<Lanes>& F, const Lanes& w) {
      const Held h(elements, held, at);
      DenseTangent tangent = material_.tangent(at.batch, F, w * h.c, definiteness);
      tangent.P = tangent.P + w * measure_.push(F, h.B);
      if (!measure_.ignores_rotations) return tangent;
      const M3<Lanes> B = w * (definiteness == Definiteness::projected ? positive_part(h.B) : h.B);
      for (int j = 0; j < 3; ++j)
        for (int l = 0; l < 3; ++l)
          for (int i = 0; i < 3; ++i) tangent.H(i + 3 * j, i + 3 * l) = tangent.H(i + 3 * j, i + 3 * l) + B(j, l);
      return tangent;
    });
  }

  void measure(const ElementBatches& elements, int batch, const double* q, double* measured) const override {
    const BatchEdges<0> edges(q, elements, batch);
    for (int point = 0; point < point_count<0>(elements); ++point, measured += measured_size * lane_count) {
      const BatchShape<0> shape(elements, batch, point);
      const M3<Lanes> F = gradient(elements, shape, edges);
      store_symmetric(measure_.pull(F, material_.stress(batch, F)), measured);
      store_symmetric(measure_.strain(F), measured + 6 * lane_count);
      material_.energy(batch, F).store_unaligned(measured + 12 * lane_count);
    }
  }

 private:
  PointMaterials material_;
  StrainMeasure measure_;
};

}  // namespace

std::unique_ptr<ViscousKernel> make_viscous_kernel(std::span<const AnyMaterial* const> materials, int first_batch) {
  return std::make_unique<ViscousPointKernel>(materials, first_batch);
}

}  // namespace limber
