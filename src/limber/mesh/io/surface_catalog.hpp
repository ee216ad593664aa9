#pragma once
/// Which files are surfaces. The list is that of surface_formats.hpp: a new format is a reader of its own and a row
/// there.

#include <string>

namespace limber {

/// By its extension; whether there is such a file is not asked.
bool is_surface_file(const std::string& path);
/// ".obj, .ply, .stl, .gltf or .glb", " or " being `last`.
std::string surface_extensions(const std::string& last = ", ");

}  // namespace limber
