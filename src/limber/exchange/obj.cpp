#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "limber/core/errors.hpp"
#include "limber/exchange/formats.hpp"
#include "limber/mesh/io/surface_io.hpp"
#include "limber/record/files.hpp"

namespace limber {

std::string ExportTarget::frame_path(std::size_t frame) const {
  if (numbering == Numbering::one_file) return path;
  std::filesystem::path name(path);
  return name.replace_filename(fmt::format("{}_{:04}{}", name.stem().string(), frame, name.extension().string()))
      .string();
}

std::string ExportTarget::beside(const std::string& extension) const {
  return std::filesystem::path(path).replace_extension(extension).string();
}

void save_obj(const SurfaceMesh& mesh, const std::vector<Vec3>& positions, const std::string& path) {
  const std::string temporary = temporary_name(path);
  try {
    write_obj(mesh, positions, temporary);
  } catch (const OutputError&) {
    ::unlink(temporary.c_str());
    throw;
  }
  rename_temporary(path);
}

Files export_obj(const MovingSurface& surface, const ExportTarget& target) {
  Files files;
  for (std::size_t k = 0; k < surface.times.size(); ++k) {
    files.push_back(target.frame_path(k));
    save_obj(surface.mesh, surface.positions(k), files.back());
    target.progress(k + 1, surface.times.size());
  }
  return files;
}

}  // namespace limber
