#include "limber/mesh/io/vtk_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>

namespace limber {
namespace {

constexpr long long voxel = 11;

struct VtkCell {
  long long type;
  std::size_t nodes;
};
constexpr VtkCell fixed_sizes[] = {{1, 1},  {3, 2},  {5, 3},  {8, 4},  {9, 4},  {10, 4},  {11, 8}, {12, 8},
                                   {13, 6}, {14, 5}, {21, 3}, {22, 6}, {23, 8}, {24, 10}, {25, 20}};

/// Of a tetrahedron or hexahedron of more nodes than its corners; null for other types.
const char* curved(long long type) {
  switch (type) {
    case 24:
      return "VTK_QUADRATIC_TETRA";
    case 25:
      return "VTK_QUADRATIC_HEXAHEDRON";
    case 29:
      return "VTK_TRIQUADRATIC_HEXAHEDRON";
    case 33:
      return "VTK_BIQUADRATIC_QUADRATIC_HEXAHEDRON";
    case 64:
      return "VTK_HIGHER_ORDER_TETRAHEDRON";
    case 67:
      return "VTK_HIGHER_ORDER_HEXAHEDRON";
    case 71:
      return "VTK_LAGRANGE_TETRAHEDRON";
    case 72:
      return "VTK_LAGRANGE_HEXAHEDRON";
    case 78:
      return "VTK_BEZIER_TETRAHEDRON";
    case 79:
      return "VTK_BEZIER_HEXAHEDRON";
    default:
      return nullptr;
  }
}

Solid solid_of(long long type) {
  switch (type) {
    case 10:
      return Solid::tetrahedron;
    case voxel:
    case 12:
      return Solid::hexahedron;
    case 13:
    case 15:
    case 16:
    case 26:
    case 31:
    case 32:
    case 65:
    case 73:
    case 80:
      return Solid::prism;
    case 14:
    case 27:
    case 37:
    case 66:
    case 74:
    case 81:
      return Solid::pyramid;
    case 41:
    case 42:
      return Solid::polyhedron;
    default:
      return Solid::none;
  }
}

}  // namespace

void VtkDraft::add_cell(std::size_t cell, long long type, std::span<const long long> nodes, std::size_t first_node,
                        const Fail& fail) {
  if (const char* name = curved(type))
    fail(not_linear(fmt::format("cell {} of type {} ({}, {} nodes)", cell, type, name, nodes.size())));
  for (const VtkCell& c : fixed_sizes)
    if (c.type == type && c.nodes != nodes.size())
      fail(fmt::format("cell {} of type {} has {} nodes, expected {}", cell, type, nodes.size(), c.nodes));
  if (type < 0 || type > 255) fail(fmt::format("cell {} has type {}, expected 0 to 255", cell, type));
  const auto size = static_cast<long long>(draft.mesh.nodes.size() - first_node);
  nodes_.clear();
  for (const long long node : nodes) {
    if (node < 0 || node >= size)
      fail(fmt::format("cell {} names node {}, but the nodes are 0 to {}", cell, node, size - 1));
    nodes_.push_back(static_cast<int>(first_node + static_cast<std::size_t>(node)));
  }
  // A voxel counts x, then y, where a hexahedron goes around.
  if (type == voxel) std::swap(nodes_[2], nodes_[3]), std::swap(nodes_[6], nodes_[7]);
  if (draft.add_cell(solid_of(type), nodes_)) cell_of_solid.push_back(cell);
}

void VtkDraft::set_field(const std::string& name, const std::vector<double>& of_cell, std::size_t first) {
  std::vector<double>& field = draft.mesh.fields[name];
  field.resize(first, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t s = first; s < cell_of_solid.size(); ++s) field.push_back(of_cell[cell_of_solid[s]]);
}

int region_rank(std::string_view name) {
  static constexpr std::string_view names[] = {
      "region",      "regions",    "region_id",     "regionid",    "regionids",    "gmsh:physical",
      "physical",    "medit:ref",  "tetgen:ref",    "materialids", "material",     "materials",
      "material_id", "materialid", "cellentityids", "attribute",   "cell_markers", "subdomain"};
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto* at = std::find(std::begin(names), std::end(names), lower);
  return at == std::end(names) ? -1 : static_cast<int>(at - std::begin(names));
}

}  // namespace limber
