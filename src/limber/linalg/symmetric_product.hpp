#pragma once
/// A x of a symmetric A, given by its lower triangle.

#include "limber/core/types.hpp"

namespace limber {

/// What stands above the diagonal is ignored.
Vector symmetric_product(const SparseMatrix& A, const Vector& x);

}  // namespace limber
