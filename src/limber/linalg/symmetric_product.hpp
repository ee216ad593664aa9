#pragma once
/// A x for a symmetric A given by its lower triangle.

#include "limber/core/types.hpp"

namespace limber {

/// Entries above the diagonal are ignored.
Vector symmetric_product(const SparseMatrix& A, const Vector& x);

}  // namespace limber
