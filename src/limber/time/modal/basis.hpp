#pragma once
/// Modes X with XᵀMX = I, and the projection along them:  P = I − X XᵀM. Velocities have modal parts X XᵀM v, forces
/// M X Xᵀ f. X need not be exact modes: whatever it spans is split off.

#include "limber/linalg/block_algebra.hpp"
#include "limber/linalg/modes/modes.hpp"
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

  /// Some of its columns.
  ModalBasis part(const std::vector<Index>& columns) const {
    ModalBasis some;
    some.lambda = lambda(columns);
    some.X = X(Eigen::all, columns);
    some.MX = MX(Eigen::all, columns);
    return some;
  }

  Index count() const { return X.cols(); }
  /// Modal coordinates XᵀM x, #s.
  Vector coordinates(const Vector& x) const { return inner(MX, x); }
  /// Xᵀ f, #s.
  Vector coordinates_of_force(const Vector& f) const { return inner(X, f); }
  /// X c.
  Vector combined(const Vector& c) const { return combine(X, c); }
  /// P x.
  Vector complement(Vector x) const {
    subtract(X, inner(MX, x), x);
    return x;
  }
  /// Pᵀ f.
  Vector complement_of_force(Vector f) const {
    subtract(MX, inner(X, f), f);
    return f;
  }
};

}  // namespace limber
