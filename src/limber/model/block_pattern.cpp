#include "limber/model/block_pattern.hpp"

#include <algorithm>

#include "limber/core/parallel.hpp"

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

void BlockPattern::add(std::span<const NodeBlock> blocks, Mirrored mirrored, double* values) const {
  struct Place {
    int block, row;  // block ≥ 0: as it stands; ~block: transposed
  };
  const auto each = [&](const auto& put) {
    for (int k = 0; k < static_cast<int>(blocks.size()); ++k) {
      const auto [a, b] = std::pair(blocks[static_cast<std::size_t>(k)].a, blocks[static_cast<std::size_t>(k)].b);
      if (a < 0) continue;
      if (a >= b || storage_ == Storage::full) put(b, Place{k, a});
      if (mirrored == Mirrored::yes && a != b && (b > a || storage_ == Storage::full)) put(a, Place{~k, b});
    }
  };
  std::vector<int> end(static_cast<std::size_t>(nodes()) + 1, 0);  // of each column's places
  each([&](int column, const Place&) { ++end[static_cast<std::size_t>(column) + 1]; });
  for (std::size_t i = 1; i < end.size(); ++i) end[i] += end[i - 1];
  std::vector<Place> places(static_cast<std::size_t>(end.back()));
  each([&](int column, const Place& p) {
    places[static_cast<std::size_t>(end[static_cast<std::size_t>(column)]++)] = p;
  });
  constexpr Index columns_a_piece = 64;
  const Index n = nodes();
  parallel_for((n + columns_a_piece - 1) / columns_a_piece, [&](Index piece) {
    for (Index b = piece * columns_a_piece; b < std::min(n, (piece + 1) * columns_a_piece); ++b)
      for (int i = b == 0 ? 0 : end[static_cast<std::size_t>(b) - 1]; i < end[static_cast<std::size_t>(b)]; ++i) {
        const auto [k, row] = places[static_cast<std::size_t>(i)];
        const Slot to = slot(row, static_cast<int>(b));
        eigen_assert(to.first >= 0 && "a force's tangent has a block that it did not declare");
        const Mat3& block = blocks[static_cast<std::size_t>(k < 0 ? ~k : k)].block;
        for (int c = 0; c < 3; ++c)
          for (int r = 0; r < 3; ++r) values[to.at(r, c)] += k < 0 ? block(c, r) : block(r, c);
      }
  });
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
