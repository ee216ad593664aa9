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

Vector multiply(const System& system, const SparseMatrix& S, const Vector& x) {
  Vector y = system.symmetric() ? symmetric_product(S, x) : Vector(S * x);
  system.space().add_up(y);
  return y;
}

}  // namespace limber
