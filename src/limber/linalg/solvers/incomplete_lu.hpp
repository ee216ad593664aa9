#pragma once  // internal
/// z = (L U)⁻¹ r with L and U on the pattern of A (ILU(0)), in blocks as A has them. Rows are cut into pieces that are
/// factorised each for itself, what couples them is left out: they run in parallel, with the same bits for any number
/// of threads. Exact for chains, whose factors have no more entries than A.

#include "limber/linalg/solvers/krylov.hpp"

namespace limber {

class IncompleteLu final : public Preconditioner {
 public:
  /// Takes the values of A, whose pattern may be another one than before.
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
  std::vector<int> start_, column_, diagonal_;  // of each row's blocks within its piece; diagonal_: where it is
  std::vector<double> value_;                   // L below the diagonal, U above it, the inverse of U's on it
};

}  // namespace limber
