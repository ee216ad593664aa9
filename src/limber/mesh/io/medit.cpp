#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/cursor.hpp"
#include "limber/mesh/io/formats.hpp"

namespace limber {
namespace {

struct MeditCell {
  std::string_view name;
  int nodes;
  Solid solid;
};
constexpr MeditCell medit_cells[] = {{"Edges", 2, Solid::none},           {"Triangles", 3, Solid::none},
                                     {"Quadrilaterals", 4, Solid::none},  {"Tetrahedra", 4, Solid::tetrahedron},
                                     {"Hexahedra", 8, Solid::hexahedron}, {"Prisms", 6, Solid::prism},
                                     {"Pyramids", 5, Solid::pyramid}};

class MeditReader {
 public:
  MeditReader(const std::string& path, std::string_view text) : in_(path, text) { in_.comments_from('#'); }

  SolidMesh read() {
    in_.keyword("MeshVersionFormatted");
    const int version = in_.small_integer("the version, 1 or 2");
    if (version < 1 || version > 4) in_.fail(fmt::format("found version {}, expected 1 or 2", version));
    for (;;) {
      const std::string section(in_.word("a section such as Vertices, or End"));
      if (section == "End") break;
      read_section(section);
    }
    return finished(std::move(draft_), in_.path());
  }

 private:
  void read_section(const std::string& section) {
    if (!std::isalpha(static_cast<unsigned char>(section[0])))
      in_.fail(fmt::format("found {}, expected a keyword such as Vertices or End", in_quotes(section)));
    if (section == "Dimension") return read_dimension();
    if (section == "Vertices") return read_vertices();
    if (section.starts_with("TetrahedraP") || section.starts_with("HexahedraQ"))
      in_.fail(not_linear("the section " + section));
    for (const MeditCell& cell : medit_cells)
      if (cell.name == section) return read_cells(cell);
    // Corners, normals, …: numbers up to the next keyword.
    while (!in_.peek().empty() && !std::isalpha(static_cast<unsigned char>(in_.peek()[0]))) in_.word("a number");
  }

  void read_dimension() {
    const int dimension = in_.small_integer("the dimension, 3");
    if (dimension != 3) in_.fail(fmt::format("found dimension {}, expected 3", dimension));
  }

  void read_vertices() {
    auto& nodes = draft_.mesh.nodes;
    const std::size_t n = in_.count("the number of vertices", 8);
    if (!nodes.empty()) in_.fail("a second section Vertices");
    nodes.resize(n);
    for (Vec3& x : nodes) {
      for (double& c : x) c = in_.real("a coordinate");
      in_.integer("the reference of a vertex");
    }
  }

  int read_node() { return in_.index(in_.integer("a vertex number"), 1, draft_.mesh.nodes.size(), "vertex"); }

  void read_cells(const MeditCell& cell) {
    const std::size_t n = in_.count("the number of cells", 2 * static_cast<std::size_t>(cell.nodes + 1));
    std::vector<int> nodes(static_cast<std::size_t>(cell.nodes));
    for (std::size_t c = 0; c < n; ++c) {
      for (int& i : nodes) i = read_node();
      const int region = in_.small_integer("the reference of a cell");
      if (draft_.add_cell(cell.solid, nodes)) draft_.mesh.region.push_back(region);
    }
  }

  Cursor in_;
  MeshDraft draft_;
};

}  // namespace

SolidMesh read_medit(const std::string& path, const FileLoader& load) {
  const std::string text = load(path);
  return MeditReader(path, text).read();
}

void write_medit(const CellsView& mesh, const std::string& path) {
  std::string out = fmt::format("MeshVersionFormatted 2\n\nDimension 3\n\nVertices\n{}\n", mesh.nodes.size());
  for (const Vec3& x : mesh.nodes)
    fmt::format_to(std::back_inserter(out), "{:.17g} {:.17g} {:.17g} 0\n", x[0], x[1], x[2]);
  out += fmt::format("\n{}\n{}\n", mesh.type("Tetrahedra", "Hexahedra"), mesh.count());
  for (std::size_t c = 0; c < mesh.count(); ++c) {
    for (const int i : mesh.cell(c)) fmt::format_to(std::back_inserter(out), "{} ", i + 1);
    fmt::format_to(std::back_inserter(out), "{}\n", mesh.region.empty() ? 0 : mesh.region[c]);
  }
  out += "\nEnd\n";
  save_file(path, out);
}

}  // namespace limber
