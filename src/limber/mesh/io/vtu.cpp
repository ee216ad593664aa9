#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/formats.hpp"
#include "limber/mesh/io/vtk_cells.hpp"
#include "limber/mesh/io/vtu_arrays.hpp"
#include "limber/mesh/io/vtu_write.hpp"

namespace limber {
namespace {

class VtuReader {
 public:
  VtuReader(const std::string& path, std::string_view text) : path_(path), file_(path, text) {}

  SolidMesh read() {
    if (!file_.grid().child("Piece")) file_.fail(file_.grid(), "expected the element Piece");
    for (const pugi::xml_node piece : file_.grid().children("Piece")) read_piece(piece);
    TetMesh& mesh = cells_.draft.mesh;
    if (!any_region_) mesh.region.clear();
    for (auto& entry : mesh.fields)
      entry.second.resize(cells_.draft.solids(), std::numeric_limits<double>::quiet_NaN());
    return finished(std::move(cells_.draft), path_);
  }

 private:
  void read_piece(pugi::xml_node piece) {
    auto& mesh = cells_.draft.mesh;
    const auto points = static_cast<std::size_t>(file_.count(piece, "NumberOfPoints"));
    const auto cells = static_cast<std::size_t>(file_.count(piece, "NumberOfCells"));
    const std::size_t first_node = mesh.nodes.size(), first_solid = cells_.draft.solids();
    if (points > 0) read_points(piece, points);
    if (cells > 0) read_cells(piece, cells, first_node);

    const pugi::xml_node of_regions = region_array(piece);
    std::vector<long long> region;
    if (of_regions) region = file_.integers(of_regions, cells);
    for (const pugi::xml_node array : piece.child("CellData").children("DataArray"))
      if (array != of_regions && file_.is_scalar(array))
        cells_.set_field(array.attribute("Name").value(), file_.any_reals(array, cells), first_solid);
    any_region_ = any_region_ || !region.empty();
    for (std::size_t s = first_solid; s < cells_.draft.solids(); ++s) {
      const long long r = region.empty() ? 0 : region[cells_.cell_of_solid[s]];
      if (r < std::numeric_limits<int>::min() || r > std::numeric_limits<int>::max())
        file_.fail(piece, fmt::format("region {} of cell {} is too large", r, cells_.cell_of_solid[s]));
      mesh.region.push_back(static_cast<int>(r));
    }
  }

  void read_points(pugi::xml_node piece, std::size_t n) {
    const pugi::xml_node array = piece.child("Points").child("DataArray");
    if (!array) file_.fail(piece, "expected the element Points with a DataArray");
    const std::vector<double> x = file_.reals(array, 3 * n);
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3 node(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
      if (!node.allFinite()) file_.fail(array, fmt::format("point {} has a coordinate that is not finite", i));
      cells_.draft.mesh.nodes.push_back(node);
    }
    if (cells_.draft.mesh.nodes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      file_.fail(array, "the file holds more points than can be numbered");
  }

  void read_cells(pugi::xml_node piece, std::size_t n, std::size_t first_node) {
    const pugi::xml_node types = cell_array(piece, "types"), nodes = cell_array(piece, "connectivity");
    const std::vector<long long> offsets = file_.integers(cell_array(piece, "offsets"), n);
    const std::vector<long long> type = file_.integers(types, n);
    if (offsets.front() < 0 || !std::is_sorted(offsets.begin(), offsets.end()) ||
        offsets.back() > std::numeric_limits<int>::max())
      file_.fail(cell_array(piece, "offsets"), "the offsets must grow from 0 or more");
    const std::vector<long long> connectivity = file_.integers(nodes, static_cast<std::size_t>(offsets.back()));
    const Fail fail = [&](const std::string& what) { file_.fail(nodes, what); };
    for (std::size_t cell = 0; cell < n; ++cell) {
      const long long* begin = connectivity.data() + (cell == 0 ? 0 : offsets[cell - 1]);
      cells_.add_cell(cell, type[cell], {begin, connectivity.data() + offsets[cell]}, first_node, fail);
    }
  }

  pugi::xml_node cell_array(pugi::xml_node piece, const char* name) const {
    const pugi::xml_node array = piece.child("Cells").find_child_by_attribute("DataArray", "Name", name);
    if (!array) file_.fail(piece, fmt::format("expected the element Cells with a DataArray named {}", name));
    return array;
  }

  static pugi::xml_node region_array(pugi::xml_node piece) {
    pugi::xml_node best;
    int best_rank = std::numeric_limits<int>::max();
    for (const pugi::xml_node array : piece.child("CellData").children("DataArray")) {
      const int rank = region_rank(array.attribute("Name").value());
      const bool integer = std::string_view(array.attribute("type").value()).find("Int") != std::string_view::npos;
      if (rank < 0 || rank >= best_rank || !integer || array.attribute("NumberOfComponents").as_int(1) > 1) continue;
      best = array;
      best_rank = rank;
    }
    return best;
  }

  std::string path_;
  VtuFile file_;
  VtkDraft cells_;
  bool any_region_ = false;
};

}  // namespace

SolidMesh read_vtu(const std::string& path, const FileLoader& load) {
  const std::string text = load(path);
  return VtuReader(path, text).read();
}

void write_vtu(const CellsView& mesh, const std::string& path) {
  const std::size_t n = mesh.count();
  std::vector<double> points;
  for (const Vec3& x : mesh.nodes) points.insert(points.end(), x.begin(), x.end());
  const std::vector<std::int64_t> connectivity(mesh.corners.begin(), mesh.corners.end());
  std::vector<std::int64_t> offsets;
  for (std::size_t c = 1; c <= n; ++c) offsets.push_back(static_cast<std::int64_t>(c * mesh.per_cell));
  const std::vector<std::uint8_t> types(n, mesh.type<std::uint8_t>(10, 12));
  const std::vector<std::int32_t> region(mesh.region.begin(), mesh.region.end());

  std::string out =
      vtu_head() + fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n", mesh.nodes.size(), n);
  out += "<Points>\n" + vtu_array("Points", 3, points) + "</Points>\n<Cells>\n";
  out += vtu_array("connectivity", 1, connectivity) + vtu_array("offsets", 1, offsets);
  out += vtu_array("types", 1, types) + "</Cells>\n";
  out += region.empty() ? "<CellData>\n" : "<CellData Scalars=\"region\">\n" + vtu_array("region", 1, region);
  for (const auto& [name, values] : mesh.fields) out += vtu_array(name, 1, values);
  out += "</CellData>\n</Piece>\n" + vtu_tail();
  save_file(path, out);
}

}  // namespace limber
