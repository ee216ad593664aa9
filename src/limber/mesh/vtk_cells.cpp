#include "limber/mesh/vtk_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <limits>

namespace limber {
namespace {

constexpr long long linear_tet = 10;

struct VtkCell {
  long long type;
  std::size_t nodes;
};
constexpr VtkCell fixed_sizes[] = {{1, 1},  {3, 2},  {5, 3},  {8, 4},  {9, 4},  {10, 4},  {11, 8}, {12, 8},
                                   {13, 6}, {14, 5}, {21, 3}, {22, 6}, {23, 8}, {24, 10}, {25, 20}};

const char* curved_tet(long long type) {
  switch (type) {
    case 24:
      return "VTK_QUADRATIC_TETRA";
    case 64:
      return "VTK_HIGHER_ORDER_TETRAHEDRON";
    case 71:
      return "VTK_LAGRANGE_TETRAHEDRON";
    case 78:
      return "VTK_BEZIER_TETRAHEDRON";
    default:
      return nullptr;
  }
}

}  // namespace

void VtkDraft::add_cell(std::size_t cell, long long type, std::span<const long long> nodes, std::size_t first_node,
                        const Fail& fail) {
  if (const char* name = curved_tet(type))
    fail(not_linear(fmt::format("cell {} of type {} ({}, {} nodes)", cell, type, name, nodes.size())));
  for (const VtkCell& c : fixed_sizes)
    if (c.type == type && c.nodes != nodes.size())
      fail(fmt::format("cell {} of type {} has {} nodes, expected {}", cell, type, nodes.size(), c.nodes));
  if (type < 0 || type > 255) fail(fmt::format("cell {} has type {}, expected 0 to 255", cell, type));
  const auto size = static_cast<long long>(draft.mesh.nodes.size() - first_node);
  std::array<int, 4> tet{};
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (nodes[k] < 0 || nodes[k] >= size)
      fail(fmt::format("cell {} names node {}, but the nodes are 0 to {}", cell, nodes[k], size - 1));
    const int node = static_cast<int>(first_node + static_cast<std::size_t>(nodes[k]));
    if (type == linear_tet)
      tet[k] = node;
    else
      draft.use_in_other_cell(node);
  }
  if (type == linear_tet) {
    draft.mesh.tets.push_back(tet);
    cell_of_tet.push_back(cell);
  } else {
    ++draft.other_cells;
  }
}

void VtkDraft::set_field(const std::string& name, const std::vector<double>& of_cell, std::size_t first_tet) {
  std::vector<double>& field = draft.mesh.fields[name];
  field.resize(first_tet, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t t = first_tet; t < cell_of_tet.size(); ++t) field.push_back(of_cell[cell_of_tet[t]]);
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
