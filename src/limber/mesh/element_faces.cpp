#include "limber/mesh/element_faces.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "limber/core/nodes.hpp"
#include "limber/mesh/single_faces.hpp"

namespace limber {
namespace {

/// Seen from outside.
constexpr int tet4_faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
constexpr int tet10_faces[4][6] = {{1, 2, 3, 5, 9, 8}, {0, 3, 2, 7, 9, 6}, {0, 1, 3, 4, 8, 7}, {0, 2, 1, 6, 5, 4}};
constexpr int hex8_faces[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

int faces_of(ElementKind kind) { return kind == ElementKind::hex8 ? 6 : 4; }

std::span<const int> places(ElementKind kind, std::size_t face) {
  if (kind == ElementKind::tet4) return tet4_faces[face];
  if (kind == ElementKind::tet10) return tet10_faces[face];
  return hex8_faces[face];
}

}  // namespace

int node_count(FaceKind kind) { return kind == FaceKind::tri3 ? 3 : kind == FaceKind::tri6 ? 6 : 4; }

int corner_count(FaceKind kind) { return kind == FaceKind::quad4 ? 4 : 3; }

std::size_t FaceMesh::count() const { return nodes.size() / ix(node_count(kind)); }

std::span<const int> FaceMesh::face(std::size_t f) const {
  const std::size_t n = ix(node_count(kind));
  return {nodes.data() + f * n, n};
}

FaceMesh boundary_faces(const ElementMesh& mesh) {
  FaceMesh out{mesh.kind == ElementKind::tet4    ? FaceKind::tri3
               : mesh.kind == ElementKind::tet10 ? FaceKind::tri6
                                                 : FaceKind::quad4};
  const std::size_t each = ix(faces_of(mesh.kind)), corners = ix(corner_count(out.kind));
  std::vector<std::array<int, 4>> all(each * mesh.count());
  for (std::size_t id = 0; id < all.size(); ++id) {
    const auto at = places(mesh.kind, id % each);
    all[id] = {-1, -1, -1, -1};
    for (std::size_t k = 0; k < corners; ++k) all[id][k] = mesh.element(id / each)[ix(at[k])];
  }
  for (const std::size_t id : single_faces(all))
    for (const int k : places(mesh.kind, id % each)) out.nodes.push_back(mesh.element(id / each)[ix(k)]);
  return out;
}

FaceMesh triangle_faces(const std::vector<std::array<int, 3>>& triangles) {
  FaceMesh out;
  for (const auto& t : triangles) out.nodes.insert(out.nodes.end(), t.begin(), t.end());
  return out;
}

FaceMesh faces_between(const FaceMesh& all, const std::vector<int>& nodes) {
  std::vector<int> chosen = nodes;
  std::sort(chosen.begin(), chosen.end());
  FaceMesh out{all.kind};
  for (std::size_t f = 0; f < all.count(); ++f) {
    const auto face = all.face(f);
    const auto corners = face.first(ix(corner_count(all.kind)));
    if (std::all_of(corners.begin(), corners.end(),
                    [&](int i) { return std::binary_search(chosen.begin(), chosen.end(), i); }))
      out.nodes.insert(out.nodes.end(), face.begin(), face.end());
  }
  return out;
}

std::vector<RimEdge> rim(const FaceMesh& faces) {
  struct Side {
    int low, high, direction;
    RimEdge edge;
  };
  std::vector<Side> sides;
  const std::size_t corners = ix(corner_count(faces.kind));
  for (std::size_t f = 0; f < faces.count(); ++f) {
    const auto face = faces.face(f);
    for (std::size_t k = 0; k < corners; ++k) {
      const int a = face[k], b = face[(k + 1) % corners];
      sides.push_back({std::min(a, b),
                       std::max(a, b),
                       a < b ? 1 : -1,
                       {a, b, faces.kind == FaceKind::tri6 ? face[corners + k] : -1}});
    }
  }
  std::stable_sort(sides.begin(), sides.end(),
                   [](const Side& a, const Side& b) { return std::tie(a.low, a.high) < std::tie(b.low, b.high); });
  std::vector<RimEdge> open;
  for (std::size_t i = 0, j; i < sides.size(); i = j) {
    int sum = 0;
    for (j = i; j < sides.size() && sides[j].low == sides[i].low && sides[j].high == sides[i].high; ++j)
      sum += sides[j].direction;
    if (sum != 0) open.push_back(sides[i].edge);
  }
  return open;
}

}  // namespace limber
