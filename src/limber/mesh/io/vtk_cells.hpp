#pragma once  // internal
/// What both VTK formats share: cell types, the cell data that counts as regions, and that which becomes fields.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/mesh/io/formats.hpp"

namespace limber {

using Fail = std::function<void(const std::string&)>;  // throws

/// The cells of a VTK file in the making.
struct VtkDraft {
  MeshDraft draft;
  std::vector<std::size_t> cell_of_solid;  // of each tetrahedron or hexahedron, the index among all cells

  /// Node indices are relative to `first_node` and must be below draft.mesh.nodes.size() − first_node.
  void add_cell(std::size_t cell, long long type, std::span<const long long> nodes, std::size_t first_node,
                const Fail& fail);
  /// The values of all cells, of which those of the solids from `first` on become the field's. Solids that never get
  /// one have a value that is not a number.
  void set_field(const std::string& name, const std::vector<double>& of_cell, std::size_t first);

 private:
  std::vector<int> nodes_;  // of the present cell
};

/// Rank of a cell data name among those that mean a region, smallest wins; −1 for other names.
int region_rank(std::string_view name);

}  // namespace limber
