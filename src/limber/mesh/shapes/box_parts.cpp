#include "limber/mesh/shapes/box_parts.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "limber/core/nodes.hpp"

namespace limber {

BoxParts::BoxParts(const std::array<int, 3>& cells, int parts) : cells_(cells), parts_(ix(parts)) {
  assert(parts > 0 && static_cast<double>(cells[0]) * cells[1] * cells[2] >= parts);
  halve(all_cells(cells), 0, parts);
}

/// Gives a range to the parts from `first` on; its number among the cuts.
int BoxParts::halve(const CellRange& range, int first, int parts) {
  const int number = static_cast<int>(cuts_.size());
  cuts_.emplace_back();
  if (parts == 1) {
    parts_[ix(first)] = range;
    cuts_[ix(number)].low = first;
    return number;
  }
  const auto length = [&](std::size_t axis) { return range.end[axis] - range.begin[axis]; };
  std::size_t axis = 0;
  for (std::size_t other = 1; other < 3; ++other)
    if (length(other) > length(axis)) axis = other;
  // Both sides must have a cell for each of their parts.
  const double layer = static_cast<double>(length((axis + 1) % 3)) * length((axis + 2) % 3);
  const int lower = parts / 2;
  int width = static_cast<int>(std::lround(static_cast<double>(length(axis)) * lower / parts));
  width = std::clamp(width, 1, length(axis) - 1);
  while (width * layer < lower) ++width;
  while ((length(axis) - width) * layer < parts - lower) --width;
  CellRange low = range, high = range;
  low.end[axis] = high.begin[axis] = range.begin[axis] + width;
  const int below = halve(low, first, lower), above = halve(high, first + lower, parts - lower);
  cuts_[ix(number)] = {static_cast<int>(axis), low.end[axis], below, above};
  return number;
}

int BoxParts::part_of(const std::array<int, 3>& cell) const {
  const Cut* cut = &cuts_[0];
  while (cut->axis >= 0) cut = &cuts_[ix(cell[ix(cut->axis)] < cut->at ? cut->low : cut->high)];
  return cut->low;
}

std::vector<int> BoxParts::holders(const std::array<int, 3>& node) const {
  std::vector<int> list;
  for (int corner = 0; corner < 8; ++corner) {
    const std::array<int, 3> cell = {node[0] - (corner & 1), node[1] - (corner >> 1 & 1), node[2] - (corner >> 2)};
    bool inside = true;
    for (std::size_t axis = 0; axis < 3; ++axis) inside = inside && cell[axis] >= 0 && cell[axis] < cells_[axis];
    if (inside) list.push_back(part_of(cell));
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

namespace {

/// To nodes of larger numbers, ascending. Kuhn's six tetrahedra have an edge to each.
constexpr std::array<std::array<int, 3>, 7> edges_of_six = {
    {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}}};
/// Of the five, nodes with an odd i + j + k have those along the axes alone.
constexpr std::array<std::array<int, 3>, 9> edges_of_five = {
    {{1, 0, 0}, {-1, 1, 0}, {0, 1, 0}, {1, 1, 0}, {0, -1, 1}, {-1, 0, 1}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}}};

bool along_axis(const std::array<int, 3>& to) { return (to[0] != 0) + (to[1] != 0) + (to[2] != 0) == 1; }

template <class Visit>
void for_each_edge(Split split, const Visit& visit) {
  if (split == Split::six)
    for (const auto& to : edges_of_six) visit(to, false);
  else
    for (const auto& to : edges_of_five) visit(to, !along_axis(to));
}

}  // namespace

BoxNumbers::BoxNumbers(const std::array<int, 3>& cells, Split split) : cells_(cells), split_(split), first_edge_{0} {
  for (int k = 0; k <= cells[2]; ++k)
    for (int j = 0; j <= cells[1]; ++j) first_edge_.push_back(first_edge_.back() + edges_before(cells[0] + 1, j, k));
}

std::array<int, 3> BoxNumbers::place(int node) const {
  const int row = node / (cells_[0] + 1);
  return {node % (cells_[0] + 1), row % (cells_[1] + 1), row / (cells_[1] + 1)};
}

bool BoxNumbers::is_inside(const std::array<int, 3>& node, const Offset& to) const {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (node[axis] + to[axis] < 0 || node[axis] + to[axis] > cells_[axis]) return false;
  return true;
}

/// Of the nodes 0 to i − 1 of a row.
int BoxNumbers::edges_before(int i, int j, int k) const {
  int count = 0;
  for_each_edge(split_, [&](const Offset& to, bool even_only) {
    const int first = std::max(0, -to[0]), end = std::min(i, cells_[0] + 1 - std::max(0, to[0]));
    if (end <= first || !is_inside({first, j, k}, to)) return;
    if (!even_only) {
      count += end - first;
      return;
    }
    const int even = first + (first + j + k) % 2;  // the first of these
    if (even < end) count += (end - even + 1) / 2;
  });
  return count;
}

std::vector<int> BoxNumbers::of_nodes(const CellRange& range) const {
  std::vector<int> numbers;
  for (int k = range.begin[2]; k <= range.end[2]; ++k)
    for (int j = range.begin[1]; j <= range.end[1]; ++j)
      for (int i = range.begin[0]; i <= range.end[0]; ++i)
        numbers.push_back(i + (cells_[0] + 1) * (j + (cells_[1] + 1) * k));
  return numbers;
}

int BoxNumbers::of_edge(int a, int b) const {
  const auto from = place(a), end = place(b);
  int number = first_edge_[ix(a / (cells_[0] + 1))] + edges_before(from[0], from[1], from[2]);
  bool found = false;
  for_each_edge(split_, [&](const Offset& to, bool even_only) {
    if (found || !is_inside(from, to) || (even_only && (from[0] + from[1] + from[2]) % 2 != 0)) return;
    found = from[0] + to[0] == end[0] && from[1] + to[1] == end[1] && from[2] + to[2] == end[2];
    if (!found) ++number;
  });
  assert(found);
  return number;
}

}  // namespace limber
