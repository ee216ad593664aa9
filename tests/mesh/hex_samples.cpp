#include "mesh/hex_samples.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>
#include <random>

#include "mesh/binary.hpp"

namespace limber::test {
namespace {

constexpr int spare = 12;  // the node that no hexahedron uses
const std::vector<int> hex_regions{1, 12};
const std::vector<int> quad{0, 1, 4, spare};

std::vector<Vec3> all_nodes() {
  std::vector<Vec3> nodes = expected_hexes().nodes;
  nodes.emplace_back(9, 9, 9);
  return nodes;
}

template <class Cell>
std::string tags(const Cell& cell, int first) {
  std::string s;
  for (const int i : cell) s += fmt::format(" {}", i + first);
  return s;
}

std::string gmsh22_ascii() {
  std::string s =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 12 \"hard\"\n$EndPhysicalNames\n"
      "$Nodes\n13\n";
  for (int i = 0; i < 13; ++i) s += fmt::format("{} {}\n", 10 + i, numbers(all_nodes()[static_cast<std::size_t>(i)]));
  const HexMesh m = expected_hexes();
  s += "$EndNodes\n$Elements\n3\n7 5 2 1 1" + tags(m.hexes[0], 10) + "\n8 3 2 5 5" + tags(quad, 10) + "\n9 5 2 0 12" +
       tags(m.hexes[1], 10) + "\n$EndElements\n";
  return s + "$ElementData\n1\n\"E\"\n1\n0\n3\n0\n1\n3\n9 2e5\n8 7\n7 1e5\n$EndElementData\n";
}

std::string gmsh22_binary(std::endian order) {
  const HexMesh m = expected_hexes();
  const std::vector<Vec3> nodes = all_nodes();
  Binary b(order);
  b.text("$MeshFormat\n2.2 1 8\n").put(std::int32_t{1}).text("\n$EndMeshFormat\n$Nodes\n13\n");
  for (int i = 0; i < 13; ++i) {
    b.put(std::int32_t{i + 10});
    for (const double c : nodes[static_cast<std::size_t>(i)]) b.put(c);
  }
  b.text("\n$EndNodes\n$Elements\n3\n").ints({3, 1, 2, 8, 5, 5});
  for (const int i : quad) b.put(std::int32_t{i + 10});
  b.ints({5, 2, 2});
  for (int h = 0; h < 2; ++h) {
    b.ints({h == 0 ? 7 : 9, hex_regions[static_cast<std::size_t>(h)], 99});
    for (const int i : m.hexes[static_cast<std::size_t>(h)]) b.put(std::int32_t{i + 10});
  }
  b.text("\n$EndElements\n$ElementData\n1\n\"E\"\n1\n0\n3\n0\n1\n2\n").ints({7}).put(1e5).ints({9}).put(2e5);
  return b.text("\n$EndElementData\n").out;
}

std::string gmsh41_ascii() {
  const HexMesh m = expected_hexes();
  std::string s =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 2\n3 0 0 0 1 1 1 1 1 0\n4 0 0 0 1 1 1 1 12 0\n"
      "$EndEntities\n$Nodes\n1 13 1 13\n3 3 0 13\n1 2 3 4 5 6 7 8 9 10 11 12 13\n";
  for (const Vec3& x : all_nodes()) s += numbers(x) + "\n";
  s += "$EndNodes\n$Elements\n3 3 7 9\n2 1 3 1\n8" + tags(quad, 1) + "\n3 3 5 1\n7" + tags(m.hexes[0], 1) +
       "\n3 4 5 1\n9" + tags(m.hexes[1], 1) + "\n$EndElements\n";
  return s + "$ElementData\n1\n\"E\"\n1\n0\n3\n0\n1\n2\n7 1e5\n9 2e5\n$EndElementData\n";
}

std::string hex_gmsh41_binary(std::endian order) {
  const HexMesh m = expected_hexes();
  Binary b(order);
  b.text("$MeshFormat\n4.1 1 8\n").put(std::int32_t{1}).text("\n$EndMeshFormat\n$Entities\n").sizes({0, 0, 0, 2});
  for (int v = 0; v < 2; ++v) {
    b.ints({3 + v});
    for (int k = 0; k < 6; ++k) b.put(1.);
    b.sizes({1}).ints({hex_regions[static_cast<std::size_t>(v)]}).sizes({0});
  }
  b.text("\n$EndEntities\n$Nodes\n").sizes({1, 13, 1, 13}).ints({3, 3, 0}).sizes({13});
  for (std::uint64_t i = 1; i <= 13; ++i) b.put(i);
  for (const Vec3& x : all_nodes())
    for (const double c : x) b.put(c);
  b.text("\n$EndNodes\n$Elements\n").sizes({3, 3, 7, 9}).ints({2, 1, 3}).sizes({1, 8});
  for (const int i : quad) b.put(static_cast<std::uint64_t>(i + 1));
  for (int h = 0; h < 2; ++h) {
    b.ints({3, 3 + h, 5}).sizes({1, h == 0 ? 7u : 9u});
    for (const int i : m.hexes[static_cast<std::size_t>(h)]) b.put(static_cast<std::uint64_t>(i + 1));
  }
  b.text("\n$EndElements\n$ElementData\n1\n\"E\"\n1\n0\n3\n0\n1\n2\n").ints({7}).put(1e5).ints({9}).put(2e5);
  return b.text("\n$EndElementData\n").out;
}

const std::string vtk_data =
    "CELL_DATA 3\nSCALARS region int 1\nLOOKUP_TABLE default\n1 5 12\nFIELD f 1\nE 1 3 double\n1e5 7 2e5\n";

std::string vtk_ascii(int type) {
  HexMesh m = expected_hexes();
  if (type == 11)
    for (auto& hex : m.hexes) std::swap(hex[2], hex[3]), std::swap(hex[6], hex[7]);
  std::string s = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 13 double\n";
  for (const Vec3& x : all_nodes()) s += numbers(x) + "\n";
  s += "CELLS 3 23\n8" + tags(m.hexes[0], 0) + "\n4" + tags(quad, 0) + "\n8" + tags(m.hexes[1], 0);
  return s + fmt::format("\nCELL_TYPES 3\n{}\n9\n{}\n", type, type) + vtk_data;
}

std::string hex_vtk51_binary() {
  const HexMesh m = expected_hexes();
  Binary b(std::endian::big);
  b.text("# vtk DataFile Version 5.1\nx\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 13 double\n");
  for (const Vec3& x : all_nodes())
    for (const double c : x) b.put(c);
  b.text("\nCELLS 4 20\nOFFSETS vtktypeint64\n").sizes({0, 8, 12, 20}).text("\nCONNECTIVITY vtktypeint64\n");
  for (const int i : m.hexes[0]) b.put(std::int64_t{i});
  for (const int i : quad) b.put(std::int64_t{i});
  for (const int i : m.hexes[1]) b.put(std::int64_t{i});
  b.text("\nCELL_TYPES 3\n").ints({12, 9, 12});
  b.text("\nCELL_DATA 3\nSCALARS region int 1\nLOOKUP_TABLE default\n").ints({1, 5, 12});
  b.text("\nFIELD f 1\nE 1 3 double\n");
  return b.put(1e5).put(7.).put(2e5).text("\n").out;
}

std::string vtu_ascii() {
  const HexMesh m = expected_hexes();
  std::string points;
  for (const Vec3& x : all_nodes()) points += numbers(x) + "\n";
  return "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>\n<Piece NumberOfPoints=\"13\" NumberOfCells=\"3\">\n"
         "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">" +
         points + "</DataArray></Points>\n<Cells><DataArray type=\"Int64\" Name=\"connectivity\">" +
         tags(m.hexes[0], 0) + tags(quad, 0) + tags(m.hexes[1], 0) +
         "</DataArray><DataArray type=\"Int64\" Name=\"offsets\">8 12 20</DataArray>"
         "<DataArray type=\"UInt8\" Name=\"types\">12 9 12</DataArray></Cells>\n<CellData>"
         "<DataArray type=\"Int32\" Name=\"region\">1 5 12</DataArray>"
         "<DataArray type=\"Float64\" Name=\"E\">1e5 7 2e5</DataArray></CellData></Piece>\n"
         "</UnstructuredGrid></VTKFile>\n";
}

std::string hex_medit() {
  const HexMesh m = expected_hexes();
  std::string s = "MeshVersionFormatted 2\nDimension 3\nVertices 13\n";
  for (const Vec3& x : all_nodes()) s += numbers(x) + " 0\n";
  s += "Quadrilaterals 1\n" + tags(quad, 1) + " 5\nHexahedra 2\n";
  for (std::size_t h = 0; h < 2; ++h) s += tags(m.hexes[h], 1) + fmt::format(" {}\n", hex_regions[h]);
  return s + "End\n";
}

}  // namespace

std::vector<Sample> hex_samples() {
  const auto made = [](const std::string& label, const std::string& file, const std::string& contents) {
    return Sample{"hexes, " + label, file, {{file, contents}}, hex_regions};
  };
  return {made("gmsh 2.2 ascii", "a.msh", gmsh22_ascii()),
          made("gmsh 2.2 little endian", "a.msh", gmsh22_binary(std::endian::little)),
          made("gmsh 2.2 big endian", "a.msh", gmsh22_binary(std::endian::big)),
          made("gmsh 4.1 ascii", "a.msh", gmsh41_ascii()),
          made("gmsh 4.1 little endian", "a.msh", hex_gmsh41_binary(std::endian::little)),
          made("gmsh 4.1 big endian", "a.msh", hex_gmsh41_binary(std::endian::big)),
          made("vtk ascii", "a.vtk", vtk_ascii(12)),
          made("vtk voxels", "a.vtk", vtk_ascii(11)),
          made("vtk 5.1 binary", "a.vtk", hex_vtk51_binary()),
          made("vtu", "a.vtu", vtu_ascii()),
          made("medit", "a.mesh", hex_medit())};
}

HexMesh expected_hexes() {
  HexMesh m;
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 2; ++j)
      for (int i = 0; i < 3; ++i) m.nodes.emplace_back(i / 3., .1 * j, .7 * k);
  m.nodes[4] += Vec3(.01, .02, -.03);
  m.hexes = {{0, 1, 4, 3, 6, 7, 10, 9}, {1, 2, 5, 4, 7, 8, 11, 10}};
  return m;
}

HexMesh shuffled_cells(const std::array<int, 3>& cells, unsigned seed) {
  const ElementMesh box = box_hexahedra(Vec3::Zero(), Vec3(cells[0], cells[1], cells[2]), cells);
  std::vector<int> number(box.nodes.size());
  std::iota(number.begin(), number.end(), 0);
  std::mt19937 random(seed);
  std::shuffle(number.begin(), number.end(), random);
  HexMesh m;
  m.nodes.resize(box.nodes.size());
  for (std::size_t i = 0; i < number.size(); ++i) m.nodes[static_cast<std::size_t>(number[i])] = box.nodes[i];
  for (std::size_t e = 0; e < box.count(); ++e) {
    auto& hex = m.hexes.emplace_back();
    for (std::size_t a = 0; a < 8; ++a) hex[a] = number[static_cast<std::size_t>(box.element(e)[a])];
  }
  return m;
}

}  // namespace limber::test
