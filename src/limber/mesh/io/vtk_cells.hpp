#pragma once  // internal
/// Shared by both VTK formats: cell types, and the cell data that become regions or fields.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/mesh/io/formats.hpp"

namespace limber {

using Fail = std::function<void(const std::string&)>;  // throws

/// The cells of a VTK file while it is read.
struct VtkDraft {
  MeshDraft draft;
  std::vector<std::size_t> cell_of_solid;  // index of each tetrahedron or hexahedron among all cells

  /// Node indices are relative to `first_node` and must be below draft.mesh.nodes.size() − first_node.
  void add_cell(std::size_t cell, long long type, std::span<const long long> nodes, std::size_t first_node,
                const Fail& fail);
  /// `of_cell`: values of all cells; those of the solids from `first` on become the field's. Solids that never get a
  /// value have NaN.
  void set_field(const std::string& name, const std::vector<double>& of_cell, std::size_t first);

 private:
  std::vector<int> nodes_;  // of the current cell
};

/// Rank of a cell data name among those that denote a region, the smallest wins; −1 for other names.
int region_rank(std::string_view name);

}  // namespace limber
