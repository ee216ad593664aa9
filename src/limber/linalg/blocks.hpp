#pragma once  // internal
/// Matrices stored as by BlockPattern: whole 3×3 blocks, those of a block column one after the other.

#include "limber/core/types.hpp"

namespace limber {

/// Calls visit(a, b, first, stride) for each block: entry (r, c) is value first + c · stride + r.
template <class Visit>
void each_block(const SparseMatrix& A, const Visit& visit) {
  const int *start = A.outerIndexPtr(), *row = A.innerIndexPtr();
  for (int b = 0; b < static_cast<int>(A.cols()) / 3; ++b) {
    const int stride = start[3 * b + 1] - start[3 * b];
    for (int p = start[3 * b]; p < start[3 * b + 1]; p += 3) visit(row[p] / 3, b, p, stride);
  }
}

}  // namespace limber
