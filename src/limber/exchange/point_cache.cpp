#include <cstdint>
#include <filesystem>

#include "limber/exchange/formats.hpp"
#include "limber/exchange/output_file.hpp"
#include "limber/exchange/parts.hpp"

namespace limber {
namespace {

/// All as one object: Blender gives each object of a file vertices of its own, and keeps groups together.
SurfacePart one_object(const MovingSurface& surface, const std::string& name) {
  SurfacePart part = whole_part(surface, name);
  for (FaceLabel& label : part.mesh.labels) {
    if (label.group.empty()) label.group = label.object;
    label.object = name;
  }
  return part;
}

/// `header(number of points)`, then x, y, z of all points in all frames.
template <std::endian order, class Header>
Files write_cache(const MovingSurface& surface, const ExportTarget& target, const Header& header) {
  const SurfacePart part = one_object(surface, std::filesystem::path(target.path).stem().string());
  const std::string obj = target.beside(".obj");
  OutputFile file(target.path);
  file.write(header(part.vertices.size()));
  for (std::size_t k = 0; k < surface.times.size(); ++k) {
    const std::vector<Vec3> positions = part.positions(surface.positions(k));
    if (k == 0) save_obj(part.mesh, positions, obj);
    std::string bytes;
    for (const Vec3& x : positions)
      for (const double c : x) put<order>(bytes, static_cast<float>(c));
    file.write(bytes);
    target.progress(k + 1, surface.times.size());
  }
  file.finish();
  return {target.path, obj};
}

}  // namespace

Files export_pc2(const MovingSurface& surface, const ExportTarget& target) {
  even_rate(surface.times);
  return write_cache<little>(surface, target, [&](std::size_t points) {
    std::string bytes("POINTCACHE2\0", 12);
    put<little>(bytes, std::int32_t{1});  // version
    put<little>(bytes, static_cast<std::int32_t>(points));
    put<little>(bytes, 0.0f);  // the first frame
    put<little>(bytes, 1.0f);  // frames for each sample
    put<little>(bytes, static_cast<std::int32_t>(surface.times.size()));
    return bytes;
  });
}

Files export_mdd(const MovingSurface& surface, const ExportTarget& target) {
  return write_cache<big>(surface, target, [&](std::size_t points) {
    std::string bytes;
    put<big>(bytes, static_cast<std::int32_t>(surface.times.size()));
    put<big>(bytes, static_cast<std::int32_t>(points));
    for (const double t : surface.times) put<big>(bytes, static_cast<float>(t));
    return bytes;
  });
}

}  // namespace limber
