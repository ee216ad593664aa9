#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/cursor.hpp"
#include "limber/mesh/io/formats.hpp"

namespace limber {
namespace {

Cursor open_cursor(const std::string& path, std::string_view text) {
  Cursor in(path, text);
  in.comments_from('#');
  return in;
}

int read_small_count(Cursor& in, std::string_view expected, int largest) {
  const int n = in.small_integer(expected);
  if (n < 0 || n > largest) in.fail(fmt::format("found {}, expected {} (0 to {})", n, expected, largest));
  return n;
}

/// A number that may be left out at the end of the header line.
int read_optional_count(Cursor& in, std::string_view expected, int largest) {
  return in.done() ? 0 : read_small_count(in, expected, largest);
}

/// The number of a row, which must be first, first + 1, …
void read_row_number(Cursor& in, std::size_t row, long long& first, std::string_view thing) {
  const long long number = in.integer(thing);
  if (row == 0) {
    if (number != 0 && number != 1)
      in.fail(fmt::format("found {}, expected the first {} to be numbered 0 or 1", number, thing));
    first = number;
  } else if (number != first + static_cast<long long>(row)) {
    in.fail(fmt::format("found {} {}, expected {}", thing, number, first + static_cast<long long>(row)));
  }
}

/// Returns the number of the first node, 0 or 1.
long long read_nodes(const std::string& path, std::string_view text, TetMesh& mesh) {
  Cursor in = open_cursor(path, text);
  in.open_row("the number of points");
  const long long announced = in.integer("the number of points");
  const int dimension = in.small_integer("the dimension, 3");
  if (dimension != 3) in.fail(fmt::format("found dimension {}, expected 3", dimension));
  const int attributes = read_optional_count(in, "the number of attributes", 10000);
  const int markers = read_optional_count(in, "the number of boundary markers", 1);
  in.close_row();
  mesh.nodes.resize(in.checked_count(announced, "the number of points", 8));
  if (mesh.nodes.empty()) in.fail("the file holds no points");
  long long first = 0;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    in.open_row("a point");
    read_row_number(in, i, first, "point");
    for (double& c : mesh.nodes[i]) c = in.real("a coordinate");
    for (int a = 0; a < attributes; ++a) in.real("an attribute");
    if (markers == 1) in.integer("a boundary marker");
    in.close_row();
  }
  return first;
}

int read_region(Cursor& in) {
  const double x = in.real("the region attribute");
  if (x != std::floor(x) || std::abs(x) > std::numeric_limits<int>::max())
    in.fail(fmt::format("found the attribute {}, expected an integer, which becomes the region", x));
  return static_cast<int>(x);
}

void read_tets(const std::string& path, std::string_view text, long long first_node, TetMesh& mesh) {
  Cursor in = open_cursor(path, text);
  in.open_row("the number of tetrahedra");
  const long long announced = in.integer("the number of tetrahedra");
  const int corners = in.small_integer("the number of nodes of a tetrahedron, 4");
  if (corners == 10) in.fail(not_linear("a tetrahedron of 10 nodes"));
  if (corners != 4) in.fail(fmt::format("found {} nodes for each tetrahedron, expected 4", corners));
  const int attributes = read_optional_count(in, "the number of attributes", 10000);
  in.close_row();
  mesh.tets.resize(in.checked_count(announced, "the number of tetrahedra", 10));
  long long first = 0;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    in.open_row("a tetrahedron");
    read_row_number(in, t, first, "tetrahedron");
    for (int& i : mesh.tets[t]) i = in.index(in.integer("a node number"), first_node, mesh.nodes.size(), "node");
    for (int a = 0; a + 1 < attributes; ++a) in.real("an attribute");
    if (attributes > 0) mesh.region.push_back(read_region(in));
    in.close_row();
  }
}

}  // namespace

SolidMesh read_tetgen(const std::string& stem, const FileLoader& load) {
  MeshDraft draft;
  const long long first_node = read_nodes(stem + ".node", load(stem + ".node"), draft.mesh);
  read_tets(stem + ".ele", load(stem + ".ele"), first_node, draft.mesh);
  return finished(std::move(draft), stem + ".ele");
}

void write_tetgen(const CellsView& mesh, const std::string& stem) {
  if (mesh.per_cell != 4)
    throw InputError(stem + ".ele", "TetGen's files hold no hexahedra; .msh, .vtk, .vtu and .mesh do");
  std::string nodes = fmt::format("{} 3 0 0\n", mesh.nodes.size());
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    const Vec3& x = mesh.nodes[i];
    fmt::format_to(std::back_inserter(nodes), "{} {:.17g} {:.17g} {:.17g}\n", i, x[0], x[1], x[2]);
  }
  std::string tets = fmt::format("{} 4 {}\n", mesh.count(), mesh.region.empty() ? 0 : 1);
  for (std::size_t t = 0; t < mesh.count(); ++t) {
    const auto n = mesh.cell(t);
    fmt::format_to(std::back_inserter(tets), "{} {} {} {} {}", t, n[0], n[1], n[2], n[3]);
    if (!mesh.region.empty()) fmt::format_to(std::back_inserter(tets), " {}", mesh.region[t]);
    tets += '\n';
  }
  save_file(stem + ".node", nodes);
  save_file(stem + ".ele", tets);
}

}  // namespace limber
