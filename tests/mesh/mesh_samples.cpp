#include "mesh/mesh_samples.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>

#include "limber/core/errors.hpp"
#include "mesh/binary.hpp"

namespace limber::test {
namespace {

const std::vector<int> regions{1, 1, 2, 2, 12};

/// Gmsh 2.2 binary in the order that is not this machine's; node tags 10, 20, …; a triangle; physical 0 where `region`
/// is to come from the entity.
std::string gmsh22_swapped() {
  const auto other = std::endian::native == std::endian::little ? std::endian::big : std::endian::little;
  const TetMesh m = expected_cube();
  Binary b(other);
  b.text("$MeshFormat\n2.2 1 8\n").put(std::int32_t{1}).text("\n$EndMeshFormat\n");
  b.text("$Nodes\n8\n");
  for (int i = 0; i < 8; ++i) {
    b.put(std::int32_t{10 * (i + 1)});
    for (const double c : m.nodes[i]) b.put(c);
  }
  b.text("\n$EndNodes\n$Elements\n6\n").ints({2, 1, 2, 1, 7, 7, 10, 20, 40}).ints({4, 5, 2});
  for (int t = 0; t < 5; ++t) {
    b.ints({t + 2, t == 4 ? 0 : regions[t], t == 4 ? 12 : 99});
    for (const int i : m.tets[t]) b.put(std::int32_t{10 * (i + 1)});
  }
  return b.text("\n$EndElements\n").out;
}

/// Gmsh 4.1 binary: sparse tags in descending order, parametric nodes, three volumes of which the last has no physical
/// tag, and sections that are not read.
std::string gmsh41_binary(std::endian order) {
  const TetMesh m = expected_cube();
  const auto tag = [](int i) { return static_cast<std::uint64_t>(1000 - 7 * i); };
  Binary b(order);
  b.text("$MeshFormat\n4.1 1 8\n").put(std::int32_t{1}).text("\n$EndMeshFormat\n");
  b.text("$PhysicalNames\n1\n3 1 \"a \\ b\"\n$EndPhysicalNames\n$Entities\n").sizes({1, 0, 0, 3});
  b.ints({5}).put(0.0).put(0.0).put(0.0).sizes({0});
  for (const int volume : {4, 6, 12}) {
    b.ints({volume});
    for (int k = 0; k < 6; ++k) b.put(std::numbers::pi);
    if (volume == 12)
      b.sizes({0});
    else
      b.sizes({2}).ints({volume == 4 ? 1 : 2, 77});
    b.sizes({2}).ints({1, -2});
  }
  b.text("\n$EndEntities\n$Nodes\n").sizes({2, 8, 951, 1000});
  for (const int first : {0, 4}) {
    const int dimension = first == 0 ? 2 : 3;
    b.ints({dimension, 1, first == 0 ? 1 : 0}).sizes({4});
    for (int i = first; i < first + 4; ++i) b.put(tag(i));
    for (int i = first; i < first + 4; ++i) {
      for (const double c : m.nodes[i]) b.put(c);
      if (first == 0) b.put(0.25).put(0.5);
    }
  }
  b.text("\n$EndNodes\n$Periodic\n").sizes({0}).text("\n$EndPeriodic\n$Elements\n").sizes({4, 6, 1, 6});
  b.ints({2, 1, 2}).sizes({1, 1, tag(0), tag(1), tag(3)});
  int t = 0;
  for (const auto& [volume, n] : std::vector<std::pair<int, int>>{{4, 2}, {6, 2}, {12, 1}}) {
    b.ints({3, volume, 4}).sizes({static_cast<std::uint64_t>(n)});
    for (int k = 0; k < n; ++k, ++t) {
      b.sizes({static_cast<std::uint64_t>(t + 2)});
      for (const int i : m.tets[t]) b.put(tag(i));
    }
  }
  return b.text("\n$EndElements\n").out;
}

std::string gmsh41_partitioned() {
  std::string s =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Comments\n any thing $Nodes\n$EndComments\n"
      "$PartitionedEntities\n2\n1\n3 1\n0 0 0 1\n8 3 1 2 1 2 0 0 0 1 1 1 1 42 0\n$EndPartitionedEntities\n";
  s += "$Nodes\n1 8 1 8\n3 8 0 8\n1 2 3 4 5 6 7 8\n";
  for (const Vec3& x : expected_cube().nodes) s += numbers(x) + "\n";
  s += "$EndNodes\n$Elements\n1 5 1 5\n3 8 4 5\n";
  for (const auto& t : expected_cube().tets)
    s += fmt::format("1 {} {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1, t[3] + 1);
  return s + "$EndElements\n";
}

/// The layout of VTK 5.1, with data that is passed over, and an integer array in a FIELD.
std::string vtk51_ascii() {
  std::string s =
      "# vtk DataFile Version 5.1\r\nvtk output\r\nASCII\r\nDATASET UNSTRUCTURED_GRID\r\n"
      "FIELD FieldData 1\r\nTIME 1 1 double\r\n0.5\r\nMETADATA\r\nINFORMATION 0\r\n\r\nPOINTS 8 double\r\n";
  for (const Vec3& x : expected_cube().nodes) s += numbers(x) + "\r\n";
  s += "METADATA\nINFORMATION 2\nNAME L2_NORM_RANGE LOCATION vtkDataArray\nDATA 2 0 3.2\n\n";
  s += "CELLS 7 23\nOFFSETS vtktypeint64\n0 3 7 11 15 19 23\nCONNECTIVITY vtktypeint64\n0 1 3\n";
  for (const auto& t : expected_cube().tets) s += fmt::format("{} {} {} {}\n", t[0], t[1], t[2], t[3]);
  s += "CELL_TYPES 6\n5\n10\n10\n10\n10\n10\n\nPOINT_DATA 8\nVECTORS u float\n";
  for (int i = 0; i < 24; ++i) s += "nan ";
  s += "\nCELL_DATA 6\nNORMALS n double\n" + std::string("0 0 1\n0 0 1\n0 0 1\n0 0 1\n0 0 1\n0 0 1\n");
  s += "FIELD FieldData 3\nmaterial 1 6 double\n.5 .5 .5 .5 .5 .5\nCellEntityIds 1 6 int\n3 3 3 3 3 3\n"
       "MaterialIds 1 6 vtkIdType\n7 1 1 2 2 12\n";
  return s;
}

std::string vtk51_binary() {
  const TetMesh m = expected_cube();
  Binary b(std::endian::big);
  b.text("# vtk DataFile Version 5.1\nx\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 double\n");
  for (const Vec3& x : m.nodes)
    for (const double c : x) b.put(c);
  b.text("\nCELLS 7 23\nOFFSETS vtktypeint64\n").sizes({0, 3, 7, 11, 15, 19, 23});
  b.text("\nCONNECTIVITY vtktypeint64\n").sizes({0, 1, 3});
  for (const auto& t : m.tets)
    for (const int i : t) b.put(std::int64_t{i});
  b.text("\nCELL_TYPES 6\n").ints({5, 10, 10, 10, 10, 10});
  b.text("\nCELL_DATA 6\nSCALARS material unsigned_char\nLOOKUP_TABLE default\n");
  for (const int r : {7, 1, 1, 2, 2, 12}) b.put(static_cast<std::uint8_t>(r));
  b.text("\nVECTORS u float\n");
  for (int i = 0; i < 18; ++i) b.put(1.5f);
  return b.text("\n").out;
}

enum class Packing { plain, zlib };

template <class Header>
std::string packed(const std::string& bytes, Packing packing, std::endian order) {
  Binary b(order);
  if (packing == Packing::plain) return b.put(static_cast<Header>(bytes.size())).text(bytes).out;
  constexpr std::size_t block = 48;
  const std::size_t full = bytes.size() / block, last = bytes.size() % block, blocks = full + (last > 0 ? 1 : 0);
  b.put(static_cast<Header>(blocks)).put(static_cast<Header>(block)).put(static_cast<Header>(last));
  std::string data;
  for (std::size_t at = 0; at < bytes.size(); at += block) {
    const std::string part = bytes.substr(at, block);
    uLongf size = compressBound(part.size());
    std::string out(size, '\0');
    compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(part.data()), part.size());
    b.put(static_cast<Header>(size));
    data += out.substr(0, size);
  }
  return b.text(data).out;
}

/// Appended raw data.
template <class Header>
std::string vtu_raw(Packing packing, std::endian order) {
  const TetMesh m = expected_cube();
  Binary points(order), nodes(order), offsets(order), types(order), region(order);
  for (const Vec3& x : m.nodes)
    for (const double c : x) points.put(c);
  for (const auto& t : m.tets)
    for (const int i : t) nodes.put(std::int32_t{i});
  offsets.ints({4, 8, 12, 16, 20});
  for (int t = 0; t < 5; ++t) types.put(std::uint8_t{10});
  for (const int r : regions) region.put(static_cast<std::int16_t>(r));
  std::string data = "_", xml;
  const auto array = [&](const char* name, const char* type, const Binary& values) {
    const std::string s = fmt::format("<DataArray type=\"{}\" Name=\"{}\" format=\"appended\" offset=\"{}\"/>\n", type,
                                      name, data.size() - 1);
    data += packed<Header>(values.out, packing, order);
    return s;
  };
  xml = fmt::format("<VTKFile type=\"UnstructuredGrid\" byte_order=\"{}\" header_type=\"UInt{}\"{}>\n",
                    order == std::endian::little ? "LittleEndian" : "BigEndian", 8 * sizeof(Header),
                    packing == Packing::zlib ? " compressor=\"vtkZLibDataCompressor\"" : "");
  xml += "<UnstructuredGrid><Piece NumberOfPoints=\"8\" NumberOfCells=\"5\">\n<CellData>" +
         array("MaterialIds", "Int16", region) + "</CellData>\n<Points>" + array("Points", "Float64", points) +
         "</Points>\n<Cells>" + array("connectivity", "Int32", nodes) + array("offsets", "Int32", offsets) +
         array("types", "UInt8", types) + "</Cells></Piece></UnstructuredGrid>\n";
  return xml + "<AppendedData encoding=\"raw\">\n" + data + "\n</AppendedData>\n</VTKFile>\n";
}

/// The arrays of an inline file, moved into an appended section in base64.
std::string vtu_appended_base64(const std::string& inline_file) {
  std::string xml, data;
  std::size_t at = 0;
  const std::string mark = "format=\"binary\">";
  for (std::size_t found; (found = inline_file.find(mark, at)) != std::string::npos;) {
    const std::size_t begin = found + mark.size(), end = inline_file.find('<', begin);
    xml += inline_file.substr(at, found - at) + fmt::format("format=\"appended\" offset=\"{}\">", data.size());
    for (const char c : inline_file.substr(begin, end - begin))
      if (c != '\n') data += c;
    at = end;
  }
  xml += inline_file.substr(at);
  xml.insert(xml.find("</VTKFile>"), "<AppendedData encoding=\"base64\">_" + data + "</AppendedData>\n");
  return xml;
}

std::string vtu_two_pieces() {
  const TetMesh m = expected_cube();
  std::string points;
  for (int i = 0; i < 8; ++i) points += numbers(m.nodes[i]) + "\n";
  const auto piece = [&](int first, int last, int point_count) {
    std::string nodes, offsets, types, region;
    for (int t = first; t < last; ++t) {
      for (const int i : m.tets[t]) nodes += fmt::format("{} ", i);
      offsets += fmt::format("{} ", 4 * (t - first + 1));
      types += "10 ";
      region += fmt::format("{} ", regions[t]);
    }
    return fmt::format(
        "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n<Points><DataArray type=\"Float64\" "
        "NumberOfComponents=\"3\" format=\"ascii\">{}</DataArray></Points>\n<Cells>"
        "<DataArray type=\"Int64\" Name=\"connectivity\">{}</DataArray>"
        "<DataArray type=\"Int64\" Name=\"offsets\">{}</DataArray>"
        "<DataArray type=\"UInt8\" Name=\"types\">{}</DataArray></Cells>"
        "<CellData><DataArray type=\"Int32\" Name=\"region\">{}</DataArray></CellData></Piece>\n",
        point_count, last - first, point_count > 0 ? points : "", nodes, offsets, types, region);
  };
  return "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>\n" + piece(0, 5, 8) + piece(5, 5, 0) +
         "</UnstructuredGrid></VTKFile>\n";
}

std::string medit_version_1() {
  std::string s = "MeshVersionFormatted 1\n# a comment 12\nDimension\n3\nVertices 9\n";
  for (const Vec3& x : expected_cube().nodes) s += numbers(x) + " 0 # ref\n";
  s += "9 9 9 0\nCorners 2\n1 2\nEdges\n1\n1 9 3\nNormals 1\n0 0 1\nTetrahedra 5\n";
  for (int t = 0; t < 5; ++t) {
    const auto n = expected_cube().tets[t];
    s += fmt::format("{} {} {} {} {}\n", n[0] + 1, n[1] + 1, n[2] + 1, n[3] + 1, regions[t]);
  }
  return s + "End\n";
}

Sample tetgen_one_based() {
  const TetMesh m = expected_cube();
  std::string nodes = "# nodes\n\n8 3 1 1\n", tets = "5  4  2 # attributes\n";
  for (int i = 0; i < 8; ++i) nodes += fmt::format("  {} {}  0.5 {}\n", i + 1, numbers(m.nodes[i]), -1);
  for (int t = 0; t < 5; ++t) {
    const auto& n = m.tets[t];
    tets += fmt::format("{} {} {} {} {} 1.5 {}\n", t + 1, n[0] + 1, n[1] + 1, n[2] + 1, n[3] + 1, regions[t]);
  }
  return {"tetgen, from 1", "a.1.node", {{"a.1.node", nodes}, {"a.1.ele", tets + "# end\n"}}, regions};
}

Sample stored(const std::string& name, std::vector<int> region) {
  const std::string dir = std::string(LIMBER_SOURCE_DIR) + "/tests/mesh/data/";
  Sample s{name, name, {{name, file_contents(dir + name)}}, std::move(region)};
  if (name.ends_with(".node")) s.files["meshio.ele"] = file_contents(dir + "meshio.ele");
  return s;
}

Sample made(const std::string& label, const std::string& file, std::string contents, std::vector<int> region) {
  return {label, file, {{file, std::move(contents)}}, std::move(region)};
}

std::vector<Sample> make_samples() {
  std::vector<Sample> s;
  for (const char* name : {"gmsh22_ascii.msh", "gmsh22_binary.msh", "vtk42_ascii.vtk", "vtk42_binary.vtk", "ascii.vtu",
                           "base64.vtu", "zlib.vtu", "meshio.mesh", "meshio.node"})
    s.push_back(stored(name, regions));
  const std::vector<int> ones(5, 1);
  s.push_back(stored("gmsh41_ascii.msh", ones));
  s.push_back(stored("gmsh41_binary.msh", ones));
  s.push_back(made("gmsh 2.2 swapped", "a.msh", gmsh22_swapped(), regions));
  s.push_back(made("gmsh 4.1 little endian", "a.msh", gmsh41_binary(std::endian::little), regions));
  s.push_back(made("gmsh 4.1 big endian", "a.msh", gmsh41_binary(std::endian::big), regions));
  s.push_back(made("gmsh 4.1 partitioned", "a.msh", gmsh41_partitioned(), std::vector<int>(5, 42)));
  s.push_back(made("vtk 5.1 ascii", "a.vtk", vtk51_ascii(), regions));
  s.push_back(made("vtk 5.1 binary", "a.VTK", vtk51_binary(), regions));
  s.push_back(made("vtu raw 32", "a.vtu", vtu_raw<std::uint32_t>(Packing::plain, std::endian::little), regions));
  s.push_back(made("vtu raw 64 big", "a.vtu", vtu_raw<std::uint64_t>(Packing::plain, std::endian::big), regions));
  s.push_back(made("vtu raw zlib 64", "a.vtu", vtu_raw<std::uint64_t>(Packing::zlib, std::endian::little), regions));
  s.push_back(made("vtu raw zlib 32 big", "a.vtu", vtu_raw<std::uint32_t>(Packing::zlib, std::endian::big), regions));
  for (const int k : {5, 6})
    s.push_back(made("appended " + s[k].label, "a.vtu", vtu_appended_base64(s[k].files.begin()->second), regions));
  s.push_back(made("vtu pieces", "a.vtu", vtu_two_pieces(), regions));
  s.push_back(made("medit 1", "a.mesh", medit_version_1(), regions));
  s.push_back(tetgen_one_based());
  return s;
}

}  // namespace

std::vector<Sample> all_samples() {
  static const std::vector<Sample> samples = make_samples();
  return samples;
}

std::string numbers(const Vec3& x) { return fmt::format("{:.17g} {:.17g} {:.17g}", x[0], x[1], x[2]); }

const Sample& sample(const std::string& label) {
  static const std::vector<Sample> samples = all_samples();
  for (const Sample& s : samples)
    if (s.label == label) return s;
  throw std::logic_error("no sample " + label);
}

TetMesh expected_cube() {
  TetMesh m;
  for (int i = 0; i < 8; ++i) m.nodes.emplace_back((i & 1) / 3., (i >> 1 & 1) * .1, (i >> 2) * std::numbers::pi);
  m.tets = {{{0, 5, 3, 6}, {1, 3, 0, 5}, {2, 0, 3, 6}, {4, 5, 0, 6}, {7, 5, 6, 3}}};
  return m;
}

ScratchDir::ScratchDir() {
  std::string name = (std::filesystem::temp_directory_path() / "limber_mesh_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
  dir_ = name;
}

ScratchDir::~ScratchDir() {
  std::error_code ignored;
  std::filesystem::remove_all(dir_, ignored);
}

std::string ScratchDir::put(const std::string& name, const std::string& contents) const {
  std::ofstream(path(name), std::ios::binary) << contents;
  return path(name);
}

std::string file_contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot open " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string reading_error(const std::string& path) {
  try {
    read_mesh(path);
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

}  // namespace limber::test
