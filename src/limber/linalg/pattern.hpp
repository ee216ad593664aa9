#pragma once
/// Remembers the sparsity pattern of the last matrix, so that a change is detected.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "limber/core/parallel.hpp"
#include "limber/core/types.hpp"

namespace limber {

inline bool same_numbers(const int* a, const int* b, Index n) {
  constexpr Index piece = 1 << 16;
  std::atomic<bool> same = true;
  parallel_for((n + piece - 1) / piece,
               [&](Index p) {
                 const auto bytes = sizeof(int) * static_cast<std::size_t>(std::min(piece, n - p * piece));
                 if (same && std::memcmp(a + p * piece, b + p * piece, bytes) != 0) same = false;
               },
               1e4);
  return same;
}

/// Whether A (compressed) consists of whole 3×3 blocks, with block column b in the block rows from start[b] on.
inline bool has_blocks(const SparseMatrix& A, const std::vector<int>& start, const std::vector<int>& rows) {
  const auto columns = static_cast<Index>(start.size()) - 1;
  if (A.rows() != A.cols() || A.cols() != 3 * columns || A.nonZeros() != 9 * static_cast<Index>(rows.size()))
    return false;
  constexpr Index piece = 1024;
  std::atomic<bool> same = true;
  const int *outer = A.outerIndexPtr(), *inner = A.innerIndexPtr();
  const auto compare = [&](Index b) {
    const int first = start[static_cast<std::size_t>(b)], count = start[static_cast<std::size_t>(b) + 1] - first;
    const int *found = inner + 9 * static_cast<Index>(first), *expected = rows.data() + first;
    int differing = 0;
    for (int c = 0; c < 3; ++c) differing |= outer[3 * b + c] ^ (9 * first + 3 * c * count);
    for (int k = 0; k < count; ++k)
      for (int r = 0; r < 3; ++r) differing |= found[3 * k + r] ^ (3 * expected[k] + r);
    for (int k = 0; k < 3 * count; ++k)  // the other two columns equal the first
      differing |= (found[k] ^ found[3 * count + k]) | (found[k] ^ found[6 * count + k]);
    return differing == 0;
  };
  parallel_for((columns + piece - 1) / piece,
               [&](Index p) {
                 for (Index b = p * piece; b < std::min(columns, (p + 1) * piece) && same; ++b)
                   if (!compare(b)) same = false;
               },
               1e5);
  return same;
}

enum class PatternChange { same, changed };

/// For matrices of 3×3 blocks it remembers the blocks: a ninth of the entries.
class Pattern {
 public:
  /// Compares A (compressed) with the last matrix and remembers it.
  PatternChange take(const SparseMatrix& A) {
    const auto columns = static_cast<std::size_t>(A.cols()) + 1, entries = static_cast<std::size_t>(A.nonZeros());
    if (known_ && (blocks_ ? has_blocks(A, outer_, inner_)
                           : equal(outer_, A.outerIndexPtr(), columns) && equal(inner_, A.innerIndexPtr(), entries)))
      return PatternChange::same;
    take_blocks(A);
    blocks_ = has_blocks(A, outer_, inner_);
    if (!blocks_) {
      outer_.assign(A.outerIndexPtr(), A.outerIndexPtr() + columns);
      inner_.assign(A.innerIndexPtr(), A.innerIndexPtr() + entries);
    }
    known_ = true;
    return PatternChange::changed;
  }

 private:
  static bool equal(const std::vector<int>& mine, const int* other, std::size_t count) {
    return mine.size() == count && same_numbers(mine.data(), other, static_cast<Index>(count));
  }

  /// Remembers A as if it consisted of blocks.
  void take_blocks(const SparseMatrix& A) {
    outer_.assign(1, 0);
    inner_.clear();
    for (Index j = 0; j + 2 < A.cols(); j += 3) {
      for (int k = A.outerIndexPtr()[j]; k < A.outerIndexPtr()[j + 1]; k += 3)
        inner_.push_back(A.innerIndexPtr()[k] / 3);
      outer_.push_back(static_cast<int>(inner_.size()));
    }
    inner_.shrink_to_fit();
  }

  std::vector<int> outer_, inner_;
  bool known_ = false, blocks_ = false;
};

/// A, B compressed.
inline bool same_pattern(const SparseMatrix& A, const SparseMatrix& B) {
  return A.rows() == B.rows() && A.cols() == B.cols() && A.nonZeros() == B.nonZeros() &&
         same_numbers(A.outerIndexPtr(), B.outerIndexPtr(), B.cols() + 1) &&
         same_numbers(A.innerIndexPtr(), B.innerIndexPtr(), B.nonZeros());
}

/// A on the pattern of B, which must contain that of A. Both compressed.
inline SparseMatrix on_pattern_of(const SparseMatrix& B, const SparseMatrix& A) {
  SparseMatrix moved = B;
  std::fill_n(moved.valuePtr(), moved.nonZeros(), 0.0);
  const int* rows = moved.innerIndexPtr();
  for (Index j = 0; j < A.cols(); ++j) {
    int p = moved.outerIndexPtr()[j];
    for (SparseMatrix::InnerIterator it(A, j); it; ++it) {
      while (p < moved.outerIndexPtr()[j + 1] && rows[p] < it.row()) ++p;
      if (p < moved.outerIndexPtr()[j + 1] && rows[p] == it.row()) moved.valuePtr()[p] = it.value();
    }
  }
  return moved;
}

/// A itself if compressed, otherwise a compressed copy in `copy`.
inline const SparseMatrix& compressed(const SparseMatrix& A, SparseMatrix& copy) {
  if (A.isCompressed()) return A;
  copy = A;
  copy.makeCompressed();
  return copy;
}

/// A compressed, with ascending rows in every column and duplicate entries added. Matrices from elsewhere, such as
/// scipy, may lack this order, and loops over two matrices at a time rely on it.
inline SparseMatrix in_order(SparseMatrix A) {
  A.makeCompressed();
  const int *outer = A.outerIndexPtr(), *inner = A.innerIndexPtr();
  bool ascending = true;
  for (Index j = 0; j < A.outerSize() && ascending; ++j)
    for (int k = outer[j] + 1; k < outer[j + 1]; ++k) ascending = ascending && inner[k - 1] < inner[k];
  if (ascending) return A;
  std::vector<Eigen::Triplet<double, int>> entries;
  for (Index j = 0; j < A.outerSize(); ++j)
    for (int k = outer[j]; k < outer[j + 1]; ++k) entries.emplace_back(inner[k], static_cast<int>(j), A.valuePtr()[k]);
  SparseMatrix ordered(A.rows(), A.cols());
  ordered.setFromTriplets(entries.begin(), entries.end());
  return ordered;
}

}  // namespace limber
