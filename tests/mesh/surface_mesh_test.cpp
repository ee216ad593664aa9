#include "limber/mesh/surface_mesh.hpp"

#include <gtest/gtest.h>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/surface_io.hpp"
#include "mesh/mesh_samples.hpp"
#include "mesh/surface_samples.hpp"

namespace limber::test {
namespace {

std::string surface_mesh_error(const std::string& path, const std::string& contents) {
  try {
    parse_surface_mesh(path, contents);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

std::string replaced(std::string s, const std::string& what, const std::string& by) {
  const std::size_t at = s.find(what);
  if (at == s.npos) throw std::logic_error("no " + what);
  return s.replace(at, what.size(), by);
}

void expect_same(const SurfaceMesh& a, const SurfaceMesh& b) {
  EXPECT_EQ(a.positions, b.positions);
  EXPECT_EQ(a.first_corner, b.first_corner);
  EXPECT_EQ(a.corners, b.corners);
  EXPECT_EQ(a.uv, b.uv);
  EXPECT_EQ(a.corner_uv, b.corner_uv);
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.label, b.label);
  EXPECT_EQ(a.material_files, b.material_files);
}

TEST(SurfaceMesh, ObjKeepsPolygonsTextureCoordinatesAndNames) {
  const SurfaceMesh s = parse_surface_mesh("a.obj", obj_with_everything());
  EXPECT_EQ(s.positions.size(), 6u);
  EXPECT_EQ(s.first_corner, (std::vector<std::size_t>{0, 4, 7, 10, 13, 16}));
  EXPECT_EQ(s.corners, (std::vector<int>{0, 3, 2, 1, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4}));
  EXPECT_EQ(s.corner_uv, (std::vector<int>{0, 3, 2, 1, 0, 1, 2, -1, -1, -1, -1, -1, -1, 3, 2, 1}));
  ASSERT_EQ(s.labels.size(), 2u);
  EXPECT_EQ(s.labels[0], (FaceLabel{"body of mine", "left arm", "red skin", "1"}));
  EXPECT_EQ(s.labels[1], (FaceLabel{"body of mine", "", "blue", "1"}));
  EXPECT_EQ(s.label, (std::vector<int>{0, 0, 1, 1, 0}));
  EXPECT_EQ(s.material_files, std::vector<std::string>{"things.mtl"});
  EXPECT_EQ(triangulated(s).triangles.size(), 6u);
  EXPECT_EQ(triangulated(s).nodes.size(), 6u);
}

TEST(SurfaceMesh, WrittenObjComesBackAsItWas) {
  const ScratchDir dir;
  for (const auto& [name, contents] : std::vector<std::pair<std::string, std::string>>{
           {"a.obj", obj_with_everything()}, {"a.ply", ply_ascii()}, {"a.glb", glb()}, {"a.stl", stl_ascii()}}) {
    SurfaceMesh s = parse_surface_mesh(name, contents);
    for (Vec3& x : s.positions) x = Vec3(x[1] / 3, x[0] * 1e-17 - 0.1, x[2] * 1e20);
    write_obj(s, s.positions, dir.path("out.obj"));
    expect_same(read_surface_mesh(dir.path("out.obj")), s);
    EXPECT_THROW(write_obj(s, {}, dir.path("out.obj")), InputError);
  }
  EXPECT_THROW(write_obj(SurfaceMesh(), {}, dir.path("no/out.obj")), OutputError);
}

TEST(SurfaceMesh, ObjTextureCoordinatesOutOfRangeAreErrors) {
  EXPECT_EQ(surface_mesh_error("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/2 3/1\n"),
            "a.obj:5: texture coordinate 2 is out of range: they are 1 to 1");
  EXPECT_EQ(surface_mesh_error("a.obj", "v 0 0 0\nvt 0 x\n"),
            "a.obj:2: found \"x\", expected a texture coordinate (a number)");
  EXPECT_EQ(surface_mesh_error("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/x 2 3\n"),
            "a.obj:4: found \"1/x\", expected a corner such as 3, 3/1, 3//2 or 3/1/2");
}

TEST(Ply, AllEncodingsAreTheSame) {
  const SurfaceMesh a = parse_surface_mesh("a.ply", ply_ascii());
  EXPECT_EQ(a.positions.size(), 4u);
  EXPECT_EQ(a.uv[1], (std::array<double, 2>{1, 0}));
  EXPECT_EQ(a.corner_uv, a.corners);
  EXPECT_TRUE(is_closed(triangulated(a)));
  EXPECT_DOUBLE_EQ(enclosed_volume(triangulated(a)), 1. / 6);
  expect_same(parse_surface_mesh("a.ply", ply_binary(std::endian::little)), a);
  expect_same(parse_surface_mesh("a.ply", ply_binary(std::endian::big)), a);
}

TEST(Ply, TextureCoordinatesOfFacesAndPolygons) {
  const SurfaceMesh s = parse_surface_mesh(
      "a.ply",
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty double x\nproperty double y\nproperty double z\nelement face "
      "1\n"
      "property list uchar float texcoord\nproperty list uchar int vertex_index\nend_header\n0 0 0 1 0 0 1 1 0 0 1 0\n"
      "8 0 0 1 0 1 1 0 1 4 0 1 2 3\n");
  EXPECT_EQ(s.first_corner, (std::vector<std::size_t>{0, 4}));
  EXPECT_EQ(s.corner_uv, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(s.uv[2], (std::array<double, 2>{1, 1}));
}

TEST(Ply, BadFilesNameTheirPlace) {
  const std::string good = ply_ascii();
  EXPECT_EQ(surface_mesh_error("a.ply", "obj"), "a.ply:1: found \"obj\", expected ply");
  EXPECT_EQ(surface_mesh_error("a.ply", replaced(good, "ascii", "text")),
            "a.ply:2: found the format \"text\", expected ascii, binary_little_endian or binary_big_endian");
  EXPECT_EQ(surface_mesh_error("a.ply", replaced(good, "property float y\n", "")),
            "a.ply:15: the vertices need the properties x, y and z");
  EXPECT_EQ(surface_mesh_error("a.ply", replaced(good, "vertex 4", "vertex 40000000")),
            "a.ply:16: the number of elements vertex is 40000000, but only 114 bytes are left in the file");
  EXPECT_EQ(surface_mesh_error("a.ply", replaced(good, "3 0 2 1", "3 0 2 4")),
            "a.ply:21: vertex 4 is out of range: they are 0 to 3");
  EXPECT_EQ(surface_mesh_error("a.ply", replaced(good, "3 0 2 1", "2 0 2")),
            "a.ply:21: a face of 2 corners, expected three or more");
  EXPECT_EQ(surface_mesh_error("a.ply", good + "1\n"), "a.ply:25: the file goes on behind its last element");
  EXPECT_NE(surface_mesh_error("a.ply", ply_binary(std::endian::big) + "1"), "");
  const std::string big = ply_binary(std::endian::big);
  for (std::size_t n = 0; n < big.size(); ++n) EXPECT_NE(surface_mesh_error("a.ply", big.substr(0, n)), "") << n;
}

TEST(Gltf, NodesMoveMeshesAndNamesAreKept) {
  const SurfaceMesh s = parse_surface_mesh("a.glb", glb());
  ASSERT_EQ(s.positions.size(), 4u);
  EXPECT_EQ(s.positions[0], Vec3(2, 0, 0));
  EXPECT_EQ(s.positions[1], Vec3(4, 0, 0));
  EXPECT_EQ(s.labels, (std::vector<FaceLabel>{{"corner", "", "red", ""}}));
  EXPECT_EQ(s.uv[1], (std::array<double, 2>{1, 1}));  // glTF counts the second one downwards
  EXPECT_EQ(s.corner_uv[0], 0);
  EXPECT_TRUE(is_closed(triangulated(s)));
  EXPECT_DOUBLE_EQ(enclosed_volume(triangulated(s)), 8. / 6);
  expect_same(parse_surface_mesh("a.gltf", gltf()), s);
  const SurfaceMesh mirrored = parse_surface_mesh("a.gltf", replaced(gltf(), "[2,2,2]", "[2,-2,2]"));
  EXPECT_DOUBLE_EQ(enclosed_volume(triangulated(mirrored)), 8. / 6);
  const SurfaceMesh turned = parse_surface_mesh(
      "a.gltf", replaced(gltf(), "\"scale\":[2,2,2]", "\"matrix\":[0,1,0,0,-1,0,0,0,0,0,1,0,0,0,5,1]"));
  EXPECT_EQ(turned.positions[1], Vec3(0, 2, 5));
}

TEST(Gltf, BuffersBesideTheFileAreFound) {
  const ScratchDir dir;
  const std::string all = glb(), bin = all.substr(all.size() - 104);
  const std::string text = gltf();
  const std::size_t from = text.find("data:"), to = text.find('"', from);
  dir.put("my buffer.bin", bin);
  const std::string path = dir.put("a.gltf", text.substr(0, from) + "my%20buffer.bin" + text.substr(to));
  EXPECT_EQ(read_surface_mesh(path).positions.size(), 4u);
  dir.put("my buffer.bin", bin.substr(1));
  EXPECT_EQ(surface_mesh_error(path, file_contents(path)),
            path + ": a buffer of 104 bytes is announced, but fewer came");
}

TEST(Gltf, BadFilesAreErrors) {
  const std::string good = gltf();
  EXPECT_NE(surface_mesh_error("a.gltf", "{").find("a.gltf: this is not glTF: "), std::string::npos);
  EXPECT_EQ(surface_mesh_error("a.gltf", "[]"), "a.gltf: this is not glTF: expected a JSON object");
  EXPECT_EQ(surface_mesh_error("a.gltf", replaced(good, "\"count\":12", "\"count\":13")),
            "a.gltf: accessor 2: 13 values do not fit into its view of 24 bytes");
  EXPECT_EQ(surface_mesh_error("a.gltf", replaced(good, "\"count\":12", "\"count\":1099511627776")),
            "a.gltf: accessor 2: 1099511627776 values do not fit into its view of 24 bytes");
  EXPECT_EQ(surface_mesh_error("a.gltf", replaced(good, "\"children\":[0]", "\"children\":[1]")),
            "a.gltf: node 1 hangs in two places");
  EXPECT_EQ(surface_mesh_error("a.gltf", replaced(good, "\"mesh\":0", "\"mesh\":1")),
            "a.gltf: found the mesh \"1\", but there are 1");
  EXPECT_EQ(surface_mesh_error("a.gltf", replaced(good, "{\"asset",
                                                  "{\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],\"asset")),
            "a.gltf: the extension \"KHR_draco_mesh_compression\" is required, but not read");
  const std::string nested = std::string(200000, '[') + std::string(200000, ']');
  EXPECT_EQ(surface_mesh_error("a.gltf", replaced(good, "{\"asset", "{\"extras\":" + nested + ",\"asset")), "");
  const std::string binary = glb();
  for (std::size_t n = 0; n < binary.size(); ++n) EXPECT_NE(surface_mesh_error("a.glb", binary.substr(0, n)), "") << n;
}

}  // namespace
}  // namespace limber::test
