#include "limber/force/material_kernel.hpp"
#include "limber/material/principal.hpp"

namespace limber {
namespace {

/// The positive part of V dP/dF of the batches of any material but `linear`: one loop over elements serves them all.
class ProjectedTangents {
 public:
  template <template <class> class M>
  explicit ProjectedTangents(const BatchMaterials<M>& materials)
      : materials_(&materials), tangent_([](const void* all, int batch, const M3<Lanes>& F, const Lanes& w) {
          return (*static_cast<const BatchMaterials<M>*>(all))(batch).tangent_psd(F, w);
        }) {}
  PrincipalTangent<Lanes> operator()(BatchPoint at, const M3<Lanes>& F, const Lanes& w) const {
    return tangent_(materials_, at.batch, F, w);
  }

 private:
  const void* materials_;
  PrincipalTangent<Lanes> (*tangent_)(const void* all, int batch, const M3<Lanes>& F, const Lanes& w);
};
/// V dP/dF itself, which most steps need: compiled into the loop of each material, since a call takes a sixth longer.
template <template <class> class M>
struct ExactTangents {
  const BatchMaterials<M>& materials;
  LIMBER_INLINE auto operator()(BatchPoint at, const M3<Lanes>& F, const Lanes& w) const {
    return materials(at.batch).tangent(F, w);
  }
};
/// `linear` is convex, so its dP/dF needs no positive part.
template <template <class> class M>
inline constexpr bool is_convex = std::is_same_v<M<double>, Linear>;

/// Of linear tetrahedra, which most bodies are made of: compiled for each material.
template <template <class> class M>
class TetrahedronKernel final : public ElementKernel {
 public:
  TetrahedronKernel(std::span<const AnyMaterial* const> materials, int first_batch)
      : material_(materials, first_batch) {}

  bool needs_positive_det() const override { return M<double>::needs_positive_det; }

  double energy(const ElementBatches& elements, const ElementBlock& block, const double*,
                const double* q) const override {
    return sum_energy<4>(elements, block, q,
                         [&](BatchPoint at, const M3<Lanes>& F) { return material_(at.batch).energy(F); });
  }

  void add_force(const ElementBatches& elements, const ElementBlock& block, const double*, const double* q,
                 double* f) const override {
    add_forces<4>(elements, block, q, f,
                  [&](BatchPoint at, const M3<Lanes>& F) { return material_(at.batch).stress(F); });
  }

  void linearize(const ElementBatches& elements, const ElementBlock& block, Definiteness definiteness, const double*,
                 const double* q, double* f, double* K) const override {
    if constexpr (!is_convex<M>)
      if (definiteness == Definiteness::projected)
        return add_stiffness<4>(elements, block, q, f, K, ProjectedTangents(material_));
    add_stiffness<4>(elements, block, q, f, K, ExactTangents<M>{material_});
  }

 private:
  BatchMaterials<M> material_;
};

}  // namespace

std::unique_ptr<ElementKernel> make_tetrahedron_kernel(std::span<const AnyMaterial* const> materials, int first_batch) {
  return std::visit(
      [&]<template <class> class M>(const M<double>&) -> std::unique_ptr<ElementKernel> {
        return std::make_unique<TetrahedronKernel<M>>(materials, first_batch);
      },
      *materials[0]);
}

}  // namespace limber
