#pragma once
/// U diag(c) Uᵀ with few columns and c ≥ 0: what a tangent couples many nodes by at once, such as the volume of a
/// cavity. As entries of a sparse matrix it would be a dense block.

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
  /// Of the sum, not of a part of it.
  Vector diagonal() const;
};

/// A + scale U diag(c) Uᵀ entry by entry, for what asks for a sparse matrix; of a lower triangle, the lower triangle.
enum class Triangle { lower, both };
SparseMatrix with_entries(const SparseMatrix& A, const LowRank& more, double scale, Triangle stored);
/// Modes are sought with a factor of such a matrix. Throws InputError("modes", …) where that takes too much memory.
void require_entries(const LowRank& all);

}  // namespace limber
