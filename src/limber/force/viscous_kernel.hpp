#pragma once  // internal
/// Computations on elements of one material model with memory. In addition to ψ(F), each quadrature point has a factor
/// c and a symmetric stress B, which stay constant while nodes move (E = (FᵀF − 1)/2, S = F⁻¹P):
///
///     W = Σ V (c ψ(F) + B:E),   P = c ∂ψ/∂F + F B,   dP/dF = c ∂²ψ/∂F² + (· B).
///
/// For `linear`, ε replaces E, and P = c ∂ψ/∂F + B. Symmetric tensors are stored as 00, 11, 22, 12, 02, 01.

#include "limber/force/element_kernel.hpp"

namespace limber {

inline constexpr int held_size = 7;       // c, B
inline constexpr int measured_size = 13;  // S, E, ψ

/// `held`: [held_size][lane_count] per point of each batch of all elements.
class ViscousKernel : public ElementKernel {
 public:
  /// S, E and ψ at the points of a batch, [point][measured_size][lane_count].
  virtual void measure(const ElementBatches&, int batch, const double* q, double* measured) const = 0;
};

/// As make_element_kernel, for elements of any kind.
std::unique_ptr<ViscousKernel> make_viscous_kernel(std::span<const AnyMaterial* const> materials, int first_batch);

}  // namespace limber
