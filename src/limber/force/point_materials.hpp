#pragma once  // internal
/// Materials at quadrature points behind function pointers: if elements take long enough per point for the call not to
/// matter, one element loop serves every material.

#include <memory>
#include <span>

#include "limber/core/lanes.hpp"
#include "limber/core/small_matrices.hpp"
#include "limber/material/catalog.hpp"
#include "limber/model/system.hpp"

namespace limber {

/// w P and w dP/dF as a matrix: with many nodes per element, its blocks take less work than those of a factored
/// tangent.
struct DenseTangent {
  struct Contraction {
    V3<Lanes> g;
    Lanes right[9][3];  // Σ_l H(·, k + 3l) g_l
  };

  M3<Lanes> P;
  M9<Lanes> H;  // (i + 3j, k + 3l): ∂P_ij/∂F_kl

  LIMBER_INLINE const M3<Lanes>& stress() const { return P; }
  LIMBER_INLINE Contraction contract(const V3<Lanes>& g) const {
    Contraction c;
    c.g = g;
    for (int row = 0; row < 9; ++row)
      for (int k = 0; k < 3; ++k) c.right[row][k] = H(row, k) * g[0] + H(row, k + 3) * g[1] + H(row, k + 6) * g[2];
    return c;
  }
  LIMBER_INLINE M3<Lanes> block(const Contraction& a, const Contraction& b) const {
    M3<Lanes> K;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k)
        K(i, k) = a.g[0] * b.right[i][k] + a.g[1] * b.right[i + 3][k] + a.g[2] * b.right[i + 6][k];
    return K;
  }
};

struct PointFunctions;
template <template <class> class M>
class BatchMaterials;  // force/material_kernel.hpp

/// The materials of the batches of elements of one model.
class PointMaterials {
 public:
  /// Arguments as in make_element_kernel.
  PointMaterials(std::span<const AnyMaterial* const> materials, int first_batch);

  Lanes energy(int batch, const M3<Lanes>& F) const;
  M3<Lanes> stress(int batch, const M3<Lanes>& F) const;
  DenseTangent tangent(int batch, const M3<Lanes>& F, const Lanes& w, Definiteness definiteness) const;
  /// Whether ψ is defined for det F > 0 only.
  bool needs_positive_det() const;
  /// Whether ψ depends on FᵀF only: true except for `linear`.
  bool ignores_rotations() const;

 private:
  const PointFunctions* functions_;
  std::shared_ptr<const void> parameters_;
};

}  // namespace limber
