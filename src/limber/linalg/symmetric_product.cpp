#include "limber/linalg/symmetric_product.hpp"

#include <algorithm>
#include <vector>

#include "limber/linalg/chunks.hpp"
#include "limber/linalg/pattern.hpp"

namespace limber {
namespace {

constexpr Index most_slices = 8;
constexpr Index entries_in_slice = 1 << 16;

/// y += what columns [begin, end) and their mirror images give; y starts at row `begin`.
void add_columns(const SparseMatrix& A, Index begin, Index end, const Vector& x, Vector& y) {
  const int *start = A.outerIndexPtr(), *row = A.innerIndexPtr();
  const double* value = A.valuePtr();
  for (Index j = begin; j < end; ++j) {
    double own = 0;
    for (int p = start[j]; p < start[j + 1]; ++p) {
      if (row[p] < j) continue;
      own += value[p] * x[row[p]];
      if (row[p] > j) y[row[p] - begin] += value[p] * x[j];
    }
    y[j - begin] += own;
  }
}

}  // namespace

/// Each slice of columns has a result of its own, which are then added in order: the number of slices depends on A
/// only.
Vector symmetric_product(const SparseMatrix& given, const Vector& x) {
  SparseMatrix copy;
  const SparseMatrix& A = compressed(given, copy);
  const Index n = A.cols(), entries = A.nonZeros(),
              slices = std::clamp<Index>(entries / entries_in_slice, 1, most_slices);
  std::vector<Index> first{0};
  for (Index s = 1; s < slices; ++s)
    first.push_back(std::lower_bound(A.outerIndexPtr(), A.outerIndexPtr() + n, s * entries / slices) -
                    A.outerIndexPtr());
  first.push_back(n);
  std::vector<Vector> parts(static_cast<std::size_t>(slices));
  parallel_for(slices, [&](Index s) {
    const auto k = static_cast<std::size_t>(s);
    parts[k].setZero(n - first[k]);
    add_columns(A, first[k], first[k + 1], x, parts[k]);
  });
  for_chunks(n, [&](Index begin, Index end) {
    for (std::size_t k = 1; k < parts.size(); ++k) {
      const Index from = std::max(begin, first[k]);
      if (from < end) parts[0].segment(from, end - from) += parts[k].segment(from - first[k], end - from);
    }
  });
  return std::move(parts[0]);
}

}  // namespace limber
