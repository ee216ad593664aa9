#pragma once
/// Drops nodes used by no cell and renumbers the cells. The remaining nodes keep their order.

#include <vector>

#include "limber/core/types.hpp"

namespace limber {

/// Cells: arrays of node numbers.
template <class Cell>
void drop_unused_nodes(std::vector<Vec3>& nodes, std::vector<Cell>& cells) {
  std::vector<int> number(nodes.size(), -1);
  for (const Cell& cell : cells)
    for (const int i : cell) number[static_cast<std::size_t>(i)] = 0;
  int kept = 0;
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (number[i] < 0) continue;
    nodes[static_cast<std::size_t>(kept)] = nodes[i];
    number[i] = kept++;
  }
  nodes.resize(static_cast<std::size_t>(kept));
  for (Cell& cell : cells)
    for (int& i : cell) i = number[static_cast<std::size_t>(i)];
}

}  // namespace limber
