#include "limber/mesh/surface_io.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <map>
#include <numeric>

#include "limber/core/errors.hpp"
#include "limber/mesh/cursor.hpp"
#include "limber/mesh/tet_mesh.hpp"

namespace limber {
namespace {

std::string lower(std::string_view word) {
  std::string s(word);
  for (char& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return s;
}

class ObjReader {
 public:
  ObjReader(const std::string& path, std::string_view text) : in_(path, text) { in_.comments_from('#'); }

  TriMesh read() {
    while (!in_.done()) {
      in_.open_row("a statement");
      const std::string_view statement = in_.word("a statement");
      if (statement == "v") read_vertex();
      if (statement == "f") read_face();
      while (!in_.done()) in_.word("more");
      in_.close_row();
    }
    return std::move(mesh_);
  }

 private:
  void read_vertex() {
    Vec3& x = mesh_.nodes.emplace_back();
    for (double& c : x) c = in_.real("a coordinate");
  }

  void read_face() {
    std::vector<int> corners;
    while (!in_.done()) corners.push_back(corner());
    if (corners.size() < 3) in_.fail(fmt::format("a face of {} corners, expected three or more", corners.size()));
    for (std::size_t k = 2; k < corners.size(); ++k)
      mesh_.triangles.push_back({corners[0], corners[k - 1], corners[k]});
  }

  int corner() {
    const std::string_view w = in_.word("a corner");
    long long n = 0;
    const auto [stop, error] = std::from_chars(w.data(), w.data() + w.size(), n);
    const std::string_view rest = w.substr(static_cast<std::size_t>(stop - w.data()));
    const bool tail = rest.empty() || (rest[0] == '/' && rest.find_first_not_of("/-0123456789") == rest.npos);
    if (error != std::errc() || !tail)
      in_.fail(fmt::format("found {}, expected a corner such as 3, 3/1, 3//2 or 3/1/2", quoted(w)));
    const long long size = static_cast<long long>(mesh_.nodes.size());
    if (n < 0 && n >= -size) return static_cast<int>(size + n);
    return in_.index(n, 1, mesh_.nodes.size(), "vertex");
  }

  Cursor in_;
  TriMesh mesh_;
};

/// Gives equal points one number.
class Welder {
 public:
  int operator()(const Vec3& x, std::vector<Vec3>& nodes) {
    const auto [at, is_new] = number_.try_emplace({x[0] + 0.0, x[1] + 0.0, x[2] + 0.0}, static_cast<int>(nodes.size()));
    if (is_new) nodes.push_back(x);
    return at->second;
  }

 private:
  std::map<std::array<double, 3>, int> number_;  // + 0.0: −0 and 0 are one point
};

TriMesh read_stl_ascii(const std::string& path, std::string_view text) {
  Cursor in(path, text);
  const auto keyword = [&](std::string_view wanted) {
    const std::string_view w = in.word(wanted);
    if (lower(w) != wanted) in.fail(fmt::format("found {}, expected {}", quoted(w), wanted));
  };
  TriMesh mesh;
  Welder weld;
  while (!in.done()) {
    keyword("solid");
    in.rest_of_line();
    while (lower(in.peek()) == "facet") {
      keyword("facet");
      keyword("normal");
      for (int k = 0; k < 3; ++k) in.word("a normal's component");  // often wrong, even nan: the vertices decide
      keyword("outer");
      keyword("loop");
      auto& t = mesh.triangles.emplace_back();
      for (int& i : t) {
        keyword("vertex");
        Vec3 x;
        for (double& c : x) c = in.real("a coordinate");
        i = weld(x, mesh.nodes);
      }
      keyword("endloop");
      keyword("endfacet");
    }
    keyword("endsolid");
    in.rest_of_line();
  }
  return mesh;
}

constexpr std::size_t stl_header = 80, stl_facet = 50;

/// The number of facets that a binary file announces; none if it is too short.
std::size_t stl_facets(const std::string& path, std::string_view bytes) {
  Cursor in(path, bytes);
  in.places_by(Place::byte);
  in.byte_order(little_endian);
  in.bytes(stl_header, "the header, 80 bytes");
  return in.raw<std::uint32_t>("the number of triangles");
}

bool is_binary_stl(const std::string& path, std::string_view bytes) {
  if (bytes.size() < stl_header + 4) return false;
  return bytes.size() == stl_header + 4 + stl_facet * stl_facets(path, bytes);
}

TriMesh read_stl_binary(const std::string& path, std::string_view bytes) {
  const std::size_t n = stl_facets(path, bytes);
  Cursor in(path, bytes);
  in.places_by(Place::byte);
  in.byte_order(little_endian);
  in.bytes(stl_header + 4, "the header");
  if (in.left() != n * stl_facet)
    in.fail(fmt::format("{} triangles take {} bytes, but {} follow", n, n * stl_facet, in.left()));
  TriMesh mesh;
  mesh.triangles.resize(n);
  Welder weld;
  for (auto& t : mesh.triangles) {
    in.bytes(12, "a normal");
    for (int& i : t) {
      Vec3 x;
      for (double& c : x) c = in.finite(in.raw<float>("a coordinate"), "a coordinate");
      i = weld(x, mesh.nodes);
    }
    in.bytes(2, "an attribute");
  }
  return mesh;
}

bool has_area(const TriMesh& mesh, const std::array<int, 3>& t) {
  const Vec3 &a = mesh.nodes[t[0]], &b = mesh.nodes[t[1]], &c = mesh.nodes[t[2]];
  const Vec3 ab = b - a, ac = c - a;
  const double longest = std::max({ab.squaredNorm(), ac.squaredNorm(), (c - b).squaredNorm()});
  return ab.cross(ac).norm() > 1e-14 * longest;
}

void drop_unused_nodes(TriMesh& mesh) {
  std::vector<int> number(mesh.nodes.size(), -1);
  for (const auto& t : mesh.triangles)
    for (const int i : t) number[i] = 0;
  int kept = 0;
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (number[i] < 0) continue;
    mesh.nodes[kept] = mesh.nodes[i];
    number[i] = kept++;
  }
  mesh.nodes.resize(static_cast<std::size_t>(kept));
  for (auto& t : mesh.triangles)
    for (int& i : t) i = number[i];
}

}  // namespace

TriMesh parse_surface(const std::string& path, const std::string& contents, SurfaceNotes* notes) {
  const std::size_t dot = path.find_last_of("./");
  const std::string extension = dot == path.npos ? "" : lower(std::string_view(path).substr(dot));
  TriMesh mesh;
  if (extension == ".obj")
    mesh = ObjReader(path, contents).read();
  else if (extension != ".stl")
    throw InputError(path, fmt::format("unknown extension \"{}\" of a surface; allowed: .obj, .stl", extension));
  else if (is_binary_stl(path, contents) || lower(contents.substr(0, 5)) != "solid")
    mesh = read_stl_binary(path, contents);
  else
    mesh = read_stl_ascii(path, contents);

  const std::size_t read = mesh.triangles.size();
  std::erase_if(mesh.triangles, [&](const auto& t) { return !has_area(mesh, t); });
  const std::size_t degenerate = read - mesh.triangles.size();
  if (mesh.triangles.empty())
    throw InputError(path, degenerate == 0 ? std::string("the file holds no triangles")
                                           : fmt::format("all {} triangles have no area", degenerate));
  if (notes != nullptr) notes->degenerate = degenerate;
  drop_unused_nodes(mesh);
  return mesh;
}

TriMesh read_surface(const std::string& path, SurfaceNotes* notes) {
  return parse_surface(path, load_file(path), notes);
}

bool is_closed(const TriMesh& mesh) {
  std::vector<std::array<int, 2>> forth, back;
  for (const auto& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) {
      forth.push_back({t[k], t[(k + 1) % 3]});
      back.push_back({t[(k + 1) % 3], t[k]});
    }
  std::sort(forth.begin(), forth.end());
  std::sort(back.begin(), back.end());
  return forth == back && std::adjacent_find(forth.begin(), forth.end()) == forth.end();
}

double enclosed_volume(const TriMesh& mesh) {
  const Box3 box = bounding_box(mesh.nodes);
  const Vec3 o = (box.min + box.max) / 2;
  double sum = 0;
  for (const auto& t : mesh.triangles)
    sum += (mesh.nodes[t[0]] - o).dot((mesh.nodes[t[1]] - o).cross(mesh.nodes[t[2]] - o));
  return sum / 6;
}

bool orient_outwards(TriMesh& mesh) {
  if (enclosed_volume(mesh) >= 0) return false;
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return true;
}

}  // namespace limber
