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

LowRank surplus(const Tangent& T, double tau_q, double tau_v) {
  if (!T.taken_out) return {};
  const TakenOut& t = *T.taken_out;
  const Index s = t.MX.cols();
  LowRank less{Matrix(t.MX.rows(), 2 * s), Matrix::Zero(2 * s, 2 * s)};
  less.U << t.MX, (tau_v * tau_q) * t.KX + tau_v * t.DX;
  less.C.topLeftCorner(s, s) = -(tau_v * tau_q) * t.XKX - tau_v * t.XDX;
  less.C.topRightCorner(s, s).setIdentity();
  less.C.bottomLeftCorner(s, s).setIdentity();
  return less;
}

Vector multiply(const SparseMatrix& K, bool symmetric, const Vector& x) {
  if (symmetric) return K.selfadjointView<Eigen::Lower>() * x;
  return K * x;
}

}  // namespace limber
