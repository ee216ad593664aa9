#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>

#include "limber/core/errors.hpp"
#include "mesh/mesh_samples.hpp"

namespace limber::test {
namespace {

const std::string msh22 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
const std::string msh41 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
const std::string nodes22 = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n";
const std::string vtk = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n";
const std::string medit = "MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n";

struct Bad {
  std::string file, contents;
  std::string error;  // behind the path
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.file << bad.error; }

class BadFile : public testing::TestWithParam<Bad> {};

TEST_P(BadFile, IsAnErrorWithItsPlace) {
  const ScratchDir dir;
  const std::string path = dir.put(GetParam().file, GetParam().contents);
  EXPECT_EQ(reading_error(path), path + GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Gmsh, BadFile,
    testing::Values(
        Bad{"a.msh", "", ":1: the file ends, expected $MeshFormat"},
        Bad{"a.msh", "$Mesh\n", ":1: found \"$Mesh\", expected $MeshFormat"},
        Bad{"a.msh", "$MeshFormat\n3.0 0 8\n", ":2: Gmsh format version \"3.0\" is not read, expected 2.2 or 4.1"},
        Bad{"a.msh", msh22, ": the file holds no tetrahedra, no hexahedra and no other cells"},
        Bad{"a.msh", msh22 + "$Nodes\n-4\n", ":5: found -4, expected the number of nodes (zero or more)"},
        Bad{"a.msh", msh22 + "$Nodes\n4000000\n1 0 0 0\n",
            ":5: the number of nodes is 4000000, but only 9 bytes are left in the file"},
        Bad{"a.msh", msh22 + "$Nodes\n2\n1 0 0 0\n2 1 nan 0\n$EndNodes\n",
            ":7: found nan, expected a coordinate (a finite number)"},
        Bad{"a.msh", msh22 + "$Nodes\n2\n1 0 0 0\n2 1 1e999 0\n$EndNodes\n",
            ":7: found inf, expected a coordinate (a finite number)"},
        Bad{"a.msh", msh22 + "$Nodes\n2\n1 0 0 0\n2 1 x 0\n$EndNodes\n",
            ":7: found \"x\", expected a coordinate (a number)"},
        Bad{"a.msh", msh22 + "$Nodes\n2\n1 0 0 0\n2 1 0\n$EndNodes\n", ":7: the line ends, expected a coordinate"},
        Bad{"a.msh", msh22 + "$Nodes\n2\n1 0 0 0\n2 1 0 0 5\n$EndNodes\n",
            ":7: found \"5\", expected the end of the line"},
        Bad{"a.msh", msh22 + "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n", ":7: two nodes have the tag 1"},
        Bad{"a.msh", msh22 + nodes22 + "$Elements\n1\n1 4 2 1 1 1 2 3 5\n$EndElements\n",
            ":13: there is no node 5; the file has 4 nodes, 1 to 4"},
        Bad{"a.msh", msh22 + nodes22 + "$Elements\n1\n1 11 2 1 1 1 2 3 4 1 2 3 4 1 2\n$EndElements\n",
            ":13: element type 11 (10-node tetrahedron) is not linear; only linear tetrahedra (4 nodes) and hexahedra "
            "(8 nodes) are read"},
        Bad{"a.msh", msh22 + nodes22 + "$Elements\n1\n1 2 2 1 1 1 2 3\n$EndElements\n",
            ": the file holds no tetrahedra and no hexahedra; its 1 other cells are not read"},
        Bad{"a.msh", msh22 + nodes22 + "$Elements\n1\n1 4 2 1 1 1 2 3 4\n1 4 2 1 1 1 2 3 4\n$EndElements\n",
            ":14: found \"1\", expected $EndElements"},
        Bad{"a.msh", msh22 + "$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n", ":4: $Elements stands before $Nodes"},
        Bad{"a.msh", msh41 + "$Nodes\n1 4 1 4\n3 1 0 3\n1 2 3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n",
            ":10: the node blocks hold 3 nodes, expected 4"},
        Bad{"a.msh", msh41 + "$Periodic\n1\n", ":6: the file ends, expected $EndPeriodic"}));

INSTANTIATE_TEST_SUITE_P(
    Vtk, BadFile,
    testing::Values(
        Bad{"a.vtk", "vtk", ":1: found \"vtk\", expected \"# vtk DataFile Version …\""},
        Bad{"a.vtk", "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\n",
            ":4: found the data set \"POLYDATA\", expected UNSTRUCTURED_GRID"},
        Bad{"a.vtk", vtk + "POINTS 1000000000 double\n0 0 0\n",
            ":5: the number of points is 1000000000, but only 7 bytes are left in the file"},
        Bad{"a.vtk", vtk + "POINTS 1 double\n0 0 inf\n", ":6: found inf, expected a coordinate (a finite number)"},
        Bad{"a.vtk", vtk + "POINTS 1 double\n0 0 0\nCELLS 1 5\n4 0 0 0 1\nCELL_TYPES 1\n10\n",
            ":10: cell 0 names node 1, but the nodes are 0 to 0"},
        Bad{"a.vtk", vtk + "POINTS 1 double\n0 0 0\nCELLS 1 5\n40 0 0 0 1\nCELL_TYPES 1\n10\n",
            ":8: cell 0 has 40 nodes, expected 0 to 4, the rest of the cell list"},
        Bad{"a.vtk", vtk + "POINTS 1 double\n0 0 0\nCELLS 1 11\n10 0 0 0 0 0 0 0 0 0 0\nCELL_TYPES 1\n24\n",
            ":10: cell 0 of type 24 (VTK_QUADRATIC_TETRA, 10 nodes) is not linear; only linear tetrahedra (4 nodes) "
            "and hexahedra (8 nodes) are read"},
        Bad{"a.vtk", vtk + "POINTS 1 double\n0 0 0\nCELLS 1 4\n3 0 0 0\nCELL_TYPES 1\n10\n",
            ":10: cell 0 of type 10 has 3 nodes, expected 4"},
        Bad{"a.vtu", "<VTKFile type=\"PolyData\"></VTKFile>", ":1: found type \"PolyData\", expected UnstructuredGrid"},
        Bad{"a.vtu", "<VTKFile>\n<a>\n</b></VTKFile>", ":3: this is not XML: Start-end tags mismatch"},
        Bad{"a.vtu",
            "<VTKFile type=\"UnstructuredGrid\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"-1\" "
            "NumberOfCells=\"1\"/></UnstructuredGrid></VTKFile>",
            ":3: found NumberOfPoints=\"-1\", expected a count from 0 to 2147483647"},
        Bad{"a.vtu",
            "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\">\n<UnstructuredGrid/></VTKFile>",
            ":1: compressor \"vtkLZ4DataCompressor\" is not read, expected vtkZLibDataCompressor or none"},
        Bad{"a.vtu",
            "<VTKFile type=\"UnstructuredGrid\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"1\" "
            "NumberOfCells=\"0\">\n<Points><DataArray type=\"Float64\">\n0\nnan 0</DataArray></Points></Piece>"
            "</UnstructuredGrid></VTKFile>",
            ":6: found nan, expected a value (a finite number)"}));

INSTANTIATE_TEST_SUITE_P(
    MeditAndOthers, BadFile,
    testing::Values(
        Bad{"a.mesh", "MeshVersionFormatted 2\nDimension 2\n", ":2: found dimension 2, expected 3"},
        Bad{"a.mesh", medit + "Tetrahedra 1\n1 2 3 0 7\nEnd\n", ":9: vertex 0 is out of range: they are 1 to 4"},
        Bad{"a.mesh", medit + "Tetrahedra 1\n1 2 3 5 7\nEnd\n", ":9: vertex 5 is out of range: they are 1 to 4"},
        Bad{"a.mesh", medit + "Tetrahedra 1\n1 2 3 4 7\n",
            ":10: the file ends, expected a section such as Vertices, or End"},
        Bad{"a.mesh", medit + "TetrahedraP2 1\n",
            ":8: the section TetrahedraP2 is not linear; only linear tetrahedra (4 nodes) and hexahedra (8 nodes) are "
            "read"},
        Bad{"a.mesh", medit + "Triangles 1\n1 2 3 0\nEnd\n",
            ": the file holds no tetrahedra and no hexahedra; its 1 other cells are not read"},
        Bad{"a.stl", "",
            ": the extension .stl is not a known mesh format; known are .msh, .vtk, .vtu, .mesh, .node, "
            ".ele"}));

TEST(BadTetgen, NamesTheFileAndLine) {
  const std::string nodes = "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n";
  const ScratchDir dir;
  const auto error = [&](const std::string& node, const std::string& ele) {
    dir.put("a.node", node);
    dir.put("a.ele", ele);
    const std::string what = reading_error(dir.path("a.node"));
    return what.substr(std::min(what.size(), dir.path("").size()));
  };
  EXPECT_EQ(error(nodes, "1 4 0\n0 0 1 2 3\n"), "");
  EXPECT_EQ(error(nodes, "1 4 0\n0 0 1 2 4\n"), "a.ele:2: node 4 is out of range: they are 0 to 3");
  EXPECT_EQ(error(nodes, "1 10 0\n0 0 1 2 3 0 0 0 0 0 0\n"),
            "a.ele:1: a tetrahedron of 10 nodes is not linear; only linear tetrahedra (4 nodes) and hexahedra (8 "
            "nodes) are read");
  EXPECT_EQ(error(nodes, "1 4 1\n0 0 1 2 3 0.5\n"),
            "a.ele:2: found the attribute 0.5, expected an integer, which becomes the region");
  EXPECT_EQ(error(nodes, "2 4 0\n0 0 1 2 3\n# and no more\n"), "a.ele:4: the file ends, expected a tetrahedron");
  EXPECT_EQ(error(nodes, "0 4 0\n"), "a.ele: the file holds no tetrahedra, no hexahedra and no other cells");
  EXPECT_EQ(error("2 3 0 0\n2 0 0 0\n3 0 0 0\n", ""),
            "a.node:2: found 2, expected the first point to be numbered 0 or 1");
  EXPECT_EQ(error("2 3 0 0\n0 0 0 0\n5 0 0 0\n", ""), "a.node:3: found point 5, expected 1");
  EXPECT_EQ(error("2 2 0 0\n", ""), "a.node:1: found dimension 2, expected 3");
}

TEST(BadBinary, NamesTheByte) {
  const ScratchDir dir;
  std::string s = sample("vtk 5.1 binary").files.begin()->second;
  const std::size_t points = s.find("double\n") + 7;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::memcpy(&s[points + 16], &nan, 8);
  std::reverse(&s[points + 16], &s[points + 24]);
  const std::string path = dir.put("a.vtk", s);
  EXPECT_EQ(reading_error(path),
            path + ": byte " + std::to_string(points + 16) + ": found nan, expected a coordinate (a finite number)");

  std::string g = sample("gmsh22_binary.msh").files.begin()->second;
  g.resize(g.find("$Elements") - 30);
  const std::string cut = reading_error(dir.put("a.msh", g));
  EXPECT_NE(cut.find("a.msh: byte " + std::to_string(g.size()) + ": the file ends, expected"), std::string::npos)
      << cut;
}

TEST(BadPath, NoSuchFileAndNotAFile) {
  const ScratchDir dir;
  EXPECT_EQ(reading_error(dir.path("no.msh")), dir.path("no.msh") + ": there is no such file");
  std::filesystem::create_directory(dir.path("d.vtu"));
  EXPECT_EQ(reading_error(dir.path("d.vtu")), dir.path("d.vtu") + ": this is not a file");
  EXPECT_THROW(write_mesh(expected_cube(), dir.path("a.stl")), InputError);
}

/// Nodes that no cell at all uses are kept, so that the check can name them.
TEST(BadMesh, UnusedNodesAreReported) {
  const ScratchDir dir;
  TetMesh m = read_mesh(dir.put("a.mesh",
                                "MeshVersionFormatted 2\nDimension 3\nVertices 5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
                                "9 9 9 0\nTetrahedra 1\n1 2 3 4 0\nTriangles 1\n1 2 3 0\nEnd\n"));
  EXPECT_EQ(m.nodes.size(), 5u);
  EXPECT_THROW(check_and_orient(m, "a.mesh"), InputError);
}

}  // namespace
}  // namespace limber::test
