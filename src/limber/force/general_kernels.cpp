#include "limber/force/material_kernel.hpp"
#include "limber/force/point_materials.hpp"

namespace limber {
namespace {

/// Of elements of any kind.
class GeneralKernel final : public ElementKernel {
 public:
  GeneralKernel(std::span<const AnyMaterial* const> materials, int first_batch) : material_(materials, first_batch) {}

  bool needs_positive_det() const override { return material_.needs_positive_det(); }

  double energy(const ElementBatches& elements, const ElementBlock& block, const double*,
                const double* q) const override {
    return sum_energy<0>(elements, block, q,
                         [&](BatchPoint at, const M3<Lanes>& F) { return material_.energy(at.batch, F); });
  }

  void add_force(const ElementBatches& elements, const ElementBlock& block, const double*, const double* q,
                 double* f) const override {
    add_forces<0>(elements, block, q, f,
                  [&](BatchPoint at, const M3<Lanes>& F) { return material_.stress(at.batch, F); });
  }

  void linearize(const ElementBatches& elements, const ElementBlock& block, Definiteness definiteness, const double*,
                 const double* q, double* f, double* K) const override {
    add_stiffness<0>(elements, block, q, f, K, [&](BatchPoint at, const M3<Lanes>& F, const Lanes& w) {
      return material_.tangent(at.batch, F, w, definiteness);
    });
  }

 private:
  PointMaterials material_;
};

}  // namespace

std::unique_ptr<ElementKernel> make_general_kernel(std::span<const AnyMaterial* const> materials, int first_batch) {
  return std::make_unique<GeneralKernel>(materials, first_batch);
}

}  // namespace limber
