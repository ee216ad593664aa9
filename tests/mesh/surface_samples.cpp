#include "mesh/surface_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

namespace limber::test {
namespace {

const float corner_points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const int corner_faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

template <class T>
void put(std::string& out, T x, std::endian order = std::endian::little) {
  char b[sizeof(T)];
  std::memcpy(b, &x, sizeof(T));
  if (order != std::endian::native) std::reverse(b, b + sizeof(T));
  out.append(b, sizeof(T));
}

std::string ply_header(const std::string& format) {
  return "ply\nformat " + format +
         " 1.0\ncomment a corner\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
         "property uchar red\nproperty float s\nproperty float t\nelement face 4\nproperty list uchar int "
         "vertex_indices\n"
         "property list uchar short tags\nelement edge 1\nproperty int a\nend_header\n";
}

std::string base64(const std::string& bytes) {
  const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j)
      bits = bits << 8 | (k + j < bytes.size() ? static_cast<std::uint8_t>(bytes[k + j]) : 0u);
    for (int j = 0; j < 4; ++j)
      out += k + static_cast<std::size_t>(j) <= bytes.size() ? digits[bits >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

std::string gltf_buffer() {
  std::string out;
  for (const auto& x : corner_points)
    for (const float c : x) put(out, c);
  for (const auto& x : corner_points) {
    put(out, x[0]);
    put(out, x[1]);
  }
  for (const auto& f : corner_faces)
    for (const int i : f) put(out, static_cast<std::uint16_t>(i));
  return out;
}

std::string gltf_json(const std::string& uri) {
  return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[1]}],)"
         R"("nodes":[{"name":"corner","mesh":0,"translation":[1,0,0]},{"name":"holder","children":[0],"scale":[2,2,2]}],)"
         R"("materials":[{"name":"red"}],"meshes":[{"primitives":[{"attributes":{"POSITION":0,"TEXCOORD_0":1},)"
         R"("indices":2,"material":0}]}],"accessors":[)"
         R"({"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},)"
         R"({"bufferView":0,"byteOffset":48,"componentType":5126,"count":4,"type":"VEC2"},)"
         R"({"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}],)"
         R"("bufferViews":[{"buffer":0,"byteLength":80},{"buffer":0,"byteOffset":80,"byteLength":24}],)"
         R"("buffers":[{"byteLength":104)" +
         uri + "}]}";
}

}  // namespace

TriMesh icosphere(int levels, double radius, const Vec3& centre) {
  const double g = (1 + std::sqrt(5.)) / 2;
  TriMesh m;
  m.nodes = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
             {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  m.triangles = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                 {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                 {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  for (int level = 0; level < levels; ++level) {
    std::map<std::pair<int, int>, int> middle;
    const auto between = [&](int i, int j) {
      const auto [at, is_new] = middle.try_emplace(std::minmax(i, j), static_cast<int>(m.nodes.size()));
      if (is_new) m.nodes.push_back(m.nodes[i] + m.nodes[j]);
      return at->second;
    };
    std::vector<std::array<int, 3>> finer;
    for (const auto& [a, b, c] : m.triangles) {
      const int ab = between(a, b), bc = between(b, c), ca = between(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    m.triangles = finer;
    for (Vec3& x : m.nodes) x.normalize();
  }
  for (Vec3& x : m.nodes) x = centre + radius * x.normalized();
  return m;
}

TriMesh unit_cube(CubeVertices vertices) {
  const int squares[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  const auto point = [](int i) { return Vec3(i & 1, i >> 1 & 1, i >> 2); };
  TriMesh m;
  if (vertices == CubeVertices::shared)
    for (int i = 0; i < 8; ++i) m.nodes.push_back(point(i));
  for (const auto& s : squares) {
    int n[4];
    for (int k = 0; k < 4; ++k) {
      n[k] = vertices == CubeVertices::shared ? s[k] : static_cast<int>(m.nodes.size());
      if (vertices == CubeVertices::separate) m.nodes.push_back(point(s[k]));
    }
    m.triangles.push_back({n[0], n[1], n[2]});
    m.triangles.push_back({n[0], n[2], n[3]});
  }
  return m;
}

TriMesh joined(const TriMesh& a, const TriMesh& b) {
  TriMesh m = a;
  const int shift = static_cast<int>(a.nodes.size());
  m.nodes.insert(m.nodes.end(), b.nodes.begin(), b.nodes.end());
  for (const auto& t : b.triangles) m.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  return m;
}

std::string ply_ascii() {
  std::string s = ply_header("ascii");
  for (const auto& x : corner_points) s += fmt::format("{} {} {} 255 {} {}\n", x[0], x[1], x[2], x[0], x[1]);
  for (const auto& f : corner_faces) s += fmt::format("3 {} {} {} 2 7 8\n", f[0], f[1], f[2]);
  return s + "0\n";
}

std::string ply_binary(std::endian order) {
  std::string s = ply_header(order == std::endian::little ? "binary_little_endian" : "binary_big_endian");
  for (const auto& x : corner_points) {
    for (const float c : x) put(s, c, order);
    put(s, std::uint8_t{255});
    put(s, x[0], order);
    put(s, x[1], order);
  }
  for (const auto& f : corner_faces) {
    put(s, std::uint8_t{3});
    for (const int i : f) put(s, static_cast<std::int32_t>(i), order);
    put(s, std::uint8_t{1});
    put(s, std::int16_t{7}, order);
  }
  put(s, std::int32_t{0}, order);
  return s;
}

std::string glb() {
  std::string json = gltf_json(""), bin = gltf_buffer(), out = "glTF";
  json.resize((json.size() + 3) / 4 * 4, ' ');
  bin.resize((bin.size() + 3) / 4 * 4, '\0');
  put(out, std::uint32_t{2});
  put(out, static_cast<std::uint32_t>(28 + json.size() + bin.size()));
  put(out, static_cast<std::uint32_t>(json.size()));
  out += "JSON" + json;
  put(out, static_cast<std::uint32_t>(bin.size()));
  return out + std::string("BIN\0", 4) + bin;
}

std::string gltf() {
  return gltf_json(R"(,"uri":"data:application/octet-stream;base64,)" + base64(gltf_buffer()) + "\"");
}

std::string obj_with_everything() {
  return "mtllib things.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 1\nv 7 7 7\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
         "o body of mine\ng left arm\nusemtl red skin\ns 1\nf 1/1 4/4 3/3 2/2\nf 1/1/1 2/2/2 5/3/1\n"
         "usemtl blue\ng\nf 2 3 5\nf 3//1 4//1 5//1\nusemtl red skin\ng left arm\nf -3/-1 1/-2 -2/-3\n";
}

std::string stl_ascii() {
  std::string s = "solid corner\n";
  for (const auto& f : corner_faces) {
    s += "facet normal 0 0 0\nouter loop\n";
    for (const int i : f)
      s += fmt::format("vertex {} {} {}\n", corner_points[i][0], corner_points[i][1], corner_points[i][2]);
    s += "endloop\nendfacet\n";
  }
  return s + "endsolid corner\n";
}

std::string stl_binary() {
  std::string s(80, 'x');
  put(s, std::uint32_t{4});
  for (const auto& f : corner_faces) {
    s += std::string(12, '\0');
    for (const int i : f)
      for (const float c : corner_points[i]) put(s, c);
    s += std::string(2, '\0');
  }
  return s;
}

}  // namespace limber::test
