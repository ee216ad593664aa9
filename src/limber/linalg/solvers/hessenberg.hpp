#pragma once  // internal

#include <cmath>

#include "limber/core/types.hpp"

namespace limber {

/// The least-squares problem of one GMRES cycle, kept triangular by Givens rotations.
class Hessenberg {
 public:
  Hessenberg(double beta, int columns)
      : H_(Matrix::Zero(columns + 1, columns)),
        g_(beta * Vector::Unit(columns + 1, 0)),
        cosine_(columns),
        sine_(columns) {}
  double& at(int i, int j) { return H_(i, j); }
  /// Rotates column j; returns the residual norm after j + 1 columns.
  double rotate(int j) {
    for (int i = 0; i < j; ++i) rotate(i, H_(i, j), H_(i + 1, j));
    const double length = std::hypot(H_(j, j), H_(j + 1, j));
    cosine_[j] = length > 0 ? H_(j, j) / length : 1;
    sine_[j] = length > 0 ? H_(j + 1, j) / length : 0;
    rotate(j, H_(j, j), H_(j + 1, j));
    rotate(j, g_[j], g_[j + 1]);
    return std::abs(g_[j + 1]);
  }
  Vector solution(int k) const { return H_.topLeftCorner(k, k).triangularView<Eigen::Upper>().solve(g_.head(k)); }
  bool regular(int j) const { return H_(j, j) != 0; }

 private:
  void rotate(int i, double& a, double& b) const {
    const double t = cosine_[i] * a + sine_[i] * b;
    b = -sine_[i] * a + cosine_[i] * b;
    a = t;
  }
  Matrix H_;
  Vector g_, cosine_, sine_;
};

}  // namespace limber
