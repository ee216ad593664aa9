#pragma once
/// A box of cells shared out among processes: its lattice of cells is halved across its longest side, and the halves
/// again, until there is a box of cells for each process. All of them know this without the mesh.

#include <array>
#include <vector>

#include "limber/mesh/element_mesh.hpp"

namespace limber {

class BoxParts {
 public:
  /// Each part has a cell at least: parts ≤ number of cells.
  BoxParts(const std::array<int, 3>& cells, int parts);

  const CellRange& part(int p) const { return parts_[static_cast<std::size_t>(p)]; }
  /// Whose cells a node of the lattice is a corner of, ascending.
  std::vector<int> holders(const std::array<int, 3>& node) const;

 private:
  struct Cut {  // a range of cells, halved or whole
    int axis = -1, at = 0;
    int low = 0, high = 0;  // cuts; of a whole range, `low` is its part
  };
  int halve(const CellRange& range, int first, int parts);
  int part_of(const std::array<int, 3>& cell) const;

  std::array<int, 3> cells_;
  std::vector<CellRange> parts_;
  std::vector<Cut> cuts_;
};

/// The numbers of nodes and of edges in a box, as `box_mesh` and `edges` of it would give them, without either.
class BoxNumbers {
 public:
  BoxNumbers(const std::array<int, 3>& cells, Split split);

  int nodes() const { return (cells_[0] + 1) * (cells_[1] + 1) * (cells_[2] + 1); }
  int edges() const { return first_edge_.back(); }
  /// Those whose lower end is in one of the first `layers` layers of nodes.
  int edges_below(int layers) const { return first_edge_[static_cast<std::size_t>(layers * (cells_[1] + 1))]; }
  std::array<int, 3> place(int node) const;
  /// Of the nodes of a range of cells, in their order there.
  std::vector<int> of_nodes(const CellRange& range) const;
  /// Of the edge between nodes a < b, by their numbers in the box.
  int of_edge(int a, int b) const;

 private:
  using Offset = std::array<int, 3>;
  bool is_inside(const std::array<int, 3>& node, const Offset& to) const;
  int edges_before(int i, int j, int k) const;

  std::array<int, 3> cells_;
  Split split_;
  std::vector<int> first_edge_;  // of each row of nodes along x, by its lower end; then their number
};

}  // namespace limber
