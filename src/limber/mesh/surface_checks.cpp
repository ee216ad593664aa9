#include "limber/mesh/surface_checks.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "limber/core/parallel.hpp"
#include "limber/mesh/quality.hpp"
#include "limber/mesh/surface_crossings.hpp"
#include "limber/mesh/tet_mesh.hpp"
#include "limber/mesh/welder.hpp"
#include "limber/mesh/winding.hpp"

namespace limber {
namespace {

constexpr double touching = 1e-9;  // [size of the surface]

/// An edge of a triangle, sorted by its nodes.
struct HalfEdge {
  int low, high;  // nodes
  int triangle;
  bool forth;  // from low to high
  bool same_edge(const HalfEdge& other) const { return low == other.low && high == other.high; }
};

std::vector<HalfEdge> half_edges(const TriMesh& mesh) {
  std::vector<HalfEdge> edges;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) {
      const int i = mesh.triangles[t][k], j = mesh.triangles[t][(k + 1) % 3];
      edges.push_back({std::min(i, j), std::max(i, j), static_cast<int>(t), i < j});
    }
  std::sort(edges.begin(), edges.end(), [](const HalfEdge& a, const HalfEdge& b) {
    return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
  });
  return edges;
}

/// Calls visit(first, number) for the half edges of each edge.
template <class Visit>
void for_each_edge(const std::vector<HalfEdge>& edges, const Visit& visit) {
  for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
    while (end < edges.size() && edges[end].same_edge(edges[begin])) ++end;
    visit(&edges[begin], end - begin);
  }
}

struct Neighbour {
  int triangle;
  bool twisted;
};

std::vector<std::vector<Neighbour>> neighbours(const TriMesh& mesh) {
  std::vector<std::vector<Neighbour>> list(mesh.triangles.size());
  for_each_edge(half_edges(mesh), [&](const HalfEdge* e, std::size_t n) {
    if (n != 2 || e[0].triangle == e[1].triangle) return;
    const bool twisted = e[0].forth == e[1].forth;
    list[e[0].triangle].push_back({e[1].triangle, twisted});
    list[e[1].triangle].push_back({e[0].triangle, twisted});
  });
  return list;
}

double area(const TriMesh& mesh, std::size_t t) {
  const auto& n = mesh.triangles[t];
  return (mesh.nodes[n[1]] - mesh.nodes[n[0]]).cross(mesh.nodes[n[2]] - mesh.nodes[n[0]]).norm() / 2;
}

/// The part of each triangle, and whether it must be turned to agree with its part's first triangle.
std::pair<std::vector<int>, std::vector<char>> walk(const TriMesh& mesh) {
  const auto next_to = neighbours(mesh);
  std::vector<int> part(mesh.triangles.size(), -1);
  std::vector<char> turned(mesh.triangles.size(), 0);
  int parts = 0;
  std::vector<int> open;
  for (std::size_t first = 0; first < part.size(); ++first) {
    if (part[first] >= 0) continue;
    part[first] = parts;
    open.assign(1, static_cast<int>(first));
    while (!open.empty()) {
      const int at = open.back();
      open.pop_back();
      for (const Neighbour& n : next_to[at]) {
        if (part[n.triangle] >= 0) continue;
        part[n.triangle] = parts;
        turned[n.triangle] = turned[at] != static_cast<char>(n.twisted);
        open.push_back(n.triangle);
      }
    }
    ++parts;
  }
  return {part, turned};
}

void reverse(std::array<int, 3>& t) { std::swap(t[1], t[2]); }

/// Σ over the other parts of |how often each winds around x|, rounded: the number of parts that x is in.
long depth(const TriMesh& mesh, const std::vector<int>& part, int parts, int own, const Vec3& x) {
  std::vector<double> winding(static_cast<std::size_t>(parts), 0.);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& n = mesh.triangles[t];
    if (part[t] != own) winding[part[t]] += solid_angle(x, mesh.nodes[n[0]], mesh.nodes[n[1]], mesh.nodes[n[2]]);
  }
  long sum = 0;
  for (const double w : winding) sum += std::lround(std::abs(w));
  return sum;
}

/// Each part's triangles; the nodes of all stay with `mesh`.
std::vector<std::vector<std::array<int, 3>>> split(const TriMesh& mesh, const std::vector<int>& part, int parts) {
  std::vector<std::vector<std::array<int, 3>>> lists(static_cast<std::size_t>(parts));
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) lists[part[t]].push_back(mesh.triangles[t]);
  return lists;
}

double volume_of(const TriMesh& mesh, const std::vector<std::array<int, 3>>& triangles, const Vec3& about) {
  double sum = 0;
  for (const auto& t : triangles)
    sum += (mesh.nodes[t[0]] - about).dot((mesh.nodes[t[1]] - about).cross(mesh.nodes[t[2]] - about));
  return sum / 6;
}

/// The middle of the nodes on open edges; any node of a closed surface.
Vec3 middle_of_holes(const TriMesh& mesh, const std::vector<std::array<int, 3>>& triangles) {
  Vec3 sum = Vec3::Zero();
  std::size_t count = 0;
  for_each_edge(half_edges({{}, triangles}), [&](const HalfEdge* e, std::size_t n) {
    if (n != 1) return;
    sum += mesh.nodes[e->low] + mesh.nodes[e->high];
    count += 2;
  });
  return count == 0 ? mesh.nodes[triangles[0][0]] : Vec3(sum / static_cast<double>(count));
}

/// The parts to turn: inside out, with their holes filled by cones, and not a hollow in another part.
std::vector<char> inside_out(const TriMesh& mesh, const std::vector<int>& part, int parts) {
  const auto lists = split(mesh, part, parts);
  std::vector<char> wrong(lists.size(), 0);
  parallel_for(static_cast<Index>(parts), [&](Index p) {
    const auto& own = lists[p];
    if (volume_of(mesh, own, middle_of_holes(mesh, own)) < 0)
      wrong[p] = depth(mesh, part, parts, static_cast<int>(p), mesh.nodes[own[0][0]]) % 2 == 0;
  });
  return wrong;
}

}  // namespace

SurfaceDefects surface_defects(const TriMesh& mesh) {
  SurfaceDefects d;
  for_each_edge(half_edges(mesh), [&](const HalfEdge* e, std::size_t n) {
    if (n == 1) ++d.open_edges;
    if (n > 2) ++d.nonmanifold_edges;
    if (n == 2 && e[0].forth == e[1].forth) ++d.twisted_edges;
  });
  if (!d.closed()) return d;
  d.pinched_nodes = pinched_nodes(mesh.triangles).size();
  if (d.pinched_nodes == 0) d.crossings = has_crossings(mesh, touching * bounding_box(mesh.nodes).diagonal());
  return d;
}

std::size_t count_open_edges(TriMesh mesh) {
  weld_equal_nodes(mesh);
  std::size_t open = 0;
  for_each_edge(half_edges(mesh), [&](const HalfEdge*, std::size_t n) { open += n == 1 ? 1 : 0; });
  return open;
}

std::size_t weld_equal_nodes(TriMesh& mesh) {
  Welder weld;
  std::vector<Vec3> kept;
  std::vector<int> number;
  for (const Vec3& x : mesh.nodes) number.push_back(weld(x, kept));
  const std::size_t gone = mesh.nodes.size() - kept.size();
  mesh.nodes = std::move(kept);
  for (auto& t : mesh.triangles)
    for (int& i : t) i = number[i];
  return gone;
}

std::vector<int> surface_parts(const TriMesh& mesh) { return walk(mesh).first; }

std::vector<int> surface_pieces(const TriMesh& mesh) {
  std::vector<int> root(mesh.nodes.size());
  for (std::size_t i = 0; i < root.size(); ++i) root[i] = static_cast<int>(i);
  const auto find = [&](int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (const auto& t : mesh.triangles)
    for (int k = 1; k < 3; ++k) root[find(t[k])] = find(t[0]);
  std::vector<int> number(mesh.nodes.size(), -1), piece;
  int pieces = 0;
  for (const auto& t : mesh.triangles) {
    int& own = number[find(t[0])];
    if (own < 0) own = pieces++;
    piece.push_back(own);
  }
  return piece;
}

std::vector<double> piece_volumes(const TriMesh& mesh) {
  const std::vector<int> piece = surface_pieces(mesh);
  if (piece.empty()) return {};
  TriMesh turned{mesh.nodes, mesh.triangles};
  const auto [part, wrong] = walk(mesh);
  for (std::size_t t = 0; t < wrong.size(); ++t)
    if (wrong[t]) reverse(turned.triangles[t]);
  // A piece may have several parts, which touch in nodes or in edges of more than two triangles.
  const auto lists = split(turned, part, 1 + *std::max_element(part.begin(), part.end()));
  std::vector<double> volumes(static_cast<std::size_t>(1 + *std::max_element(piece.begin(), piece.end())), 0.);
  std::vector<int> piece_of(lists.size());
  for (std::size_t t = 0; t < piece.size(); ++t) piece_of[part[t]] = piece[t];
  for (std::size_t p = 0; p < lists.size(); ++p)
    volumes[piece_of[p]] += std::abs(volume_of(turned, lists[p], middle_of_holes(turned, lists[p])));
  return volumes;
}

std::size_t orient_parts(TriMesh& mesh) {
  auto [part, turned] = walk(mesh);
  if (part.empty()) return 0;
  const int parts = 1 + *std::max_element(part.begin(), part.end());
  std::vector<double> vote(static_cast<std::size_t>(parts), 0.);
  for (std::size_t t = 0; t < part.size(); ++t) vote[part[t]] += turned[t] ? -area(mesh, t) : area(mesh, t);
  for (std::size_t t = 0; t < part.size(); ++t) {
    if (vote[part[t]] < 0) turned[t] = !turned[t];
    if (turned[t]) reverse(mesh.triangles[t]);
  }
  const std::vector<char> wrong = inside_out(mesh, part, parts);
  std::size_t count = 0;
  for (std::size_t t = 0; t < part.size(); ++t) {
    if (wrong[part[t]]) reverse(mesh.triangles[t]);
    count += (turned[t] != 0) != (wrong[part[t]] != 0) ? 1 : 0;
  }
  return count;
}

}  // namespace limber
