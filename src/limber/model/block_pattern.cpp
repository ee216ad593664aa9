#include "limber/model/block_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "limber/core/parallel.hpp"
#include "limber/linalg/countable.hpp"
#include "limber/linalg/pattern.hpp"

namespace limber {
namespace {

std::logic_error undeclared(int a, int b) {
  return std::logic_error(
      fmt::format("a force's tangent has a block at free nodes {} and {}, which it did not declare", a, b));
}

}  // namespace

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
  require_countable(9 * static_cast<Index>(blocks.size()));
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

void BlockPattern::add(int a, int b, const Mat3& block, double* values) const {
  if (storage_ == Storage::lower && a < b) return;
  const Slot to = slot(a, b);
  if (to.first < 0) throw undeclared(a, b);
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) values[to.at(r, c)] += block(r, c);
}

void BlockPattern::add(std::span<const NodeMatrixView> matrices, double* values) const {
  struct Place {
    std::uint32_t matrix, column;
  };
  const auto each = [&](const auto& put) {
    for (std::size_t k = 0; k < matrices.size(); ++k)
      for (std::size_t j = 0; j < matrices[k].nodes.size(); ++j)
        if (const int node = matrices[k].nodes[j]; node >= 0)
          put(static_cast<std::size_t>(node), {static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(j)});
  };
  const auto n = static_cast<std::size_t>(nodes());
  std::vector<std::size_t> end(n + 1, 0);  // of each node's entries
  std::size_t blocks = 0;
  each([&](std::size_t node, Place p) {
    ++end[node + 1];
    blocks += matrices[p.matrix].nodes.size();
  });
  for (std::size_t i = 1; i < end.size(); ++i) end[i] += end[i - 1];
  std::vector<Place> places(end.back());
  each([&](std::size_t node, Place p) { places[end[node]++] = p; });
  constexpr std::size_t columns_a_piece = 32;
  const std::size_t pieces = (n + columns_a_piece - 1) / columns_a_piece;
  const auto add_piece = [&](Index piece) {
    // Position of each row in the current column. Stale entries of earlier columns are detected by the row they point
    // to.
    static thread_local std::vector<int> position;
    if (position.size() < n) position.resize(n, 0);
    const std::size_t first = static_cast<std::size_t>(piece) * columns_a_piece;
    for (std::size_t b = first; b < std::min(n, first + columns_a_piece); ++b) {
      const std::size_t from = b == 0 ? 0 : end[b - 1];
      if (from == end[b]) continue;
      const int begin = start_[b], stop = start_[b + 1], stride = 3 * (stop - begin);
      for (int p = begin; p < stop; ++p) position[static_cast<std::size_t>(rows_[static_cast<std::size_t>(p)])] = p;
      for (std::size_t i = from; i < end[b]; ++i) {
        const NodeMatrixView& m = matrices[places[i].matrix];
        const std::size_t rows = 3 * m.nodes.size();
        const double* column = m.A + 3 * places[i].column * rows;
        for (std::size_t k = 0; k < m.nodes.size(); ++k) {
          const int a = m.nodes[k];
          if (a < 0 || (storage_ == Storage::lower && a < static_cast<int>(b))) continue;
          const int p = position[static_cast<std::size_t>(a)];
          if (p < begin || p >= stop || rows_[static_cast<std::size_t>(p)] != a)
            throw undeclared(a, static_cast<int>(b));
          double* to = values + 9 * static_cast<Index>(begin) + 3 * (p - begin);
          const double* block = column + 3 * k;
          for (std::size_t c = 0; c < 3; ++c)
            for (std::size_t r = 0; r < 3; ++r) to[c * static_cast<std::size_t>(stride) + r] += block[c * rows + r];
        }
      }
    }
  };
  constexpr double per_block = 10;  // [ns]
  parallel_for(static_cast<Index>(pieces), add_piece,
               per_block * static_cast<double>(blocks) / static_cast<double>(pieces));
}

bool BlockPattern::is_of(const SparseMatrix& A) const { return has_blocks(A, start_, rows_); }

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
