#pragma once  // internal
/// The file formats behind read_surface_mesh, and helpers shared by their readers.

#include <string>
#include <string_view>

#include "limber/mesh/io/formats.hpp"
#include "limber/mesh/surface_mesh.hpp"

namespace limber {

SurfaceMesh read_obj(const std::string& path, std::string_view text);
SurfaceMesh read_stl(const std::string& path, std::string_view bytes);
SurfaceMesh read_ply(const std::string& path, std::string_view bytes);
/// .gltf or .glb, detected from the content. `beside`: loads a file named by a .gltf; a .glb may name none.
SurfaceMesh read_gltf(const std::string& path, std::string_view bytes, const FileLoader& beside);

struct SurfaceFormat {
  const char* extension;  // in lower case
  SurfaceMesh (*read)(const std::string& path, std::string_view contents) = nullptr;
  SurfaceMesh (*read_with_others)(const std::string& path, std::string_view contents,
                                  const FileLoader& beside) = nullptr;
};
inline constexpr SurfaceFormat surface_formats[] = {{".obj", read_obj},
                                                    {".ply", read_ply},
                                                    {".stl", read_stl},
                                                    {".gltf", nullptr, read_gltf},
                                                    {".glb", nullptr, read_gltf}};

/// With the dot, in lower case; "" if there is none.
std::string extension_of(const std::string& path);

}  // namespace limber
