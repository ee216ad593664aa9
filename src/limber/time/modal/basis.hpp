#pragma once
/// Modes X with XᵀMX = I, and the projection along them:  P = I − X XᵀM. Velocities have modal parts X XᵀM v, forces
/// M X Xᵀ f. X need not be exact modes: whatever it spans is split off.

#include "limber/linalg/modes.hpp"
#include "limber/model/system.hpp"

namespace limber {

struct ModalBasis {
  Vector lambda;  // #s [1/s²]
  Matrix X, MX;   // #n × s

  ModalBasis() = default;
  ModalBasis(const System& system, Modes modes) : lambda(std::move(modes.lambda)), X(std::move(modes.X)) {
    MX.resize(X.rows(), X.cols());
    for (Index i = 0; i < X.cols(); ++i) MX.col(i) = system.apply_mass(X.col(i));
  }

  Index count() const { return X.cols(); }
  /// Modal coordinates XᵀM x, #s.
  Vector coordinates(const Vector& x) const { return MX.transpose() * x; }
  /// P x.
  Vector complement(const Vector& x) const { return x - X * coordinates(x); }
  /// Pᵀ f.
  Vector complement_of_force(const Vector& f) const { return f - MX * (X.transpose() * f); }
  /// x with the modal part of y: P x + X XᵀM y.
  Vector with_modal_part(const Vector& x, const Vector& y) const { return x + X * coordinates(y - x); }
};

}  // namespace limber
