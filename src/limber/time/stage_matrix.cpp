#include "limber/time/stage_matrix.hpp"

#include "limber/linalg/chunks.hpp"
#include "limber/linalg/pattern.hpp"
#include "limber/linalg/symmetric_product.hpp"

namespace limber {

void combine(const System& system, const Tangent& T, double tau_q, double tau_v, SparseMatrix& A) {
  const SparseMatrix& M = system.mass();
  if (!same_pattern(A, M)) A = M;
  const bool damped = system.velocity_dependent();
  for_chunks(M.nonZeros(), [&](Index begin, Index end) {
    const auto part = [&](const SparseMatrix& S) {
      return Eigen::Map<const Eigen::ArrayXd>(S.valuePtr() + begin, end - begin);
    };
    Eigen::Map<Eigen::ArrayXd> a(A.valuePtr() + begin, end - begin);
    if (damped)
      a = part(M) + tau_v * part(T.D) + (tau_v * tau_q) * part(T.K);
    else
      a = part(M) + (tau_v * tau_q) * part(T.K);
  });
}

Correction correction(const Tangent& T, double tau_q, double tau_v) {
  Correction add;
  if (T.unsymmetric.nonZeros() > 0) {
    add.N = T.unsymmetric;
    add.N.coeffs() *= tau_v * tau_q;
  }
  const Index r = T.low_rank.c.size();
  if (!T.deflation) {
    add.U = T.low_rank.U;
    if (r > 0) add.C = (-tau_v * tau_q * T.low_rank.c).asDiagonal();
    return add;
  }
  const Deflation& t = *T.deflation;
  const Index s = t.MX.cols();
  add.U.resize(t.MX.rows(), 2 * s + r);
  add.U.leftCols(2 * s) << t.MX, (tau_v * tau_q) * t.KX + tau_v * t.DX;
  add.C = Matrix::Zero(2 * s + r, 2 * s + r);
  if (r > 0) {
    add.U.rightCols(r) = T.low_rank.U;
    add.C.bottomRightCorner(r, r) = (-tau_v * tau_q * T.low_rank.c).asDiagonal();
  }
  add.C.topLeftCorner(s, s) = -(tau_v * tau_q) * t.XKX - tau_v * t.XDX;
  add.C.block(0, s, s, s).setIdentity();
  add.C.block(s, 0, s, s).setIdentity();
  return add;
}

Vector multiply(const System& system, const SparseMatrix& S, const Vector& x) {
  Vector y = system.symmetric() ? symmetric_product(S, x) : Vector(S * x);
  system.space().add_up(y);
  return y;
}

Vector multiply_stiffness(const System& system, const Tangent& T, const Vector& x) {
  Vector y = multiply(system, T.K, x);
  T.low_rank.add_product(x, y);
  return y;
}

}  // namespace limber
