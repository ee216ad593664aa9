#pragma once  // internal
/// Computations on one block of elements of one material model, with separate parameters for each element. Summed over
/// quadrature points, with F = Σ_a x_a g_aᵀ at each:
///     W = Σ V ψ(F),   f_a = −Σ V P g_a,   K_ab = Σ V Σ_jl g_a,j (∂P/∂F)_ij,kl g_b,l.
/// Since g₀ = −(g₁ + g₂ + …), only the blocks of nodes 1, 2, … are computed. ψ may depend on what each point has beside
/// F, which is constant while nodes move.

#include <memory>
#include <span>

#include "limber/force/element_batches.hpp"
#include "limber/material/catalog.hpp"
#include "limber/model/system.hpp"

namespace limber {

class ElementKernel {
 public:
  virtual ~ElementKernel() = default;

  // `held`: what points have, in the kernel's own layout, of all elements; null where it needs nothing.
  /// W of a block [J], +∞ if an element lies outside the material's domain.
  virtual double energy(const ElementBatches&, const ElementBlock&, const double* held, const double* q) const = 0;
  /// f += −∂W/∂q
  virtual void add_force(const ElementBatches&, const ElementBlock&, const double* held, const double* q,
                         double* f) const = 0;
  /// K += ∂²W/∂q² into the slots and, unless f is null, f += −∂W/∂q.
  virtual void linearize(const ElementBatches&, const ElementBlock&, Definiteness, const double* held, const double* q,
                         double* f, double* K) const = 0;
  /// Whether ψ is defined for det F > 0 only.
  virtual bool needs_positive_det() const = 0;
};

/// `materials`, all of one model: a single one shared by all elements, or those of the places from `first_batch` on.
std::unique_ptr<ElementKernel> make_element_kernel(std::span<const AnyMaterial* const> materials, int first_batch,
                                                   ElementKind kind);
/// For linear tetrahedra, and for all other elements.
std::unique_ptr<ElementKernel> make_tetrahedron_kernel(std::span<const AnyMaterial* const> materials, int first_batch);
std::unique_ptr<ElementKernel> make_general_kernel(std::span<const AnyMaterial* const> materials, int first_batch);

/// The smallest det F at the points of a block.
double least_det(const ElementBatches&, const ElementBlock&, const double* q);
/// The largest s in [0, 1] with det F(q + s dq) > 0 on [0, s) in a block; ignores elements inverted at q.
double step_to_inversion(const ElementBatches&, const ElementBlock&, const double* q, const double* dq);

}  // namespace limber
