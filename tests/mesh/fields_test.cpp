#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "limber/core/base64.hpp"
#include "limber/core/errors.hpp"
#include "limber/mesh/io/cursor.hpp"
#include "limber/mesh/io/formats.hpp"
#include "limber/mesh/tet_mesh.hpp"
#include "mesh/mesh_samples.hpp"

namespace limber::test {
namespace {

using Fields = std::map<std::string, std::vector<double>>;

// A triangle between two tetrahedra: its values belong to no tetrahedron.
const std::string vtk_head = "# vtk DataFile Version 3.0\nx\n";
const std::string vtk_cells =
    "\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n0 0 0 1 0 0 0 1 0 0 0 1 1 1 1\n"
    "CELLS 3 14\n4 0 1 2 3\n3 0 1 2\n4 1 2 3 4\nCELL_TYPES 3\n10\n5\n10\n";

std::string ascii_vtk(const std::string& data) { return vtk_head + "ASCII" + vtk_cells + data; }

template <class T>
std::string big(std::initializer_list<T> values) {
  std::string out;
  for (T x : values) {
    if (native_is_little) x = swapped_bytes(x);
    out.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  return out;
}

std::string binary_vtk(const std::string& data) {
  return vtk_head + "BINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n" +
         big<double>({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}) + "\nCELLS 3 14\n" +
         big<std::int32_t>({4, 0, 1, 2, 3, 3, 0, 1, 2, 4, 1, 2, 3, 4}) + "\nCELL_TYPES 3\n" +
         big<std::int32_t>({10, 5, 10}) + "\n" + data;
}

std::string vtu(const std::string& data, const std::string& attributes = "", const std::string& appended = "") {
  return "<VTKFile type=\"UnstructuredGrid\" header_type=\"UInt64\" byte_order=\"" +
         std::string(native_is_little ? "LittleEndian" : "BigEndian") + "\"" + attributes +
         ">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"5\" NumberOfCells=\"3\">\n"
         "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 0 1 0 0 0 1 1 1 1"
         "</DataArray></Points>\n<Cells><DataArray type=\"Int32\" Name=\"connectivity\">0 1 2 3 0 1 2 1 2 3 4"
         "</DataArray><DataArray type=\"Int32\" Name=\"offsets\">4 7 11</DataArray>"
         "<DataArray type=\"UInt8\" Name=\"types\">10 5 10</DataArray></Cells>\n<CellData>\n" +
         data + "</CellData></Piece></UnstructuredGrid>\n" + appended + "</VTKFile>\n";
}

TetMesh read(const std::string& name, const std::string& contents) {
  const ScratchDir dir;
  return read_mesh(dir.put(name, contents));
}

TEST(MeshFields, LegacyText) {
  const TetMesh m = read("a.vtk", ascii_vtk("CELL_DATA 3\n"
                                            "SCALARS E double 1\nLOOKUP_TABLE default\n1e5 7 2.5e5\n"
                                            "SCALARS region int\nLOOKUP_TABLE default\n4 0 5\n"
                                            "VECTORS fibre float\n1 0 0 0 1 0 0 0 1\n"
                                            "FIELD more 4\nrho 1 3 float\n900 7 nan\ncount 1 3 int\n-3 0 12\n"
                                            "pair 2 3 float\n1 2 3 4 5 6\nyoung%20of%25 1 3 double\n1 2 3\n"
                                            "POINT_DATA 5\nSCALARS T double\nLOOKUP_TABLE default\n1 2 3 4 5\n"));
  EXPECT_EQ(m.region, (std::vector<int>{4, 5}));
  ASSERT_EQ(m.fields.size(), 4u);
  EXPECT_EQ(m.fields.at("E"), (std::vector<double>{1e5, 2.5e5}));
  EXPECT_EQ(m.fields.at("count"), (std::vector<double>{-3, 12}));
  EXPECT_EQ(m.fields.at("young of%"), (std::vector<double>{1, 3}));
  EXPECT_EQ(m.fields.at("rho")[0], 900);
  EXPECT_TRUE(std::isnan(m.fields.at("rho")[1]));
}

TEST(MeshFields, OnlyTheBestOfSeveralRegionsIsNoField) {
  const TetMesh m = read("a.vtk", ascii_vtk("CELL_DATA 3\nFIELD f 3\nmaterial 1 3 int\n1 2 3\nregion 1 3 int\n4 5 6\n"
                                            "subdomain 1 3 int\n7 8 9\n"));
  EXPECT_EQ(m.region, (std::vector<int>{4, 6}));
  EXPECT_EQ(m.fields, (Fields{{"material", {1, 3}}, {"subdomain", {7, 9}}}));
}

TEST(MeshFields, LegacyBinary) {
  const TetMesh m = read(
      "a.vtk", binary_vtk("CELL_DATA 3\nSCALARS E double 1\nLOOKUP_TABLE default\n" + big<double>({1. / 3, 7, -2}) +
                          "\nFIELD f 2\nrho 1 3 float\n" + big<float>({0.5f, 7, 900}) + "\ncount 1 3 short\n" +
                          big<std::int16_t>({-3, 7, 12}) + "\n"));
  EXPECT_EQ(m.fields, (Fields{{"E", {1. / 3, -2}}, {"rho", {0.5, 900}}, {"count", {-3, 12}}}));
}

template <class T>
std::string with_length(std::initializer_list<T> values) {
  const std::uint64_t n = values.size() * sizeof(T);
  std::string bytes(reinterpret_cast<const char*>(&n), sizeof n);
  bytes.append(reinterpret_cast<const char*>(values.begin()), n);
  return bytes;
}

TEST(MeshFields, VtuInAllCodings) {
  const Fields expected{{"E", {1. / 3, -2}}, {"n", {-3, 12}}};
  const auto arrays = [](const std::string& E, const std::string& n) {
    return "<DataArray type=\"Float64\" Name=\"E\" " + E + "</DataArray>\n<DataArray type=\"Int16\" Name=\"n\" " + n +
           "</DataArray>\n<DataArray type=\"Float64\" Name=\"v\" NumberOfComponents=\"2\" format=\"ascii\">1 2 3 4 5 6"
           "</DataArray>\n<Array type=\"String\" Name=\"s\"/>\n";
  };
  EXPECT_EQ(read("a.vtu", vtu(arrays("format=\"ascii\">0.33333333333333333 7 -2", ">-3 7 12"))).fields, expected);
  const std::string E = with_length<double>({1. / 3, 7, -2}), n = with_length<std::int16_t>({-3, 7, 12});
  EXPECT_EQ(
      read("a.vtu", vtu(arrays("format=\"binary\">" + base64_encoded(E), "format=\"binary\">" + base64_encoded(n))))
          .fields,
      expected);
  const auto at = [](std::size_t offset) { return "format=\"appended\" offset=\"" + std::to_string(offset) + "\">"; };
  EXPECT_EQ(read("a.vtu",
                 vtu(arrays(at(0), at(E.size())), "", "<AppendedData encoding=\"raw\">_" + E + n + "</AppendedData>"))
                .fields,
            expected);
  EXPECT_EQ(read("a.vtu",
                 vtu(arrays(at(0), at(base64_encoded(E).size())), "",
                     "<AppendedData encoding=\"base64\">_" + base64_encoded(E) + base64_encoded(n) + "</AppendedData>"))
                .fields,
            expected);
}

TEST(MeshFields, APieceWithoutTheFieldHasNoNumbers) {
  const std::string with = vtu("<DataArray type=\"Float32\" Name=\"E\">1 2 3</DataArray>"), without = vtu("");
  const auto piece = [](const std::string& file) {
    const auto from = file.find("<Piece"), to = file.find("</Piece>") + 8;
    return file.substr(from, to - from);
  };
  std::string both = without;
  both.insert(both.find("<Piece"), piece(with));
  both.insert(both.rfind("<Piece"), piece(without));
  const auto E = read("a.vtu", both).fields.at("E");
  ASSERT_EQ(E.size(), 6u);
  EXPECT_EQ(E[0], 1);
  EXPECT_EQ(E[1], 3);
  for (std::size_t t = 2; t < 6; ++t) EXPECT_TRUE(std::isnan(E[t]));
}

const std::string msh =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n"
    "$Elements\n3\n10 4 2 1 1 1 2 3 4\n3 2 2 1 1 1 2 3\n7 4 2 1 1 2 3 4 5\n$EndElements\n";
std::string element_data(int components, const std::string& rows) {
  return "$ElementData\n1\n\"my E\"\n1\n0.5\n3\n0\n" + std::to_string(components) + "\n" + rows + "$EndElementData\n";
}

TEST(MeshFields, GmshElementData) {
  EXPECT_EQ(read("a.msh", msh + element_data(1, "3\n7 2e5\n3 0\n10 1e5\n")).fields, (Fields{{"my E", {1e5, 2e5}}}));
  EXPECT_TRUE(read("a.msh", msh + element_data(3, "1\n7 1 2 3\n")).fields.empty());
  const auto part = read("a.msh", msh + element_data(1, "1\n7 2e5\n")).fields.at("my E");
  EXPECT_TRUE(std::isnan(part[0]));
  EXPECT_EQ(part[1], 2e5);
}

TEST(MeshFields, RoundTripKeepsEveryBit) {
  TetMesh m = box_mesh({0, 0, 0}, {1, 1, 1}, {3, 2, 2}, Split::five);
  for (std::size_t t = 0; t < m.tets.size(); ++t) {
    m.fields["E & <\"nu\">"].push_back(1e5 / (1. + static_cast<double>(t)));
    m.fields["region"].push_back(static_cast<double>(t));
  }
  const ScratchDir dir;
  for (const bool regions : {false, true}) {
    m.region.assign(regions ? m.tets.size() : 0, 3);
    for (const char* name : {"m.vtk", "m.vtu"}) {
      write_mesh(m, dir.path(name));
      const TetMesh back = read_mesh(dir.path(name));
      EXPECT_EQ(back.fields, m.fields) << name;
      EXPECT_EQ(back.region, m.region) << name;
    }
  }
  m.fields.erase("E & <\"nu\">");
  m.fields["two words"] = m.fields["region"];
  write_mesh(m, dir.path("m.msh"));
  EXPECT_EQ(read_mesh(dir.path("m.msh")).fields, m.fields);
}

struct BadField {
  std::string file, contents, error;  // behind the path
};

TEST(MeshFields, BrokenOnesAreErrorsWithTheirPlace) {
  const BadField bad[] = {
      {"a.vtk", ascii_vtk("CELL_DATA 3\nSCALARS E double\nLOOKUP_TABLE default\n1 2\n"),
       ":19: the file ends, expected a value of an array"},
      {"a.vtk", ascii_vtk("CELL_DATA 3\nSCALARS E double\nLOOKUP_TABLE default\n1\nsoft 3\n"),
       ":19: found \"soft\", expected a value of an array (a number)"},
      {"a.vtk", ascii_vtk("CELL_DATA 2\nSCALARS E double\nLOOKUP_TABLE default\n1 2\n"),
       ":15: CELL_DATA 2, expected 3"},
      {"a.vtu", vtu("<DataArray type=\"Float64\" Name=\"E\">\n1 2\n</DataArray>"),
       ":9: the section ends, expected a value"},
      {"a.vtu", vtu("<DataArray type=\"Float64\" Name=\"E\">1 2 3 4</DataArray>"),
       ":7: the array E holds more than 3 values"},
      {"a.vtu", vtu("<DataArray type=\"Float64\" Name=\"E\">1\nsoft 3</DataArray>"),
       ":8: found \"soft\", expected a value (a number)"},
      {"a.msh", msh + element_data(1, "3\n7 2e5\n3 x\n10 1e5\n"), ":28: found \"x\", expected a value (a number)"},
      {"a.msh", msh + element_data(1, "3\n7 2e5\n"),
       ":28: found \"$EndElementData\", expected the number of an element (an integer)"},
      {"a.msh", msh + "$ElementData\n1\nE\n", ":20: found \"E\", expected a name in double quotes"},
  };
  for (const BadField& b : bad) {
    const ScratchDir dir;
    const std::string path = dir.put(b.file, b.contents);
    EXPECT_EQ(reading_error(path), path + b.error) << b.contents;
  }
}

TEST(MeshFields, CutAtEveryByteIsAnErrorOrAMesh) {
  const std::string whole[] = {
      binary_vtk("CELL_DATA 3\nSCALARS E double 1\nLOOKUP_TABLE default\n" + big<double>({1. / 3, 7, -2})),
      msh + element_data(1, "3\n7 2e5\n3 0\n10 1e5\n"),
      vtu("<DataArray type=\"Float64\" Name=\"E\" format=\"binary\">" + base64_encoded(with_length<double>({1, 2, 3})) +
          "</DataArray>")};
  const char* names[] = {"a.vtk", "a.msh", "a.vtu"};
  for (int k = 0; k < 3; ++k)
    for (std::size_t n = 0; n < whole[k].size(); ++n) {
      try {
        const TetMesh m = read_mesh(names[k], [&](const std::string&) { return whole[k].substr(0, n); });
        for (const auto& [name, values] : m.fields) EXPECT_EQ(values.size(), 2u);
      } catch (const InputError&) {
      }
    }
}

TEST(MeshFields, OneValueForEachTetrahedron) {
  TetMesh m = box_mesh({0, 0, 0}, {1, 1, 1}, {1, 1, 1}, Split::five);
  m.fields["E"] = {1, 2};
  try {
    check_and_orient(m, "mesh");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()), "mesh: the field \"E\" has 2 values for 5 tetrahedra");
  }
}

}  // namespace
}  // namespace limber::test
