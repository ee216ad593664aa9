#include <fmt/format.h>

#include <cstdint>
#include <filesystem>

#include "limber/exchange/formats.hpp"
#include "limber/mesh/io/vtu_write.hpp"
#include "limber/record/files.hpp"

namespace limber {
namespace {

constexpr std::uint8_t vtk_line = 3, vtk_triangle = 5, vtk_tetrahedron = 10;

template <class T>
std::vector<T> flat(const std::vector<Vec3>& points) {
  std::vector<T> all;
  all.reserve(3 * points.size());
  for (const Vec3& x : points)
    for (const double c : x) all.push_back(static_cast<T>(c));
  return all;
}

std::string floats(const std::string& name, const std::vector<double>& values) {
  return vtu_array(name, 1, std::vector<float>(values.begin(), values.end()));
}

struct Cells {
  std::vector<std::int32_t> connectivity, offsets;
  std::vector<std::uint8_t> types;

  template <class Group>
  void add(const Group& group, std::uint8_t type) {
    for (const auto& cell : group) {
      connectivity.insert(connectivity.end(), cell.begin(), cell.end());
      offsets.push_back(static_cast<std::int32_t>(connectivity.size()));
      types.push_back(type);
    }
  }
};

/// The cells, the same in every frame.
std::string cell_text(const MovingCells& moving) {
  Cells cells;
  cells.add(moving.tets, vtk_tetrahedron);
  cells.add(moving.triangles, vtk_triangle);
  cells.add(moving.lines, vtk_line);
  return "<Cells>\n" + vtu_array("connectivity", 1, cells.connectivity) + vtu_array("offsets", 1, cells.offsets) +
         vtu_array("types", 1, cells.types) + "</Cells>\n";
}

std::string frame_text(const MovingCells& moving, const CellFrame& frame, const std::string& cells) {
  std::vector<Vec3> displacement = frame.positions;
  for (std::size_t i = 0; i < displacement.size(); ++i) displacement[i] -= moving.rest[i];
  std::string out = vtu_head() + fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n", moving.rest.size(),
                                             moving.body.size());
  out += "<Points>\n" + vtu_array("Points", 3, flat<double>(frame.positions)) + "</Points>\n" + cells;
  out += "<PointData Vectors=\"displacement\">\n" + vtu_array("displacement", 3, flat<float>(displacement));
  if (!frame.velocities.empty()) out += vtu_array("velocity", 3, flat<float>(frame.velocities));
  out += "</PointData>\n<CellData>\n";
  if (!frame.von_mises.empty()) out += floats("von_mises", frame.von_mises);
  if (!frame.energy_density.empty()) out += floats("energy_density", frame.energy_density);
  out += vtu_array("body", 1, std::vector<std::int32_t>(moving.body.begin(), moving.body.end()));
  return out + "</CellData>\n</Piece>\n" + vtu_tail();
}

}  // namespace

Files export_vtu(const MovingCells& moving, const ExportTarget& target) {
  ExportTarget single = target;
  single.path = target.beside(".vtu");
  const std::string cells = cell_text(moving);
  std::string list = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n";
  Files files;
  for (std::size_t k = 0; k < moving.times.size(); ++k) {
    files.push_back(single.frame_path(k));
    write_atomically(files.back(), frame_text(moving, moving.frame(k), cells));
    list += fmt::format("<DataSet timestep=\"{}\" group=\"\" part=\"0\" file=\"{}\"/>\n", moving.times[k],
                        xml_escaped(std::filesystem::path(files.back()).filename().string()));
    target.progress(k + 1, moving.times.size());
  }
  if (target.numbering == Numbering::one_file) return files;
  files.insert(files.begin(), target.beside(".pvd"));
  write_atomically(files.front(), list + "</Collection>\n</VTKFile>\n");
  return files;
}

}  // namespace limber
