#pragma once
/// U diag(c) Uᵀ with few columns and c ≥ 0: a part of a tangent that couples many nodes at once, such as the volume of
/// a cavity. In a sparse matrix it would be a dense block.

#include "limber/core/types.hpp"

namespace limber {

struct LowRank {
  Matrix U = {};  // #n × r
  Vector c = {};  // #r

  bool any() const { return c.size() > 0; }
  /// y += U diag(c) Uᵀ x.
  void add_product(const Vector& x, Vector& y) const;
  void add_product(const Matrix& X, Matrix& Y) const;
  /// xᵀ U diag(c) Uᵀ x.
  double curvature(const Vector& x) const;
  /// The diagonal of the whole sum over all processes.
  Vector diagonal() const;
};

/// A + scale U diag(c) Uᵀ as a sparse matrix. If A is a lower triangle, so is the result.
enum class Triangle { lower, both };
SparseMatrix with_entries(const SparseMatrix& A, const LowRank& more, double scale, Triangle stored);
/// The search for modes factors such a matrix. Throws InputError("modes", …) if that would take too much memory.
void require_entries(const LowRank& all);

}  // namespace limber
