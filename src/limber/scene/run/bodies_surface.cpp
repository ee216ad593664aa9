#include "limber/scene/run/bodies_surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "limber/mesh/embed.hpp"
#include "limber/mesh/tet_mesh.hpp"

namespace limber {
namespace {

/// The label of faces and lines that no file names.
int no_label(SurfaceMesh& mesh) { return label_number(mesh, FaceLabel()); }

/// Puts one polygon on the corners given.
template <class Corners>
void add_polygon(SurfaceMesh& mesh, const Corners& corners) {
  mesh.corners.insert(mesh.corners.end(), corners.begin(), corners.end());
  close_polygon(mesh, no_label(mesh));
}

}  // namespace

BodiesSurface::BodiesSurface(const TrajectoryHeader& header, const std::vector<std::optional<SurfaceMesh>>& given) {
  for (std::size_t b = 0; b < header.bodies.size(); ++b) {
    const BodyRange& body = header.bodies[b];
    if (!given[b]) {
      append(own_surface(header, body), static_cast<int>(b), body.name);
      continue;
    }
    if (body.tet_count > 0)
      embed_in_tets(header, body, *given[b]);
    else
      follow_nodes(header, body, *given[b]);
    append(*given[b], static_cast<int>(b), body.name);
  }
}

BodiesSurface::Triangles BodiesSurface::triangles() const {
  Triangles all;
  for (std::size_t p = 0; p < mesh_.polygons(); ++p)
    for (std::size_t c = mesh_.first_corner[p]; c + 2 < mesh_.first_corner[p + 1]; ++c) {
      all.corners.push_back({mesh_.corners[mesh_.first_corner[p]], mesh_.corners[c + 1], mesh_.corners[c + 2]});
      all.body.push_back(polygon_body_[p]);
    }
  return all;
}

SurfaceMesh BodiesSurface::own_surface(const TrajectoryHeader& h, const BodyRange& body) {
  SurfaceMesh surface;
  std::map<int, int> number;  // of a node among the positions
  const auto position = [&](int node) {
    const auto [it, fresh] = number.emplace(node, static_cast<int>(surface.positions.size()));
    if (fresh) {
      surface.positions.push_back(h.nodes[static_cast<std::size_t>(node)]);
      vertices_.push_back({{node}, {1}});
    }
    return it->second;
  };
  const auto add = [&](const std::array<int, 3>& t) {
    add_polygon(surface, std::array{position(t[0]), position(t[1]), position(t[2])});
  };
  if (body.tet_count > 0) {
    TetMesh mesh;
    mesh.nodes = h.nodes;
    mesh.tets.assign(h.tets.begin() + body.first_tet, h.tets.begin() + body.first_tet + body.tet_count);
    for (const auto& t : boundary_triangles(mesh)) add(t);
  }
  for (int i = body.first_triangle; i < body.first_triangle + body.triangle_count; ++i)
    add(h.triangles[static_cast<std::size_t>(i)]);
  if (surface.polygons() == 0)
    for (int e = body.first_edge; e < body.first_edge + body.edge_count; ++e) {
      const auto& [a, b] = h.edges[static_cast<std::size_t>(e)];
      surface.lines.push_back({position(a), position(b)});
      surface.line_label.push_back(no_label(surface));
    }
  return surface;
}

void BodiesSurface::embed_in_tets(const TrajectoryHeader& h, const BodyRange& body, const SurfaceMesh& surface) {
  TetMesh mesh;
  mesh.nodes = h.nodes;
  mesh.tets.assign(h.tets.begin() + body.first_tet, h.tets.begin() + body.first_tet + body.tet_count);
  const Embedding embedding = embed(surface.positions, mesh);
  for (std::size_t i = 0; i < surface.positions.size(); ++i)
    vertices_.push_back({embedding.nodes[i], embedding.weights[i]});
}

/// The vertices of sheets and networks are nodes; a vertex that no face uses is none, and stays.
void BodiesSurface::follow_nodes(const TrajectoryHeader& h, const BodyRange& body, const SurfaceMesh& surface) {
  const auto key = [](const Vec3& x) { return std::array{x[0], x[1], x[2]}; };
  std::map<std::array<double, 3>, int> node_at;
  for (int i = body.first_node; i < body.first_node + body.node_count; ++i)
    node_at.emplace(key(h.nodes[static_cast<std::size_t>(i)]), i);
  for (const Vec3& x : surface.positions) {
    BodyPoint vertex;
    if (const auto it = node_at.find(key(x)); it != node_at.end()) {
      vertex.nodes[0] = it->second;
      vertex.weights[0] = 1;
    }
    vertices_.push_back(vertex);
  }
}

void BodiesSurface::append(const SurfaceMesh& surface, int body, const std::string& name) {
  const auto first = static_cast<int>(mesh_.positions.size()), first_uv = static_cast<int>(mesh_.uv.size());
  const auto first_label = static_cast<int>(mesh_.labels.size());
  const std::size_t first_corner = mesh_.corners.size();
  mesh_.positions.insert(mesh_.positions.end(), surface.positions.begin(), surface.positions.end());
  mesh_.uv.insert(mesh_.uv.end(), surface.uv.begin(), surface.uv.end());
  for (const int i : surface.corners) mesh_.corners.push_back(first + i);
  for (const int i : surface.corner_uv) mesh_.corner_uv.push_back(i < 0 ? -1 : first_uv + i);
  if (mesh_.first_corner.empty()) mesh_.first_corner.push_back(0);
  for (std::size_t p = 0; p < surface.polygons(); ++p)
    mesh_.first_corner.push_back(first_corner + surface.first_corner[p + 1]);
  // Two bodies are two objects, also where both are made from one file.
  std::set<std::string> taken;
  for (const FaceLabel& label : mesh_.labels) taken.insert(label.object);
  for (FaceLabel label : surface.labels) {
    if (label.object.empty()) label.object = name;
    if (taken.contains(label.object)) label.object = fmt::format("{} of {}", label.object, name);
    mesh_.labels.push_back(std::move(label));
  }
  for (const int i : surface.label) mesh_.label.push_back(first_label + i);
  for (const auto& [a, b] : surface.lines) mesh_.lines.push_back({first + a, first + b});
  for (const int i : surface.line_label) mesh_.line_label.push_back(first_label + i);
  polygon_body_.resize(mesh_.polygons(), body);
  line_body_.resize(mesh_.lines.size(), body);
  for (const auto& file : surface.material_files)
    if (std::find(mesh_.material_files.begin(), mesh_.material_files.end(), file) == mesh_.material_files.end())
      mesh_.material_files.push_back(file);
}

std::vector<Vec3> BodiesSurface::positions(const Vector& q) const {
  std::vector<Vec3> all = mesh_.positions;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const BodyPoint& v = vertices_[i];
    if (v.weights == std::array<double, 4>{}) continue;
    all[i] = v.at(q);
  }
  return all;
}

std::vector<double> BodiesSurface::interpolated(const Vector& nodal) const {
  std::vector<double> all;
  all.reserve(vertices_.size());
  for (const BodyPoint& v : vertices_) {
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) sum += v.weights[k] * nodal[v.nodes[k]];
    all.push_back(sum);
  }
  return all;
}

}  // namespace limber
