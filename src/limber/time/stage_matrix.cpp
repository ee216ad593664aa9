#include "limber/time/stage_matrix.hpp"

#include "limber/linalg/pattern.hpp"

namespace limber {

void combine(const System& system, const Tangent& T, double tau_q, double tau_v, SparseMatrix& A) {
  const SparseMatrix& M = system.mass();
  if (!same_pattern(A, M)) A = M;
  const Index entries = M.nonZeros();
  using Values = Eigen::Map<const Eigen::ArrayXd>;
  const Values m(M.valuePtr(), entries), k(T.K.valuePtr(), entries);
  Eigen::Map<Eigen::ArrayXd> a(A.valuePtr(), entries);
  if (system.velocity_dependent())
    a = m + tau_v * Values(T.D.valuePtr(), entries) + (tau_v * tau_q) * k;
  else
    a = m + (tau_v * tau_q) * k;
}

Correction correction(const Tangent& T, double tau_q, double tau_v) {
  Correction add;
  if (T.unsymmetric.nonZeros() > 0) {
    add.N = T.unsymmetric;
    add.N.coeffs() *= tau_v * tau_q;
  }
  if (!T.deflation) return add;
  const Deflation& t = *T.deflation;
  const Index s = t.MX.cols();
  add.U.resize(t.MX.rows(), 2 * s);
  add.U << t.MX, (tau_v * tau_q) * t.KX + tau_v * t.DX;
  add.C = Matrix::Zero(2 * s, 2 * s);
  add.C.topLeftCorner(s, s) = -(tau_v * tau_q) * t.XKX - tau_v * t.XDX;
  add.C.topRightCorner(s, s).setIdentity();
  add.C.bottomLeftCorner(s, s).setIdentity();
  return add;
}

Vector multiply(const SparseMatrix& K, bool symmetric, const Vector& x) {
  if (symmetric) return K.selfadjointView<Eigen::Lower>() * x;
  return K * x;
}

}  // namespace limber
