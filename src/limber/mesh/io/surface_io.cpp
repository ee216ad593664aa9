#include "limber/mesh/io/surface_io.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/cursor.hpp"
#include "limber/mesh/io/surface_catalog.hpp"
#include "limber/mesh/io/surface_formats.hpp"

namespace limber {

std::string extension_of(const std::string& path) {
  const std::size_t dot = path.find_last_of("./");
  return dot == std::string::npos ? "" : lower(std::string_view(path).substr(dot));
}

SurfaceMesh parse_surface_mesh(const std::string& path, const std::string& contents, const FileAccess& access) {
  const std::string extension = extension_of(path);
  for (const SurfaceFormat& format : surface_formats) {
    if (extension != format.extension) continue;
    if (format.read) return format.read(path, contents);
    return format.read_with_others(path, contents,
                                   [&](const std::string& name) { return access.load_beside(path, name); });
  }
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

SurfaceMesh read_surface_mesh(const std::string& path, const FileAccess& access) {
  return parse_surface_mesh(path, access.load(path), access);
}

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

}  // namespace limber
