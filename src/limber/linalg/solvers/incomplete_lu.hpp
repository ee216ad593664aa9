#pragma once  // internal
/// z = (L U)⁻¹ r with L and U on the block pattern of A (ILU(0)). Rows are divided into pieces that are factorised
/// independently, ignoring couplings between them. The pieces run in parallel, with the same bits for any number of
/// threads. Exact for chains, whose factors have no fill-in.

#include "limber/linalg/solvers/krylov.hpp"

namespace limber {

class IncompleteLu final : public Preconditioner {
 public:
  /// Takes the values of A, which may have a new pattern.
  void take(const RowMatrix& A);
  double apply(const Vector& r, Vector& z) override;

 private:
  template <int B>
  void factorize(int first, int last);
  template <int B>
  void solve(int first, int last, const double* r, double* z) const;
  void take_pattern(const BlockRows& A);

  static constexpr int rows_a_piece = 4096;

  int block_ = 0;
  std::vector<int> start_, column_, diagonal_;  // each row's blocks within its piece; index of the diagonal block
  std::vector<double> value_;                   // L below the diagonal, U above; on it the inverse of U's block
};

}  // namespace limber
