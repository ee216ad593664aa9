#pragma once
/// The motion of the modes, linearised at ū and solved exactly: with modal coordinates a = XᵀM (q − q̄), b = ȧ,
///
///     ȧ = b,   ḃ = −XᵀK X a − XᵀD X (b − b̄) + Xᵀf̄;   after s:  (Δa, Δb) = s φ₁(s J_G) (b̄, Xᵀf̄),            (25)
///
/// Closed form for each mode unless damping couples them. A force t c that grows linearly in time adds s² φ₂(s J_G) (0,
/// c), φ₂(z) = (φ₁(z) − 1)/z.

#include "limber/time/modal/basis.hpp"

namespace limber {

/// Modes with λ < 0 (a buckling state): they grow as they would, or move as if λ were 0.
enum class NegativeModes { grow, clamp };

/// Changes of modal coordinates and of their rates, #s each.
struct ModalChange {
  Vector a, b;
};

class ModalMotion {
 public:
  /// K and D reduced to the modes: XᵀKX, XᵀDX.
  ModalMotion(Matrix stiffness, Matrix damping, NegativeModes negative);

  /// s φ₁(s J_G) (rate, force).
  ModalChange after(double s, const Vector& rate, const Vector& force) const;
  /// s² φ₂(s J_G) (0, slope).
  ModalChange after_ramp(double s, const Vector& slope) const;

 private:
  Matrix jacobian() const;

  Matrix stiffness_, damping_;
  Matrix turn_;            // eigenvectors of XᵀKX; empty if K and D have no common eigenvectors
  Vector lambda_, decay_;  // eigenvalues of K and D then
};

}  // namespace limber
