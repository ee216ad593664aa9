#pragma once
/// Recognises surface files, using the list in surface_formats.hpp. To add a format, write a reader and add a row
/// there.

#include <string>

namespace limber {

/// Decides by the extension; the file need not exist.
bool is_surface_file(const std::string& path);
/// ".obj, .ply, .stl, .gltf or .glb", with `last` = " or ".
std::string surface_extensions(const std::string& last = ", ");

}  // namespace limber
