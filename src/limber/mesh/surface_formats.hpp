#pragma once
/// The file formats behind read_surface_mesh, and what their readers share.

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/mesh/surface_mesh.hpp"

namespace limber {

SurfaceMesh read_obj(const std::string& path, std::string_view text);
SurfaceMesh read_stl(const std::string& path, std::string_view bytes);
SurfaceMesh read_ply(const std::string& path, std::string_view bytes);
/// .gltf or .glb, whichever the file is.
SurfaceMesh read_gltf(const std::string& path, std::string_view bytes);

struct SurfaceFormat {
  const char* extension;  // in lower case
  SurfaceMesh (*read)(const std::string& path, std::string_view contents);
};
inline constexpr SurfaceFormat surface_formats[] = {
    {".obj", read_obj}, {".ply", read_ply}, {".stl", read_stl}, {".gltf", read_gltf}, {".glb", read_gltf}};

/// With the dot, in lower case; "" if there is none.
std::string extension_of(const std::string& path);

/// The number of `label` among the surface's labels, which gets it if it is new. Fast if it is the last one again.
int label_number(SurfaceMesh& surface, const FaceLabel& label);
/// Ends a polygon: its corners and their texture coordinates are the last in the lists.
void close_polygon(SurfaceMesh& surface, int label);

/// Gives equal points one number.
class Welder {
 public:
  int operator()(const Vec3& x, std::vector<Vec3>& nodes) {
    const auto [at, is_new] = number_.try_emplace({x[0] + 0.0, x[1] + 0.0, x[2] + 0.0}, static_cast<int>(nodes.size()));
    if (is_new) nodes.push_back(x);
    return at->second;
  }

 private:
  std::map<std::array<double, 3>, int> number_;  // + 0.0: −0 and 0 are one point
};

}  // namespace limber
