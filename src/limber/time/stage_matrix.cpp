#include "limber/time/stage_matrix.hpp"

#include "limber/core/parallel.hpp"
#include "limber/linalg/chunks.hpp"
#include "limber/linalg/pattern.hpp"
#include "limber/linalg/symmetric_product.hpp"

namespace limber {

namespace {

/// Writes M + τᵥ D + τᵥ τ_q K to `to`, which may be the storage of K.
void write_sum(const System& system, const Tangent& T, double tau_q, double tau_v, double* to) {
  const SparseMatrix &M = system.mass(), &K = T.K;
  const bool damped = system.velocity_dependent(), narrow = M.nonZeros() != K.nonZeros();
  const double *k = K.valuePtr(), *d = damped ? T.D.valuePtr() : nullptr;
  const auto add = [&](Index begin, Index end, const auto& m) {
    using Values = Eigen::Map<const Eigen::ArrayXd>;
    const Index n = end - begin;
    Eigen::Map<Eigen::ArrayXd> a(to + begin, n);
    if (damped)
      a = m + tau_v * Values(d + begin, n) + (tau_v * tau_q) * Values(k + begin, n);
    else
      a = m + (tau_v * tau_q) * Values(k + begin, n);
  };
  if (!narrow) {
    for_chunks(M.nonZeros(), [&](Index begin, Index end) {
      add(begin, end, Eigen::Map<const Eigen::ArrayXd>(M.valuePtr() + begin, end - begin));
    });
    return;
  }
  constexpr std::size_t columns_in_a_piece = 512;
  const int *outer = K.outerIndexPtr(), *inner = K.innerIndexPtr();
  in_pieces(
      static_cast<std::size_t>(K.cols()), columns_in_a_piece,
      [&](std::size_t j) {
        int at = outer[j];
        while (inner[at] < static_cast<int>(j)) ++at;
        const double diagonal = M.valuePtr()[j] + (damped ? tau_v * d[at] : 0) + tau_v * tau_q * k[at];
        add(outer[j], outer[j + 1], 0.0);
        to[at] = diagonal;
      },
      50);
}

}  // namespace

void combine(const System& system, const Tangent& T, double tau_q, double tau_v, SparseMatrix& A) {
  if (!same_pattern(A, T.K)) A = T.K;
  write_sum(system, T, tau_q, tau_v, A.valuePtr());
}

void combine_in_place(const System& system, Tangent& T, double tau_q, double tau_v, SparseMatrix& A) {
  write_sum(system, T, tau_q, tau_v, T.K.valuePtr());
  A.swap(T.K);
  T.K = SparseMatrix();
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
