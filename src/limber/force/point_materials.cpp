#include "limber/force/point_materials.hpp"

#include "limber/force/material_kernel.hpp"

namespace limber {

struct PointFunctions {
  Lanes (*energy)(const void* all, int batch, const M3<Lanes>& F);
  M3<Lanes> (*stress)(const void* all, int batch, const M3<Lanes>& F);
  DenseTangent (*tangent)(const void* all, int batch, const M3<Lanes>& F, const Lanes& w);
  DenseTangent (*tangent_psd)(const void* all, int batch, const M3<Lanes>& F, const Lanes& w);
  bool needs_positive_det, ignores_rotations;
};

namespace {

/// dP/dF is symmetric.
template <class Tangent>
DenseTangent dense(const Tangent& tangent) {
  const Lanes o(0.0), i(1.0);
  const typename Tangent::Contraction unit[3] = {tangent.contract({i, o, o}), tangent.contract({o, i, o}),
                                                 tangent.contract({o, o, i})};
  DenseTangent t;
  t.P = tangent.stress();
  for (int j = 0; j < 3; ++j)
    for (int l = 0; l <= j; ++l) {
      const M3<Lanes> block = tangent.block(unit[j], unit[l]);
      for (int r = 0; r < 3; ++r)
        for (int k = 0; k < 3; ++k) t.H(r + 3 * j, k + 3 * l) = t.H(k + 3 * l, r + 3 * j) = block(r, k);
    }
  return t;
}

template <template <class> class M>
const M<Lanes>& own(const void* all, int batch) {
  return (*static_cast<const BatchMaterials<M>*>(all))(batch);
}

template <template <class> class M>
constexpr PointFunctions functions_of = {
    [](const void* all, int batch, const M3<Lanes>& F) { return own<M>(all, batch).energy(F); },
    [](const void* all, int batch, const M3<Lanes>& F) { return own<M>(all, batch).stress(F); },
    [](const void* all, int batch, const M3<Lanes>& F, const Lanes& w) {
      return dense(own<M>(all, batch).tangent(F, w));
    },
    [](const void* all, int batch, const M3<Lanes>& F, const Lanes& w) {
      return dense(own<M>(all, batch).tangent_psd(F, w));
    },
    M<double>::needs_positive_det,
    !std::is_same_v<M<double>, Linear>};

}  // namespace

PointMaterials::PointMaterials(std::span<const AnyMaterial* const> materials, int first_batch) {
  std::visit(
      [&]<template <class> class M>(const M<double>&) {
        functions_ = &functions_of<M>;
        parameters_ = std::make_shared<const BatchMaterials<M>>(materials, first_batch);
      },
      *materials[0]);
}

Lanes PointMaterials::energy(int batch, const M3<Lanes>& F) const {
  return functions_->energy(parameters_.get(), batch, F);
}
M3<Lanes> PointMaterials::stress(int batch, const M3<Lanes>& F) const {
  return functions_->stress(parameters_.get(), batch, F);
}
DenseTangent PointMaterials::tangent(int batch, const M3<Lanes>& F, const Lanes& w, Definiteness definiteness) const {
  const auto tangent = definiteness == Definiteness::exact ? functions_->tangent : functions_->tangent_psd;
  return tangent(parameters_.get(), batch, F, w);
}
bool PointMaterials::needs_positive_det() const { return functions_->needs_positive_det; }
bool PointMaterials::ignores_rotations() const { return functions_->ignores_rotations; }

}  // namespace limber
