#include "limber/exchange/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "limber/core/errors.hpp"

namespace limber {

const std::vector<ExportFormat>& export_formats() {
  static const std::vector<ExportFormat> formats = {
      {".glb", "glTF with morph targets, for short clips", &export_glb},
      {".usda", "USD as text, with time samples", &export_usda},
      {".pc2", "point cache, and one .obj beside it", &export_pc2},
      {".mdd", "point cache, and one .obj beside it", &export_mdd},
      {".obj", "surface, a file for each frame", &export_obj},
      {".ply", "surface, a file for each frame, binary", &export_ply},
      {".vtu", "cells with displacement, velocity, stress and energy, a file for each frame, and a .pvd", &export_vtu},
      {".pvd", "the same", &export_vtu},
  };
  return formats;
}

const ExportFormat& find_export_format(const std::string& path, const std::string& where) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string allowed;
  for (const ExportFormat& format : export_formats()) {
    if (format.extension == extension) return format;
    allowed += (allowed.empty() ? "" : ", ") + format.extension;
  }
  throw InputError(where, fmt::format("'{}' cannot be written: the extension must be one of {}", path, allowed));
}

}  // namespace limber
