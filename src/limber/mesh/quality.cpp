#include "limber/mesh/quality.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>

#include "limber/core/parallel.hpp"

namespace limber {
namespace {

constexpr std::size_t chunk = 4096;

/// The sums over one chunk of tetrahedra.
struct ShapeSums {
  double min_dihedral = std::numeric_limits<double>::infinity(), max_dihedral = 0;
  double min_ratio = std::numeric_limits<double>::infinity(), ratio_sum = 0;
  double volume = 0, min_volume = std::numeric_limits<double>::infinity(),
         max_volume = -std::numeric_limits<double>::infinity();
  std::array<std::size_t, 18> dihedral{};
  std::array<std::size_t, 10> ratio{};
  std::size_t worst = 0, inverted = 0, flat = 0;

  void add(const TetShape& s, std::size_t t) {
    if (s.min_dihedral < min_dihedral) {
      min_dihedral = s.min_dihedral;
      worst = t;
    }
    max_dihedral = std::max(max_dihedral, s.max_dihedral);
    for (const double angle : s.dihedral) ++dihedral[std::min<std::size_t>(17, static_cast<std::size_t>(angle / 10))];
    min_ratio = std::min(min_ratio, s.radius_ratio);
    ratio_sum += s.radius_ratio;
    ++ratio[std::min<std::size_t>(9, static_cast<std::size_t>(s.radius_ratio * 10))];
    volume += std::abs(s.volume);
    min_volume = std::min(min_volume, s.volume);
    max_volume = std::max(max_volume, s.volume);
    const bool is_flat = !(std::abs(s.volume) > 1e-14 * s.longest_edge * s.longest_edge * s.longest_edge);
    flat += is_flat;
    inverted += !is_flat && s.volume < 0;
  }

  void add(const ShapeSums& s) {
    if (s.min_dihedral < min_dihedral) {
      min_dihedral = s.min_dihedral;
      worst = s.worst;
    }
    max_dihedral = std::max(max_dihedral, s.max_dihedral);
    for (std::size_t i = 0; i < dihedral.size(); ++i) dihedral[i] += s.dihedral[i];
    min_ratio = std::min(min_ratio, s.min_ratio);
    ratio_sum += s.ratio_sum;
    for (std::size_t i = 0; i < ratio.size(); ++i) ratio[i] += s.ratio[i];
    volume += s.volume;
    min_volume = std::min(min_volume, s.min_volume);
    max_volume = std::max(max_volume, s.max_volume);
    flat += s.flat;
    inverted += s.inverted;
  }
};

void add_shapes(const TetMesh& mesh, MeshReport& report) {
  const std::size_t n = mesh.tets.size(), chunks = (n + chunk - 1) / chunk;
  std::vector<ShapeSums> parts(chunks);
  parallel_for(static_cast<Index>(chunks), [&](Index c) {
    const std::size_t begin = static_cast<std::size_t>(c) * chunk, end = std::min(n, begin + chunk);
    for (std::size_t t = begin; t < end; ++t) parts[static_cast<std::size_t>(c)].add(tet_shape(mesh, t), t);
  });
  ShapeSums all;
  for (const ShapeSums& part : parts) all.add(part);
  report.min_dihedral = all.min_dihedral;
  report.max_dihedral = all.max_dihedral;
  report.dihedral_histogram = all.dihedral;
  report.min_radius_ratio = all.min_ratio;
  report.mean_radius_ratio = all.ratio_sum / static_cast<double>(n);
  report.radius_ratio_histogram = all.ratio;
  report.volume = all.volume;
  report.min_volume = all.min_volume;
  report.max_volume = all.max_volume;
  report.inverted = all.inverted;
  report.flat = all.flat;
  report.worst_tet = all.worst;
  for (const int i : mesh.tets[all.worst]) report.worst_at += mesh.nodes[i] / 4;
}

void add_edges(const TetMesh& mesh, MeshReport& report) {
  const auto all = edges(mesh);
  report.min_edge = std::numeric_limits<double>::infinity();
  double sum = 0;
  for (const auto& [i, j] : all) {
    const double length = (mesh.nodes[i] - mesh.nodes[j]).norm();
    report.min_edge = std::min(report.min_edge, length);
    report.max_edge = std::max(report.max_edge, length);
    sum += length;
  }
  report.mean_edge = sum / static_cast<double>(all.size());
}

/// The triangles of one node as {node, directed opposite edge}, sorted. One closed fan: the edges are a single cycle.
bool is_one_fan(std::span<const std::array<int, 3>> corners) {
  const int node = corners.front()[0], start = corners.front()[1];
  int at = start;
  for (std::size_t steps = 1; steps <= corners.size(); ++steps) {
    const auto next = std::lower_bound(corners.begin(), corners.end(), std::array{node, at, -1});
    if (next == corners.end() || (*next)[1] != at) return false;
    at = (*next)[2];
    if (at == start) return steps == corners.size();
  }
  return false;
}

void add_surface(const TetMesh& mesh, MeshReport& report) {
  const auto triangles = boundary_triangles(mesh);
  report.surface_triangles = triangles.size();

  std::vector<std::array<int, 2>> sides;
  sides.reserve(3 * triangles.size());
  for (const auto& f : triangles)
    for (int k = 0; k < 3; ++k) {
      const int a = f[k], b = f[(k + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b)});
    }

  std::sort(sides.begin(), sides.end());
  std::size_t distinct = 0;
  for (std::size_t i = 0, j; i < sides.size(); i = j, ++distinct) {
    for (j = i + 1; j < sides.size() && sides[j] == sides[i];) ++j;
    report.nonmanifold_edges += j - i != 2;
  }

  report.pinched_nodes = pinched_nodes(triangles).size();
  std::vector<char> on_surface(mesh.nodes.size(), 0);
  for (const auto& f : triangles)
    for (const int i : f) on_surface[i] = 1;
  const auto surface_nodes = std::count(on_surface.begin(), on_surface.end(), 1);
  report.euler = static_cast<long>(surface_nodes) - static_cast<long>(distinct) + static_cast<long>(triangles.size());
}

std::size_t unreferenced(const TetMesh& mesh) {
  std::vector<char> used(mesh.nodes.size(), 0);
  for (const auto& t : mesh.tets)
    for (const int i : t) used[i] = 1;
  return static_cast<std::size_t>(std::count(used.begin(), used.end(), 0));
}

}  // namespace

TetShape tet_shape(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const std::array<Vec3, 4> x{a, b, c, d};
  // An edge and the other two corners.
  constexpr int edge[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
  TetShape s;
  s.shortest_edge = std::numeric_limits<double>::infinity();
  for (int e = 0; e < 6; ++e) {
    const Vec3 side = x[edge[e][1]] - x[edge[e][0]];
    const Vec3 m = side.cross(x[edge[e][2]] - x[edge[e][0]]), n = side.cross(x[edge[e][3]] - x[edge[e][0]]);
    s.dihedral[e] = std::atan2(m.cross(n).norm(), m.dot(n)) * (180 / std::numbers::pi);
    s.shortest_edge = std::min(s.shortest_edge, side.norm());
    s.longest_edge = std::max(s.longest_edge, side.norm());
  }
  s.min_dihedral = *std::min_element(s.dihedral.begin(), s.dihedral.end());
  s.max_dihedral = *std::max_element(s.dihedral.begin(), s.dihedral.end());

  const Vec3 u = b - a, v = c - a, w = d - a;
  s.volume = u.cross(v).dot(w) / 6;
  const double area = (u.cross(v).norm() + v.cross(w).norm() + w.cross(u).norm() + (c - b).cross(d - b).norm()) / 2;
  // r_in = 3|V|/area and r_circ = |…|/(12|V|).
  const double circum =
      (u.squaredNorm() * v.cross(w) + v.squaredNorm() * w.cross(u) + w.squaredNorm() * u.cross(v)).norm();
  const double scale = area * circum;
  s.radius_ratio = scale > 0 ? std::min(1., 108 * s.volume * s.volume / scale) : 0;
  return s;
}

TetShape tet_shape(const TetMesh& mesh, std::size_t t) {
  const auto& [a, b, c, d] = mesh.tets[t];
  return tet_shape(mesh.nodes[a], mesh.nodes[b], mesh.nodes[c], mesh.nodes[d]);
}

std::vector<int> tet_components(const TetMesh& mesh) {
  struct Face {
    std::array<int, 3> key;
    int tet;
  };
  std::vector<Face> faces(4 * mesh.tets.size());
  parallel_for(static_cast<Index>(mesh.tets.size()), [&](Index t) {
    auto sorted = mesh.tets[static_cast<std::size_t>(t)];
    std::sort(sorted.begin(), sorted.end());
    const auto [a, b, c, d] = sorted;
    const int id = static_cast<int>(t);
    Face* f = &faces[4 * static_cast<std::size_t>(t)];
    f[0] = {{a, b, c}, id};
    f[1] = {{a, b, d}, id};
    f[2] = {{a, c, d}, id};
    f[3] = {{b, c, d}, id};
  });
  std::sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) { return a.key < b.key; });

  std::vector<int> parent(mesh.tets.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int t) {
    while (parent[t] != t) t = parent[t] = parent[parent[t]];
    return t;
  };
  for (std::size_t i = 1; i < faces.size(); ++i)
    if (faces[i].key == faces[i - 1].key) {
      const int p = root(faces[i].tet), q = root(faces[i - 1].tet);
      parent[std::max(p, q)] = std::min(p, q);
    }
  // The root of a component is its first tetrahedron.
  std::vector<int> component(mesh.tets.size());
  int count = 0;
  for (std::size_t t = 0; t < component.size(); ++t) {
    const int r = root(static_cast<int>(t));
    component[t] = r == static_cast<int>(t) ? count++ : component[r];
  }
  return component;
}

std::vector<int> pinched_nodes(const std::vector<std::array<int, 3>>& triangles) {
  std::vector<std::array<int, 3>> corners;  // node, then the opposite edge
  corners.reserve(3 * triangles.size());
  for (const auto& f : triangles)
    for (int k = 0; k < 3; ++k) corners.push_back({f[k], f[(k + 1) % 3], f[(k + 2) % 3]});
  std::sort(corners.begin(), corners.end());
  std::vector<int> pinched;
  for (std::size_t i = 0, j; i < corners.size(); i = j) {
    for (j = i; j < corners.size() && corners[j][0] == corners[i][0];) ++j;
    if (!is_one_fan({corners.data() + i, j - i})) pinched.push_back(corners[i][0]);
  }
  return pinched;
}

MeshReport mesh_report(const TetMesh& mesh) {
  MeshReport report;
  report.nodes = mesh.nodes.size();
  report.tets = mesh.tets.size();
  report.unreferenced_nodes = unreferenced(mesh);
  if (mesh.tets.empty()) return report;
  const auto component = tet_components(mesh);
  report.components = static_cast<std::size_t>(*std::max_element(component.begin(), component.end())) + 1;
  add_shapes(mesh, report);
  add_edges(mesh, report);
  add_surface(mesh, report);
  return report;
}

}  // namespace limber
