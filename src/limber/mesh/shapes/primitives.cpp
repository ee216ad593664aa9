#include "limber/mesh/shapes/primitives.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "limber/core/nodes.hpp"
#include "limber/mesh/welder.hpp"

namespace limber {
namespace {

/// A number for each vertex, the same for those that are at one place in all shapes; in the order of the vertices.
std::vector<int> numbers_by_place(std::size_t vertices, const std::vector<std::vector<Vec3>>& shapes) {
  std::vector<int> number(vertices, 0);
  for (const auto& shape : shapes) {
    Welder weld;
    std::vector<Vec3> kept;
    std::map<std::array<int, 2>, int> both;
    for (std::size_t i = 0; i < vertices; ++i)
      number[i] =
          both.emplace(std::array{number[i], weld(shape[i], kept)}, static_cast<int>(both.size())).first->second;
  }
  return number;
}

/// Keeps the nodes that a primitive uses, in the order of the vertices.
class Nodes {
 public:
  Nodes(const SurfaceMesh& mesh, const std::vector<std::vector<Vec3>>& shapes)
      : shapes_(shapes), number_(numbers_by_place(mesh.positions.size(), shapes)) {
    for (std::size_t i = 0; i < number_.size(); ++i)
      if (number_[i] == static_cast<int>(vertex_.size())) vertex_.push_back(static_cast<int>(i));
    used_.assign(vertex_.size(), 0);
  }

  int operator[](int vertex) const { return number_[ix(vertex)]; }
  const Vec3& at(std::size_t shape, int node) const { return shapes_[shape][ix(vertex_[ix(node)])]; }
  void use(int node) { used_[ix(node)] = 1; }
  /// Renumbers what the primitives say, and gives them their places.
  void finish(Primitives& p) {
    std::vector<int> last(used_.size(), -1);
    std::vector<int> kept;
    for (std::size_t n = 0; n < used_.size(); ++n)
      if (used_[n]) {
        last[n] = static_cast<int>(kept.size());
        kept.push_back(vertex_[n]);
      }
    for (auto& t : p.triangles)
      for (int& n : t) n = last[ix(n)];
    for (auto& e : p.edges)
      for (int& n : e) n = last[ix(n)];
    for (int& n : p.points) n = last[ix(n)];
    for (const auto& shape : shapes_) {
      auto& places = p.shapes.emplace_back();
      for (const int vertex : kept) places.push_back(shape[ix(vertex)]);
    }
  }

 private:
  const std::vector<std::vector<Vec3>>& shapes_;
  std::vector<int> number_;  // per vertex: its node
  std::vector<int> vertex_;  // per node: the first of its vertices
  std::vector<char> used_;
};

template <class Items>
std::string counted(std::string_view what, const Items& mine, const Items& others) {
  return fmt::format("it has {} {}, not {}", mine.size(), what, others.size());
}

std::vector<int> polygon(const SurfaceMesh& mesh, std::size_t p) {
  std::vector<int> vertices;
  for (std::size_t c = mesh.first_corner[p]; c < mesh.first_corner[p + 1]; ++c) vertices.push_back(mesh.corners[c] + 1);
  return vertices;
}

}  // namespace

Primitives primitives(const SurfaceMesh& mesh, const std::vector<std::vector<Vec3>>& shapes) {
  Nodes nodes(mesh, shapes);
  Primitives p;
  const auto sorted = [](int i, int j) { return std::array{std::min(i, j), std::max(i, j)}; };
  std::set<std::array<int, 2>> sides, edges;
  std::set<int> points;
  for (const auto& t : triangulated(mesh).triangles) {
    const std::array<int, 3> corners{nodes[t[0]], nodes[t[1]], nodes[t[2]]};
    bool area = false;
    for (std::size_t s = 0; s < shapes.size() && !area; ++s)
      area = has_area(nodes.at(s, corners[0]), nodes.at(s, corners[1]), nodes.at(s, corners[2]));
    if (!area) {
      ++p.degenerate;
      continue;
    }
    p.triangles.push_back(corners);
    for (std::size_t k = 0; k < 3; ++k) {
      sides.insert(sorted(corners[k], corners[(k + 1) % 3]));
      nodes.use(corners[k]);
    }
  }
  std::set<int> joined;
  for (const auto& side : sides) joined.insert(side.begin(), side.end());
  for (const auto& [a, b] : mesh.lines) {
    const auto edge = sorted(nodes[a], nodes[b]);
    if (edge[0] == edge[1])
      points.insert(edge[0]);  // a line of no length
    else if (!sides.contains(edge))
      edges.insert(edge);
  }
  for (const auto& edge : edges) joined.insert(edge.begin(), edge.end());
  const bool only_points = mesh.polygons() == 0 && mesh.lines.empty() && mesh.points.empty();
  for (const int i : mesh.points) points.insert(nodes[i]);
  for (std::size_t i = 0; only_points && i < mesh.positions.size(); ++i) points.insert(nodes[static_cast<int>(i)]);
  std::erase_if(points, [&](int n) { return joined.contains(n); });
  p.edges.assign(edges.begin(), edges.end());
  p.points.assign(points.begin(), points.end());
  for (const auto& e : p.edges)
    for (const int n : e) nodes.use(n);
  for (const int n : p.points) nodes.use(n);
  nodes.finish(p);
  return p;
}

std::string difference(const SurfaceMesh& mesh, const SurfaceMesh& other) {
  if (mesh.positions.size() != other.positions.size()) return counted("vertices", mesh.positions, other.positions);
  if (mesh.polygons() != other.polygons())
    return fmt::format("it has {} faces, not {}", mesh.polygons(), other.polygons());
  for (std::size_t p = 0; p < mesh.polygons(); ++p)
    if (const auto mine = polygon(mesh, p), its = polygon(other, p); mine != its)
      return fmt::format("its face {} has the vertices {}, not {}", p + 1, fmt::join(mine, " "), fmt::join(its, " "));
  if (mesh.lines.size() != other.lines.size()) return counted("pieces of lines", mesh.lines, other.lines);
  for (std::size_t i = 0; i < mesh.lines.size(); ++i)
    if (const auto& a = mesh.lines[i], &b = other.lines[i]; a != b)
      return fmt::format("its piece {} of lines has the vertices {} {}, not {} {}", i + 1, a[0] + 1, a[1] + 1, b[0] + 1,
                         b[1] + 1);
  if (mesh.points.size() != other.points.size()) return counted("points", mesh.points, other.points);
  for (std::size_t i = 0; i < mesh.points.size(); ++i)
    if (mesh.points[i] != other.points[i])
      return fmt::format("its point {} is vertex {}, not {}", i + 1, mesh.points[i] + 1, other.points[i] + 1);
  return "";
}

}  // namespace limber
