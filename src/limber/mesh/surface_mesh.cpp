#include "limber/mesh/surface_mesh.hpp"

#include <algorithm>

namespace limber {

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

}  // namespace limber
