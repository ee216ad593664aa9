#include "limber/mesh/io/surface_io.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "limber/core/errors.hpp"
#include "mesh/mesh_samples.hpp"

namespace limber::test {
namespace {

const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
const std::string tetrahedron = corners + "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

std::string facet(const std::string& a, const std::string& b, const std::string& c) {
  return "facet normal 0 0 0\n outer loop\n  vertex " + a + "\n  vertex " + b + "\n  vertex " + c +
         "\n endloop\nendfacet\n";
}

std::string ascii_stl() {
  return "solid a corner of a cube\n" + facet("0 0 0", "0 1 0", "1 0 0") + facet("0 0 0", "1 0 0", "0 0 1") +
         facet("1 0 0", "0 1 0", "0 0 1") + facet("0 1 0", "-0 0 0", "0 0 1") + "endsolid a corner\n";
}

/// Little-endian on every machine that these tests run on.
std::string binary_stl(const TriMesh& mesh, const std::string& title) {
  std::string out = title;
  out.resize(80, ' ');
  const auto put = [&](auto x) { out.append(reinterpret_cast<const char*>(&x), sizeof x); };
  put(static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) put(0.0f);
    for (const int i : t)
      for (const double c : mesh.nodes[i]) put(static_cast<float>(c));
    put(std::uint16_t{0});
  }
  return out;
}

std::string surface_error(const std::string& path, const std::string& contents) {
  try {
    parse_surface(path, contents);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

void expect_tetrahedron(const TriMesh& mesh) {
  EXPECT_EQ(mesh.nodes.size(), 4u);
  EXPECT_EQ(mesh.triangles.size(), 4u);
  EXPECT_TRUE(is_closed(mesh));
  EXPECT_DOUBLE_EQ(enclosed_volume(mesh), 1.0 / 6);
}

TEST(Obj, ReadsEveryFormOfCorner) {
  for (const char* faces :
       {"f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n", "f 1/1 3/1 2/1\nf 1/1 2/2 4/2\nf 2/1 3/1 4/1\nf 3/7 1/8 4/9\n",
        "f 1//1 3//1 2//1\nf 1//1 2//2 4//2\nf 2//1 3//1 4//1\nf 3//7 1//8 4//9\n",
        "f 1/1/1 3/1/-1 2/1/1\nf 1/1/1 2/2/1 4/2/1\nf 2/1/1 3/1/1 4/1/1\nf 3/7/1 1/8/1 4/9/1",
        "f -4 -2 -3\nf -4 -3 -1\nf -3 -2 -1\nf -2 -4 -1\n"})
    expect_tetrahedron(parse_surface("a.obj", corners + faces));
}

TEST(Obj, IgnoresOtherStatementsCommentsAndLineEnds) {
  const TriMesh mesh =
      parse_surface("a.OBJ",
                    "# made up\r\nmtllib x.mtl\r\no body\r\nvn 0 0 x\r\nvt 1\r\n\r\nv 0 0 0 1.0 # w\r\n"
                    "v 1 0 0 0.5 0.5 0.5\r\nv 0 1 0\r\nv 0 0 1\r\ns off\r\ng\r\nusemtl f 1 2 3\r\n"
                    "  f 1 3 2 # the floor\r\nf 1 2 4\r\nf 2 3 4\r\nf 3 1 4");
  expect_tetrahedron(mesh);
}

TEST(Obj, FansPolygonsAndDropsWhatIsUnused) {
  SurfaceNotes notes;
  const TriMesh mesh =
      parse_surface("a.obj", "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 2 3 4 5\nf 2 3 3\nf 2 3 2\n", &notes);
  ASSERT_EQ(mesh.nodes.size(), 4u);
  EXPECT_EQ(mesh.nodes[0], Vec3(0, 0, 0));
  EXPECT_EQ(mesh.triangles, (std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(notes.degenerate, 2u);
  EXPECT_FALSE(is_closed(mesh));
}

TEST(Obj, BadFilesNameTheirPlace) {
  EXPECT_EQ(surface_error("a.obj", ""), "a.obj: the file holds no triangles");
  EXPECT_EQ(surface_error("a.obj", corners), "a.obj: the file holds no triangles");
  EXPECT_EQ(surface_error("a.obj", corners + "f 1 1 2\n"), "a.obj: all 1 triangles have no area");
  EXPECT_EQ(surface_error("a.obj", "v 0 0\n"), "a.obj:1: the line ends, expected a coordinate");
  EXPECT_EQ(surface_error("a.obj", "v 0 0"), "a.obj:1: the line ends, expected a coordinate");
  EXPECT_EQ(surface_error("a.obj", "v 0 0 nan\n"), "a.obj:1: found nan, expected a coordinate (a finite number)");
  EXPECT_EQ(surface_error("a.obj", "v 0 0 x\n"), "a.obj:1: found \"x\", expected a coordinate (a number)");
  EXPECT_EQ(surface_error("a.obj", corners + "f 1 2\n"), "a.obj:5: a face of 2 corners, expected three or more");
  EXPECT_EQ(surface_error("a.obj", corners + "f 1 2 5\n"), "a.obj:5: vertex 5 is out of range: they are 1 to 4");
  EXPECT_EQ(surface_error("a.obj", corners + "f 1 2 0\n"), "a.obj:5: vertex 0 is out of range: they are 1 to 4");
  EXPECT_EQ(surface_error("a.obj", corners + "f 1 2 -5\n"), "a.obj:5: vertex -5 is out of range: they are 1 to 4");
  EXPECT_EQ(surface_error("a.obj", "f 1 2 3\n"), "a.obj:1: vertex 1 is named, but there are none");
  EXPECT_EQ(surface_error("a.obj", corners + "f 1 2 3x\n"),
            "a.obj:5: found \"3x\", expected a corner such as 3, 3/1, 3//2 or 3/1/2");
  EXPECT_EQ(surface_error("a.obj", corners + "f 1 2 99999999999999999999\n"),
            "a.obj:5: found \"99999999999999999999\", expected a corner such as 3, 3/1, 3//2 or 3/1/2");
  const std::string allowed = " of a surface; allowed: .obj, .ply, .stl, .gltf, .glb";
  EXPECT_EQ(surface_error("a.off", corners), "a.off: unknown extension \".off\"" + allowed);
  EXPECT_EQ(surface_error("dir.obj/a", corners), "dir.obj/a: unknown extension \"/a\"" + allowed);
}

TEST(Stl, AsciiIsWelded) {
  expect_tetrahedron(parse_surface("a.stl", ascii_stl()));
  std::string loud = ascii_stl();
  for (char& c : loud) c = static_cast<char>(std::toupper(c));
  expect_tetrahedron(parse_surface("a.stl", loud));
  EXPECT_EQ(parse_surface("a.stl", ascii_stl() + ascii_stl()).triangles.size(), 8u);
}

TEST(Stl, BinaryIsWeldedEvenIfItCallsItselfSolid) {
  const TriMesh mesh = parse_surface("a.obj", tetrahedron);
  for (const char* title : {"binary", "solid but binary"})
    expect_tetrahedron(parse_surface("a.stl", binary_stl(mesh, title)));
}

TEST(Stl, BadFilesNameTheirPlace) {
  const TriMesh mesh = parse_surface("a.obj", tetrahedron);
  EXPECT_EQ(surface_error("a.stl", ""), "a.stl: byte 0: the file ends, expected the header, 80 bytes");
  EXPECT_EQ(surface_error("a.stl", "solid x\nendsolid x\n"), "a.stl: the file holds no triangles");
  EXPECT_EQ(surface_error("a.stl", "solid x\nfacet normal 0 0 0\nouter loop\nvertex 1 2 x\n"),
            "a.stl:4: found \"x\", expected a coordinate (a number)");
  EXPECT_EQ(surface_error("a.stl", "solid x\nfacet\nnormal 0 0 0\nouter ring\n"),
            "a.stl:4: found \"ring\", expected loop");
  EXPECT_EQ(surface_error("a.stl", "solid x\n" + facet("0 0 0", "1 0 0", "2 0 0") + "endsolid"),
            "a.stl: all 1 triangles have no area");
  EXPECT_EQ(surface_error("a.stl", binary_stl(mesh, "b") + "more"),
            "a.stl: byte 0: 4 triangles take 200 bytes, but 204 follow");
  std::string broken = binary_stl(mesh, "b");
  const float infinite = std::numeric_limits<float>::infinity();
  std::memcpy(broken.data() + 84 + 12 + 4, &infinite, 4);
  EXPECT_EQ(surface_error("a.stl", broken), "a.stl: byte 100: found inf, expected a coordinate (a finite number)");
  const std::uint32_t many = 4000000000u;
  std::memcpy(broken.data() + 80, &many, 4);
  EXPECT_EQ(surface_error("a.stl", broken),
            "a.stl: byte 0: 4000000000 triangles take 200000000000 bytes, but 200 follow");
}

TEST(Surface, TruncatedFilesAreErrorsOrShorterSurfaces) {
  const TriMesh mesh = parse_surface("a.obj", tetrahedron);
  const std::string binary = binary_stl(mesh, "binary"), ascii = ascii_stl(), solid = binary_stl(mesh, "solid b");
  for (std::size_t n = 0; n < binary.size(); ++n) {
    EXPECT_NE(surface_error("a.stl", binary.substr(0, n)), "") << n;
    EXPECT_NE(surface_error("a.stl", solid.substr(0, n)), "") << n;
  }
  const std::size_t whole = ascii.find("endsolid") + 8;
  for (std::size_t n = 0; n < whole; ++n) EXPECT_NE(surface_error("a.stl", ascii.substr(0, n)), "") << n;
  // An OBJ file has no end mark: cut between two faces it is a surface with a hole, which the reader cannot know.
  for (std::size_t n = 0; n < tetrahedron.size(); ++n) {
    const std::string part = tetrahedron.substr(0, n), error = surface_error("a.obj", part);
    if (!error.empty()) continue;
    EXPECT_LE(parse_surface("a.obj", part).triangles.size(), 4u);
    EXPECT_GT(n, corners.size() + 6);
  }
}

TEST(Surface, ScrambledBytesNeverCrash) {
  const TriMesh mesh = parse_surface("a.obj", tetrahedron);
  const std::vector<std::pair<std::string, std::string>> files = {
      {"a.stl", binary_stl(mesh, "binary")}, {"a.stl", ascii_stl()}, {"a.obj", tetrahedron}};
  for (const auto& [path, contents] : files)
    for (std::size_t n = 0; n < contents.size(); ++n)
      for (const char c : {'\0', '\xff', '9', '-', '\n', '/'}) {
        std::string changed = contents;
        changed[n] = c;
        surface_error(path, changed);
      }
}

TEST(Surface, IsReadFromTheDisk) {
  const ScratchDir dir;
  expect_tetrahedron(read_surface(dir.put("a.obj", tetrahedron)));
  expect_tetrahedron(read_surface(dir.put("a.stl", ascii_stl())));
  EXPECT_THROW(read_surface(dir.path("none.obj")), InputError);
}

TEST(Surface, FlippedIsFoundAndMended) {
  TriMesh mesh = parse_surface("a.obj", tetrahedron);
  EXPECT_FALSE(orient_outwards(mesh));
  for (auto& t : mesh.triangles) std::swap(t[0], t[1]);
  EXPECT_TRUE(is_closed(mesh));
  EXPECT_DOUBLE_EQ(enclosed_volume(mesh), -1.0 / 6);
  EXPECT_TRUE(orient_outwards(mesh));
  EXPECT_DOUBLE_EQ(enclosed_volume(mesh), 1.0 / 6);
  std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);
  EXPECT_FALSE(is_closed(mesh));
  std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);
  mesh.triangles.pop_back();
  EXPECT_FALSE(is_closed(mesh));
}

}  // namespace
}  // namespace limber::test
