#pragma once  // internal
/// Checks of cells of any kind: arrays of n nodes each, called `one` and `many` in messages.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "limber/core/errors.hpp"
#include "limber/core/types.hpp"

namespace limber {

struct CellWords {
  const char *one, *many;
};

template <std::size_t n>
std::string listed(const std::array<int, n>& cell) {
  return fmt::format("{}", fmt::join(cell, ", "));
}

inline void check_nodes_finite(const std::vector<Vec3>& nodes, const std::string& where) {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (!nodes[i].allFinite())
      throw InputError(where, fmt::format("node {} has the coordinates ({}, {}, {}); they must be finite", i,
                                          nodes[i][0], nodes[i][1], nodes[i][2]));
}

template <std::size_t n>
void check_indices(const std::vector<std::array<int, n>>& cells, std::size_t nodes, const CellWords& words,
                   const std::string& where) {
  for (std::size_t c = 0; c < cells.size(); ++c) {
    for (const int i : cells[c])
      if (i < 0 || static_cast<std::size_t>(i) >= nodes)
        throw InputError(where, fmt::format("{} {} names node {}, but the nodes are 0 to {}", words.one, c, i,
                                            static_cast<long long>(nodes) - 1));
    auto sorted = cells[c];
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
      throw InputError(where,
                       fmt::format("{} {} (nodes {}) names node {} twice", words.one, c, listed(cells[c]), *twice));
  }
}

template <std::size_t n>
void check_distinct(const std::vector<std::array<int, n>>& cells, const CellWords& words, const std::string& where) {
  std::vector<std::pair<std::array<int, n>, std::size_t>> keys(cells.size());
  for (std::size_t c = 0; c < keys.size(); ++c) {
    keys[c] = {cells[c], c};
    std::sort(keys[c].first.begin(), keys[c].first.end());
  }
  std::sort(keys.begin(), keys.end());
  for (std::size_t k = 1; k < keys.size(); ++k)
    if (keys[k].first == keys[k - 1].first)
      throw InputError(where, fmt::format("{} {} and {} have the same nodes {}", words.many, keys[k - 1].second,
                                          keys[k].second, listed(keys[k].first)));
}

template <std::size_t n>
void check_nodes_used(const std::vector<std::array<int, n>>& cells, std::size_t nodes, const CellWords& words,
                      const std::string& where) {
  std::vector<char> used(nodes, 0);
  for (const auto& cell : cells)
    for (const int i : cell) used[static_cast<std::size_t>(i)] = 1;
  const auto unused = std::count(used.begin(), used.end(), 0);
  if (unused > 0)
    throw InputError(where, fmt::format("{} of {} nodes belong to no {}; the first is node {}", unused, used.size(),
                                        words.one, std::find(used.begin(), used.end(), 0) - used.begin()));
}

/// All checks that do not depend on the cells' shapes. Mesh: a TetMesh or HexMesh with these cells.
template <class Mesh, std::size_t n>
void check_cells(const Mesh& mesh, const std::vector<std::array<int, n>>& cells, const CellWords& words,
                 const std::string& where) {
  if (cells.empty()) throw InputError(where, fmt::format("the mesh has no {}", words.many));
  if (!mesh.region.empty() && mesh.region.size() != cells.size())
    throw InputError(where, fmt::format("{} regions for {} {}", mesh.region.size(), cells.size(), words.many));
  for (const auto& [name, values] : mesh.fields)
    if (values.size() != cells.size())
      throw InputError(where, fmt::format("the field \"{}\" has {} values for {} {}", name, values.size(), cells.size(),
                                          words.many));
  check_nodes_finite(mesh.nodes, where);
  check_indices(cells, mesh.nodes.size(), words, where);
  check_distinct(cells, words, where);
  check_nodes_used(cells, mesh.nodes.size(), words, where);
}

}  // namespace limber
