#pragma once
/// Remembers the sparsity pattern of the last matrix, so that a new one is noticed.

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

enum class PatternChange { same, changed };

class Pattern {
 public:
  /// Compares A (compressed) with the last matrix and remembers it.
  PatternChange take(const SparseMatrix& A) {
    const auto columns = static_cast<std::size_t>(A.cols()) + 1, entries = static_cast<std::size_t>(A.nonZeros());
    if (known_ && equal(outer_, A.outerIndexPtr(), columns) && equal(inner_, A.innerIndexPtr(), entries))
      return PatternChange::same;
    outer_.assign(A.outerIndexPtr(), A.outerIndexPtr() + columns);
    inner_.assign(A.innerIndexPtr(), A.innerIndexPtr() + entries);
    known_ = true;
    return PatternChange::changed;
  }

 private:
  static bool equal(const std::vector<int>& mine, const int* other, std::size_t count) {
    return mine.size() == count && same_numbers(mine.data(), other, static_cast<Index>(count));
  }

  std::vector<int> outer_, inner_;
  bool known_ = false;
};

/// Both compressed.
inline bool same_pattern(const SparseMatrix& A, const SparseMatrix& B) {
  return A.rows() == B.rows() && A.cols() == B.cols() && A.nonZeros() == B.nonZeros() &&
         same_numbers(A.outerIndexPtr(), B.outerIndexPtr(), B.cols() + 1) &&
         same_numbers(A.innerIndexPtr(), B.innerIndexPtr(), B.nonZeros());
}

/// A itself, or a compressed copy kept in `copy`.
inline const SparseMatrix& compressed(const SparseMatrix& A, SparseMatrix& copy) {
  if (A.isCompressed()) return A;
  copy = A;
  copy.makeCompressed();
  return copy;
}

/// A compressed, with ascending rows in every column; entries that stand twice are added. Matrices of others, such as
/// products made by scipy, need not be so, and loops over two matrices at a time rely on it.
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
