#include "limber/time/stage_matrix.hpp"

namespace limber {

void combine(const System& system, const Tangent& T, double tau_q, double tau_v, SparseMatrix& A) {
  const SparseMatrix& M = system.mass();
  if (A.rows() != M.rows() || A.nonZeros() != M.nonZeros()) A = M;
  const Index entries = M.nonZeros();
  using Values = Eigen::Map<const Eigen::ArrayXd>;
  const Values m(M.valuePtr(), entries), k(T.K.valuePtr(), entries);
  Eigen::Map<Eigen::ArrayXd> a(A.valuePtr(), entries);
  if (system.velocity_dependent())
    a = m + tau_v * Values(T.D.valuePtr(), entries) + (tau_v * tau_q) * k;
  else
    a = m + (tau_v * tau_q) * k;
}

Vector multiply(const SparseMatrix& K, bool symmetric, const Vector& x) {
  if (symmetric) return K.selfadjointView<Eigen::Lower>() * x;
  return K * x;
}

}  // namespace limber
