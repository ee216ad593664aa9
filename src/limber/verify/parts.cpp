#include "limber/verify/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

/// Sets of nodes that grow together; the smallest node stands for its set.
class Sets {
 public:
  explicit Sets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }

  int find(int i) {
    while (parent(i) != i) i = parent(i) = parent(parent(i));
    return i;
  }
  template <std::size_t N>
  void join(const std::array<int, N>& nodes) {
    for (std::size_t k = 1; k < N; ++k) {
      const int a = find(nodes[0]), b = find(nodes[k]);
      parent(std::max(a, b)) = std::min(a, b);
    }
  }

 private:
  int& parent(int i) { return parent_[static_cast<std::size_t>(i)]; }
  std::vector<int> parent_;
};

/// Faces that only one tetrahedron has, seen from outside anticlockwise.
std::vector<exact::Triangle> outer_faces(const std::vector<std::array<int, 4>>& tets, int first, int count) {
  struct Face {
    exact::Triangle sorted, outward;
  };
  std::vector<Face> faces;
  for (int t = first; t < first + count; ++t) {
    const auto& n = tets[static_cast<std::size_t>(t)];
    for (const exact::Triangle& f : {exact::Triangle{n[0], n[2], n[1]}, exact::Triangle{n[0], n[1], n[3]},
                                     exact::Triangle{n[1], n[2], n[3]}, exact::Triangle{n[0], n[3], n[2]}}) {
      faces.push_back({f, f});
      std::sort(faces.back().sorted.begin(), faces.back().sorted.end());
    }
  }
  std::stable_sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) { return a.sorted < b.sorted; });
  std::vector<exact::Triangle> outer;
  for (std::size_t i = 0, end = 0; i < faces.size(); i = end) {
    while (end < faces.size() && faces[end].sorted == faces[i].sorted) ++end;
    if (end == i + 1) outer.push_back(faces[i].outward);
  }
  return outer;
}

void check_range(const std::string& path, const BodyRange& body, const char* what, int first, int count,
                 std::size_t size) {
  if (first < 0 || count < 0 || static_cast<std::size_t>(first) + static_cast<std::size_t>(count) > size)
    throw InputError(path,
                     fmt::format("body '{}' has the {} {} to {}, of {}", body.name, what, first, first + count, size));
}

template <std::size_t N>
void check_nodes(const std::string& path, const char* what, const std::vector<std::array<int, N>>& cells,
                 std::size_t nodes) {
  for (std::size_t i = 0; i < cells.size(); ++i)
    for (const int n : cells[i])
      if (n < 0 || static_cast<std::size_t>(n) >= nodes)
        throw InputError(path, fmt::format("{} {} has the node {}, of {}", what, i, n, nodes));
}

void check_header(const TrajectoryHeader& header, const std::string& path) {
  if (header.bodies.empty()) throw InputError(path, "has no bodies");
  check_nodes(path, "tetrahedron", header.tets, header.nodes.size());
  check_nodes(path, "edge", header.edges, header.nodes.size());
  check_nodes(path, "triangle", header.triangles, header.nodes.size());
  for (const BodyRange& b : header.bodies) {
    check_range(path, b, "nodes", b.first_node, b.node_count, header.nodes.size());
    check_range(path, b, "tetrahedra", b.first_tet, b.tet_count, header.tets.size());
    check_range(path, b, "edges", b.first_edge, b.edge_count, header.edges.size());
    check_range(path, b, "triangles", b.first_triangle, b.triangle_count, header.triangles.size());
  }
}

/// One node of each connected piece of the surface.
std::vector<int> surface_samples(const std::vector<exact::Triangle>& surface, std::size_t nodes) {
  Sets sets(nodes);
  for (const auto& t : surface) sets.join(t);
  std::vector<int> samples;
  for (const auto& t : surface) samples.push_back(sets.find(t[0]));
  std::sort(samples.begin(), samples.end());
  samples.erase(std::unique(samples.begin(), samples.end()), samples.end());
  return samples;
}

}  // namespace

std::vector<Part> find_parts(const TrajectoryHeader& header, const std::string& path) {
  check_header(header, path);
  Sets sets(header.nodes.size());
  for (const auto& t : header.tets) sets.join(t);
  for (const auto& t : header.triangles) sets.join(t);
  for (const BodyRange& b : header.bodies)
    if (b.tet_count == 0 && b.triangle_count == 0)
      for (int e = b.first_edge; e < b.first_edge + b.edge_count; ++e)
        sets.join(header.edges[static_cast<std::size_t>(e)]);

  std::vector<Part> parts;
  for (std::size_t number = 0; number < header.bodies.size(); ++number) {
    const BodyRange& body = header.bodies[number];
    std::map<int, Part> own;  // by the node that stands for the part
    for (const auto& t : outer_faces(header.tets, body.first_tet, body.tet_count))
      own[sets.find(t[0])].surface.push_back(t);
    for (int i = body.first_triangle; i < body.first_triangle + body.triangle_count; ++i) {
      const auto& t = header.triangles[static_cast<std::size_t>(i)];
      own[sets.find(t[0])].sheet.push_back(t);
    }
    if (body.tet_count == 0 && body.triangle_count == 0)
      for (int e = body.first_edge; e < body.first_edge + body.edge_count; ++e) {
        const auto& edge = header.edges[static_cast<std::size_t>(e)];
        own[sets.find(edge[0])].edges.push_back(edge);
      }
    if (body.tet_count == 0)
      for (int n = body.first_node; n < body.first_node + body.node_count; ++n) own.try_emplace(sets.find(n));
    for (auto& [node, part] : own) {
      part.body = static_cast<int>(number);
      part.samples = part.surface.empty() ? std::vector<int>{node} : surface_samples(part.surface, header.nodes.size());
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

}  // namespace limber
