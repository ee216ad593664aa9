#include "limber/mesh/surface_io.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/mesh/cursor.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/mesh/tet_mesh.hpp"

namespace limber {

TriMesh parse_surface(const std::string& path, const std::string& contents, SurfaceNotes* notes) {
  TriMesh mesh = triangulated(parse_surface_mesh(path, contents));
  const std::size_t degenerate = drop_degenerate(mesh);
  if (mesh.triangles.empty())
    throw InputError(path, degenerate == 0 ? std::string("the file holds no triangles")
                                           : fmt::format("all {} triangles have no area", degenerate));
  if (notes != nullptr) notes->degenerate = degenerate;
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
