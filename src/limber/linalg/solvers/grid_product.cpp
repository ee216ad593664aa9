#include "limber/linalg/solvers/grid_product.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "limber/linalg/block_row.hpp"

namespace limber {
namespace {

/// Only blocks on and below the diagonal are computed. Rows of AP are made and used slab by slab: all of
/// them would take more memory than A.
template <int B>
void values_of(const BlockRowPattern& AP, const GridTransfer::Blocks& of, const BlockRows& A,
               const BlockRowPattern& pattern, std::vector<double>& value) {
  constexpr int size = B * aggregate_motions, square = aggregate_motions * aggregate_motions;
  constexpr int slab_blocks = (1 << 20) / size;
  value.assign(pattern.column.size() * square + read_beyond_blocks, 0.0);
  std::vector<int> next(of.t_start.begin(), of.t_start.end() - 1);  // of each coarse row, what is not used yet
  std::vector<double> AP_value;
  for (int first = 0, last = 0; first < A.rows; first = last) {
    while (last < A.rows && (last == first || AP.start[ix(last) + 1] - AP.start[ix(first)] <= slab_blocks)) ++last;
    const int offset = AP.start[ix(first)];
    AP_value.assign(ix(AP.start[ix(last)] - offset) * size, 0.0);
    for_block_rows(last - first, [&](int row) {
      const int i = first + row, begin = AP.start[ix(i)];
      for (int s = A.start[i]; s < A.start[i + 1]; ++s) {
        const int j = A.column[s];
        const double* a = A.value + ix(s) * B * B;
        int slot = begin;
        for (int t = of.P.start[ix(j)]; t < of.P.start[ix(j) + 1]; ++t) {
          while (AP.column[ix(slot)] != of.P.column[ix(t)]) ++slot;
          const float* p = of.value.data() + ix(t) * size;
          double* to = AP_value.data() + ix(slot - offset) * size;
          for (int c = 0; c < B; ++c) {
            double row_of_P[aggregate_motions];
            for (int k = 0; k < aggregate_motions; ++k) row_of_P[k] = p[k * B + c];
            for (int r = 0; r < B; ++r)
              for (int k = 0; k < aggregate_motions; ++k) to[r * aggregate_motions + k] += a[c * B + r] * row_of_P[k];
          }
        }
      }
    });
    if (of.P.start[ix(first)] == of.P.start[ix(last)]) continue;  // nothing that moves
    const auto [low, high] =
        std::minmax_element(of.P.column.data() + of.P.start[ix(first)], of.P.column.data() + of.P.start[ix(last)]);
    const int from = *low;
    parallel_for(*high + 1 - from, [&](Index index) {
      const int p = from + static_cast<int>(index), begin = pattern.start[ix(p)];
      int& t = next[ix(p)];
      for (; t < of.t_start[ix(p) + 1] && of.t_row[ix(t)] < last; ++t) {
        const int i = of.t_row[ix(t)];
        const float* block_of_P = of.value.data() + ix(of.t_slot[ix(t)]) * size;
        double left[size];
        for (int r = 0; r < B; ++r)
          for (int k = 0; k < aggregate_motions; ++k) left[r * aggregate_motions + k] = block_of_P[k * B + r];
        int slot = begin;
        for (int s = AP.start[ix(i)]; s < AP.start[ix(i) + 1] && AP.column[ix(s)] <= p; ++s) {
          while (pattern.column[ix(slot)] != AP.column[ix(s)]) ++slot;
          const double* right = AP_value.data() + ix(s - offset) * size;
          double* to = value.data() + ix(slot) * square;
          for (int r = 0; r < B; ++r)
            for (int c = 0; c < aggregate_motions; ++c)
              for (int k = 0; k < aggregate_motions; ++k)
                to[c * aggregate_motions + k] += right[r * aggregate_motions + c] * left[r * aggregate_motions + k];
        }
      }
    });
  }
  parallel_for(static_cast<Index>(pattern.start.size()) - 1, [&](Index index) {
    const int p = static_cast<int>(index);
    for (int s = pattern.start[ix(p)]; s < pattern.start[ix(p) + 1]; ++s) {
      const int q = pattern.column[ix(s)];
      double* to = value.data() + ix(s) * square;
      if (q > p) {
        const double* from = value.data() + ix(pattern.find(q, p)) * square;
        for (int c = 0; c < aggregate_motions; ++c)
          for (int k = 0; k < aggregate_motions; ++k) to[c * aggregate_motions + k] = from[k * aggregate_motions + c];
      }
    }
  });
}

template <int B>
BlockChanges changes_of(const GridTransfer::Blocks& of, const BlockChanges& changed) {
  constexpr int size = B * aggregate_motions, square = aggregate_motions * aggregate_motions;
  std::map<std::pair<int, int>, std::array<double, square>> sums;
  using BlockOfP = Eigen::Map<const Eigen::Matrix<float, B, aggregate_motions>>;
  for (std::size_t k = 0; k < changed.row.size(); ++k) {
    const int i = changed.row[k], j = changed.column[k];
    const Eigen::Map<const Eigen::Matrix<double, B, B>> by(changed.value.data() + k * B * B);
    for (int u = of.P.start[ix(j)]; u < of.P.start[ix(j) + 1]; ++u) {
      const Eigen::Matrix<double, B, aggregate_motions> right =
          by * BlockOfP(of.value.data() + ix(u) * size).template cast<double>();
      for (int t = of.P.start[ix(i)]; t < of.P.start[ix(i) + 1]; ++t) {
        auto [at, fresh] = sums.try_emplace({of.P.column[ix(t)], of.P.column[ix(u)]});
        if (fresh) at->second.fill(0);
        Eigen::Map<Eigen::Matrix<double, aggregate_motions, aggregate_motions>>(at->second.data()) +=
            BlockOfP(of.value.data() + ix(t) * size).template cast<double>().transpose() * right;
      }
    }
  }
  BlockChanges found;
  for (const auto& [place, sum] : sums) {
    found.row.push_back(place.first);
    found.column.push_back(place.second);
    found.value.insert(found.value.end(), sum.begin(), sum.end());
  }
  return found;
}

}  // namespace

GridProduct::GridProduct(const BlockRows& A, const GridTransfer& transfer) {
  const GridTransfer::Blocks of = transfer.blocks();
  AP_ = gather_rows(A.rows, [&](int i, const auto& add) {
    for (int s = A.start[i]; s < A.start[i + 1]; ++s)
      for (int t = of.P.start[ix(A.column[s])]; t < of.P.start[ix(A.column[s]) + 1]; ++t) add(of.P.column[ix(t)]);
  });
}

BlockRowPattern GridProduct::pattern(const GridTransfer& transfer, int nodes) const {
  const GridTransfer::Blocks of = transfer.blocks();
  return gather_rows(nodes, [&](int p, const auto& add) {
    for (int t = of.t_start[ix(p)]; t < of.t_start[ix(p) + 1]; ++t) {
      const int i = of.t_row[ix(t)];
      for (int s = AP_.start[ix(i)]; s < AP_.start[ix(i) + 1]; ++s) add(AP_.column[ix(s)]);
    }
  });
}

void GridProduct::values(const GridTransfer& transfer, const BlockRows& A, const BlockRowPattern& pattern,
                         std::vector<double>& value) const {
  with_block(A.block, [&](auto B) { values_of<B>(AP_, transfer.blocks(), A, pattern, value); });
}

BlockChanges GridProduct::changes(const GridTransfer& transfer, const BlockChanges& changed, int block) {
  return with_block(block, [&](auto B) { return changes_of<B>(transfer.blocks(), changed); });
}

}  // namespace limber
