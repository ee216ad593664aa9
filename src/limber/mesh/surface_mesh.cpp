#include "limber/mesh/surface_mesh.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/mesh/cursor.hpp"
#include "limber/mesh/surface_catalog.hpp"
#include "limber/mesh/surface_formats.hpp"
#include "limber/mesh/unused_nodes.hpp"

namespace limber {

bool has_area(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a;
  const double longest = std::max({ab.squaredNorm(), ac.squaredNorm(), (c - b).squaredNorm()});
  return ab.cross(ac).norm() > 1e-14 * longest;
}

std::string extension_of(const std::string& path) {
  const std::size_t dot = path.find_last_of("./");
  return dot == path.npos ? "" : lower(std::string_view(path).substr(dot));
}

int label_number(SurfaceMesh& surface, const FaceLabel& label) {
  const auto at = std::find(surface.labels.rbegin(), surface.labels.rend(), label);
  if (at != surface.labels.rend()) return static_cast<int>(surface.labels.rend() - at) - 1;
  surface.labels.push_back(label);
  return static_cast<int>(surface.labels.size()) - 1;
}

void close_polygon(SurfaceMesh& surface, int label) {
  if (surface.first_corner.empty()) surface.first_corner.push_back(0);
  surface.first_corner.push_back(surface.corners.size());
  surface.corner_uv.resize(surface.corners.size(), -1);
  surface.label.push_back(label);
}

SurfaceMesh parse_surface_mesh(const std::string& path, const std::string& contents) {
  const std::string extension = extension_of(path);
  for (const SurfaceFormat& format : surface_formats)
    if (extension == format.extension) return format.read(path, contents);
  throw InputError(path,
                   fmt::format("unknown extension \"{}\" of a surface; allowed: {}", extension, surface_extensions()));
}

bool is_surface_file(const std::string& path) {
  const std::string extension = extension_of(path);
  return std::any_of(std::begin(surface_formats), std::end(surface_formats),
                     [&](const SurfaceFormat& format) { return extension == format.extension; });
}

std::string surface_extensions(const std::string& last) {
  std::string list;
  for (const SurfaceFormat& format : surface_formats)
    list += (list.empty() ? "" : &format == std::end(surface_formats) - 1 ? last : ", ") + format.extension;
  return list;
}

SurfaceMesh read_surface_mesh(const std::string& path) { return parse_surface_mesh(path, load_file(path)); }

std::vector<std::array<std::size_t, 3>> corner_triangles(const SurfaceMesh& surface) {
  std::vector<std::array<std::size_t, 3>> triangles;
  for (std::size_t p = 0; p < surface.polygons(); ++p) {
    const std::size_t first = surface.first_corner[p];
    for (std::size_t k = first + 2; k < surface.first_corner[p + 1]; ++k) triangles.push_back({first, k - 1, k});
  }
  return triangles;
}

TriMesh triangulated(const SurfaceMesh& surface) {
  TriMesh mesh;
  mesh.nodes = surface.positions;
  for (const auto& t : corner_triangles(surface))
    mesh.triangles.push_back({surface.corners[t[0]], surface.corners[t[1]], surface.corners[t[2]]});
  return mesh;
}

std::size_t drop_degenerate(TriMesh& mesh) {
  const std::size_t dropped = std::erase_if(
      mesh.triangles, [&](const auto& t) { return !has_area(mesh.nodes[t[0]], mesh.nodes[t[1]], mesh.nodes[t[2]]); });
  drop_unused_nodes(mesh.nodes, mesh.triangles);
  return dropped;
}

}  // namespace limber
