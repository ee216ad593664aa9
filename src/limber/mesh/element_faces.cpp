#include "limber/mesh/element_faces.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "limber/core/nodes.hpp"
#include "limber/mesh/single_faces.hpp"

namespace limber {
namespace {

/// The nodes of a face, numbered in its element.
std::span<const int> places(const ElementType& type, std::size_t face) {
  const std::size_t n = ix(node_count(type.face));
  return type.faces.subspan(face * n, n);
}

}  // namespace

std::size_t FaceMesh::count() const { return nodes.size() / ix(node_count(kind)); }

std::span<const int> FaceMesh::face(std::size_t f) const {
  const std::size_t n = ix(node_count(kind));
  return {nodes.data() + f * n, n};
}

FaceMesh boundary_faces(const ElementMesh& mesh) {
  const ElementType& type = element_type(mesh.kind);
  FaceMesh out{type.face};
  const std::size_t each = type.faces.size() / ix(node_count(type.face)), corners = ix(corner_count(type.face));
  std::vector<std::array<int, 4>> all(each * mesh.count());
  for (std::size_t id = 0; id < all.size(); ++id) {
    const auto at = places(type, id % each);
    all[id] = {-1, -1, -1, -1};
    for (std::size_t k = 0; k < corners; ++k) all[id][k] = mesh.element(id / each)[ix(at[k])];
  }
  for (const std::size_t id : single_faces(all))
    for (const int k : places(type, id % each)) out.nodes.push_back(mesh.element(id / each)[ix(k)]);
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

std::vector<std::vector<int>> rim(const FaceMesh& faces) {
  struct Side {
    int low, high, direction;
    std::size_t face, edge;
  };
  std::vector<Side> sides;
  const std::size_t corners = ix(corner_count(faces.kind)), on_edge = ix(face_type(faces.kind).on_edge);
  for (std::size_t f = 0; f < faces.count(); ++f) {
    const auto face = faces.face(f);
    for (std::size_t k = 0; k < corners; ++k) {
      const int a = face[k], b = face[(k + 1) % corners];
      sides.push_back({std::min(a, b), std::max(a, b), a < b ? 1 : -1, f, k});
    }
  }
  std::stable_sort(sides.begin(), sides.end(),
                   [](const Side& a, const Side& b) { return std::tie(a.low, a.high) < std::tie(b.low, b.high); });
  std::vector<std::vector<int>> open;
  for (std::size_t i = 0, j; i < sides.size(); i = j) {
    int sum = 0;
    for (j = i; j < sides.size() && sides[j].low == sides[i].low && sides[j].high == sides[i].high; ++j)
      sum += sides[j].direction;
    if (sum == 0) continue;
    const auto inside = faces.face(sides[i].face).subspan(corners + sides[i].edge * on_edge, on_edge);
    open.push_back({sides[i].low, sides[i].high});
    open.back().insert(open.back().end(), inside.begin(), inside.end());
  }
  return open;
}

}  // namespace limber
