#pragma once
/// Distributes a box of cells among processes: the lattice of cells is halved repeatedly across its longest side until
/// there is one box of cells per process. Every process knows all parts without the mesh.

#include <array>
#include <vector>

#include "limber/mesh/element_mesh.hpp"

namespace limber {

class BoxParts {
 public:
  /// Each part has at least one cell: parts ≤ number of cells.
  BoxParts(const std::array<int, 3>& cells, int parts);

  const CellRange& part(int p) const { return parts_[static_cast<std::size_t>(p)]; }
  /// The parts that have a cell with this lattice node as corner, ascending.
  std::vector<int> holders(const std::array<int, 3>& node) const;

 private:
  struct Cut {  // a range of cells, halved or whole
    int axis = -1, at = 0;
    int low = 0, high = 0;  // cuts; for a whole range, `low` is its part
  };
  int halve(const CellRange& range, int first, int parts);
  int part_of(const std::array<int, 3>& cell) const;

  std::array<int, 3> cells_;
  std::vector<CellRange> parts_;
  std::vector<Cut> cuts_;
};

/// Node and edge numbers in a box, as `box_mesh` and `edges` would assign them, without building either.
class BoxNumbers {
 public:
  BoxNumbers(const std::array<int, 3>& cells, Split split);

  int nodes() const { return (cells_[0] + 1) * (cells_[1] + 1) * (cells_[2] + 1); }
  int edges() const { return first_edge_.back(); }
  /// The number of edges whose lower end is in one of the first `layers` layers of nodes.
  int edges_below(int layers) const { return first_edge_[static_cast<std::size_t>(layers * (cells_[1] + 1))]; }
  std::array<int, 3> place(int node) const;
  /// The numbers of the nodes of a range of cells, in their order there.
  std::vector<int> of_nodes(const CellRange& range) const;
  /// The number of the edge between nodes a < b, given by their numbers in the box.
  int of_edge(int a, int b) const;

 private:
  using Offset = std::array<int, 3>;
  bool is_inside(const std::array<int, 3>& node, const Offset& to) const;
  int edges_before(int i, int j, int k) const;

  std::array<int, 3> cells_;
  Split split_;
  std::vector<int> first_edge_;  // per row of nodes along x: its first edge, by lower end; then the total
};

}  // namespace limber
