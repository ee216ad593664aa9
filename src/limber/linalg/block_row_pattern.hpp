#pragma once  // internal
/// Row-wise sparsity patterns of block matrices.

#include <algorithm>
#include <vector>

#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"

namespace limber {

inline constexpr std::size_t rows_in_a_piece = 256;

/// Calls visit(i) for each row in parallel; a visit takes about as long as a row of a product.
template <class Visit>
void for_block_rows(int rows, const Visit& visit) {
  constexpr double row_cost = 40;  // [ns]
  in_pieces(
      ix(rows), rows_in_a_piece, [&](std::size_t i) { visit(static_cast<int>(i)); }, row_cost);
}

struct BlockRowPattern {
  std::vector<int> start{0}, column;
  int find(int i, int j) const {
    const auto first = column.begin() + start[ix(i)], last = column.begin() + start[ix(i) + 1];
    const auto found = std::lower_bound(first, last, j);
    return found != last && *found == j ? static_cast<int>(found - column.begin()) : -1;
  }
};

/// Row i gets the columns for which collect(i, add) calls add(), ascending and without repeats.
template <class Collect>
std::vector<std::vector<int>> collect_rows(int rows, const Collect& collect) {
  std::vector<std::vector<int>> found(ix(rows));
  for_block_rows(rows, [&](int i) {
    std::vector<int>& mine = found[ix(i)];
    collect(i, [&](int j) { mine.push_back(j); });
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    mine.shrink_to_fit();
  });
  return found;
}

inline BlockRowPattern packed(const std::vector<std::vector<int>>& rows) {
  BlockRowPattern r;
  for (const auto& row : rows) {
    r.column.insert(r.column.end(), row.begin(), row.end());
    r.start.push_back(static_cast<int>(r.column.size()));
  }
  return r;
}

/// The same in packed form, without a separate list for each row.
template <class Collect>
BlockRowPattern gather_rows(int rows, const Collect& collect) {
  const std::size_t pieces = (ix(rows) + rows_in_a_piece - 1) / rows_in_a_piece;
  BlockRowPattern r;
  r.start.assign(ix(rows) + 1, 0);
  std::vector<std::vector<int>> found(pieces);
  parallel_for(static_cast<Index>(pieces), [&](Index p) {
    std::vector<int>& mine = found[static_cast<std::size_t>(p)];
    const std::size_t first = static_cast<std::size_t>(p) * rows_in_a_piece;
    for (std::size_t i = first; i < std::min(ix(rows), first + rows_in_a_piece); ++i) {
      const auto begin = static_cast<std::ptrdiff_t>(mine.size());
      collect(static_cast<int>(i), [&](int j) { mine.push_back(j); });
      std::sort(mine.begin() + begin, mine.end());
      mine.erase(std::unique(mine.begin() + begin, mine.end()), mine.end());
      r.start[i + 1] = static_cast<int>(mine.size() - static_cast<std::size_t>(begin));
    }
  });
  for (std::size_t i = 1; i < r.start.size(); ++i) r.start[i] += r.start[i - 1];
  r.column.reserve(ix(r.start.back()));
  for (const auto& piece : found) r.column.insert(r.column.end(), piece.begin(), piece.end());
  return r;
}

}  // namespace limber
