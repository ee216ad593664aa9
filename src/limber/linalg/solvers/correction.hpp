#pragma once
/// What a matrix A has beside its sparse symmetric part: A − U C Uᵀ + N.

#include "limber/linalg/linear_map.hpp"

namespace limber {

/// On several processes U is the same on all, and N is that of a process's own elements.
struct Correction {
  Matrix U;        // #n × r
  Matrix C;        // #r × r
  SparseMatrix N;  // #n × n, all entries; size 0: none

  bool any() const { return U.cols() > 0 || N.nonZeros() > 0; }
  /// y += (N − U C Uᵀ) x
  void add_product(const Eigen::Ref<const Vector>& x, Eigen::Ref<Vector> y, const Space& space) const;
};

/// A − U C Uᵀ + N as a sum of parts.
class CorrectedMap final : public LinearMap {
 public:
  /// Keeps references.
  CorrectedMap(const LinearMap& A, const Correction& correction)
      : LinearMap(A.space(), A.size()), A_(A), correction_(correction) {}
  void multiply(const double* x, double* y) const override;

 private:
  const LinearMap& A_;
  const Correction& correction_;
};

}  // namespace limber
