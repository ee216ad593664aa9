#include "limber/model/block_pattern.hpp"

#include <algorithm>

namespace limber {

BlockPattern::BlockPattern(int nodes, const std::vector<std::pair<int, int>>& pairs, Storage storage)
    : storage_(storage) {
  std::vector<std::pair<int, int>> blocks;  // (column, row)
  blocks.reserve(pairs.size() + static_cast<std::size_t>(nodes));
  for (int i = 0; i < nodes; ++i) blocks.emplace_back(i, i);
  for (const auto& [a, b] : pairs) {
    blocks.emplace_back(std::min(a, b), std::max(a, b));
    if (storage == Storage::full) blocks.emplace_back(std::max(a, b), std::min(a, b));
  }
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  start_.assign(static_cast<std::size_t>(nodes) + 1, 0);
  rows_.reserve(blocks.size());
  for (const auto& [column, row] : blocks) {
    ++start_[static_cast<std::size_t>(column) + 1];
    rows_.push_back(row);
  }
  for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
}

BlockPattern::Slot BlockPattern::slot(int a, int b) const {
  const auto first = rows_.begin() + start_[static_cast<std::size_t>(b)],
             last = rows_.begin() + start_[static_cast<std::size_t>(b) + 1];
  const auto it = std::lower_bound(first, last, a);
  if (it == last || *it != a) return {};
  const int stride = 3 * static_cast<int>(last - first);
  return {9 * start_[static_cast<std::size_t>(b)] + 3 * static_cast<int>(it - first), stride};
}

SparseMatrix BlockPattern::zero() const {
  const int n = nodes();
  SparseMatrix A(3 * n, 3 * n);
  A.resizeNonZeros(entries());
  for (int b = 0; b < n; ++b) {
    const int s = start_[static_cast<std::size_t>(b)], count = start_[static_cast<std::size_t>(b) + 1] - s;
    for (int c = 0; c < 3; ++c) {
      const int first = 9 * s + 3 * c * count;
      A.outerIndexPtr()[3 * b + c] = first;
      for (int k = 0; k < count; ++k)
        for (int r = 0; r < 3; ++r)
          A.innerIndexPtr()[first + 3 * k + r] = 3 * rows_[static_cast<std::size_t>(s + k)] + r;
    }
  }
  A.outerIndexPtr()[3 * n] = static_cast<int>(entries());
  std::fill_n(A.valuePtr(), entries(), 0.0);
  return A;
}

}  // namespace limber
