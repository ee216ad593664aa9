#pragma once
/// Modes X with XᵀMX = I, and the projection P = I − X XᵀM. Modal parts: X XᵀM v of a velocity, M X Xᵀ f of a force.
/// X need not be exact modes: its span is what is split off.

#include <Eigen/Cholesky>

#include "limber/linalg/block_algebra.hpp"
#include "limber/linalg/modes/modes.hpp"
#include "limber/model/system.hpp"

namespace limber {

struct ModalBasis {
  Vector lambda;  // #s [1/s²]
  Matrix X, MX;   // #n × s
  Space space;    // of the rows

  ModalBasis() = default;
  /// modes: with the rows held here.
  ModalBasis(const System& system, Modes modes)
      : lambda(std::move(modes.lambda)), X(std::move(modes.X)), space(system.space()) {
    MX.resize(X.rows(), X.cols());
    for (Index i = 0; i < X.cols(); ++i) MX.col(i) = system.apply_mass(X.col(i));
  }

  /// Another basis of the span of any columns, orthonormal in the system's mass.
  static ModalBasis of_span(const System& system, Modes columns) {
    ModalBasis basis(system, std::move(columns));
    if (basis.count() == 0) return basis;
    const Matrix L = basis.product(basis.X, basis.MX).llt().matrixL();
    for (Matrix* rows : {&basis.X, &basis.MX})
      *rows = L.triangularView<Eigen::Lower>().solve(rows->transpose()).transpose();
    return basis;
  }

  /// A subset of the columns.
  ModalBasis part(const std::vector<Index>& columns) const {
    ModalBasis some;
    some.lambda = lambda(columns);
    some.X = X(Eigen::all, columns);
    some.MX = MX(Eigen::all, columns);
    some.space = space;
    return some;
  }

  Index count() const { return X.cols(); }
  /// AᵀB.
  Matrix product(const Matrix& A, const Matrix& B) const { return space.shared() ? space.inner(A, B) : inner(A, B); }
  /// Modal coordinates XᵀM x, #s.
  Vector coordinates(const Vector& x) const { return product(MX, x); }
  /// Xᵀ f, #s.
  Vector coordinates_of_force(const Vector& f) const { return product(X, f); }
  /// X c.
  Vector combined(const Vector& c) const { return combine(X, c); }
  /// P x.
  Vector complement(Vector x) const {
    subtract(X, product(MX, x), x);
    return x;
  }
  /// Pᵀ f.
  Vector complement_of_force(Vector f) const {
    subtract(MX, product(X, f), f);
    return f;
  }
  /// Replaces a low-rank part of K by Pᵀ(…)P.
  void take_out_of(LowRank& part) const {
    for (Index k = 0; k < part.U.cols(); ++k) part.U.col(k) = complement_of_force(part.U.col(k));
  }
};

}  // namespace limber
