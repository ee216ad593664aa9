#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "limber/core/errors.hpp"
#include "limber/exchange/formats.hpp"
#include "limber/exchange/output_file.hpp"

namespace limber {
namespace {

/// The texture coordinates of each vertex, where every corner has some and those of one vertex are equal.
std::optional<std::vector<std::array<double, 2>>> vertex_uv(const SurfaceMesh& mesh) {
  std::vector<int> of_vertex(mesh.positions.size(), -1);
  for (std::size_t c = 0; c < mesh.corners.size(); ++c) {
    int& own = of_vertex[static_cast<std::size_t>(mesh.corners[c])];
    const int next = mesh.corner_uv[c];
    if (next < 0) return {};
    if (own >= 0 && mesh.uv[static_cast<std::size_t>(own)] != mesh.uv[static_cast<std::size_t>(next)]) return {};
    own = next;
  }
  std::vector<std::array<double, 2>> uv(mesh.positions.size());
  for (std::size_t i = 0; i < uv.size(); ++i)
    if (of_vertex[i] >= 0) uv[i] = mesh.uv[static_cast<std::size_t>(of_vertex[i])];
  return mesh.corners.empty() ? std::nullopt : std::optional(uv);
}

/// Polygons and lines, the same in every frame.
std::string cells(const SurfaceMesh& mesh) {
  std::string bytes;
  for (std::size_t p = 0; p < mesh.polygons(); ++p) {
    put<little>(bytes, static_cast<std::uint32_t>(mesh.first_corner[p + 1] - mesh.first_corner[p]));
    for (std::size_t c = mesh.first_corner[p]; c < mesh.first_corner[p + 1]; ++c) put<little>(bytes, mesh.corners[c]);
  }
  for (const auto& [a, b] : mesh.lines) {
    put<little>(bytes, a);
    put<little>(bytes, b);
  }
  return bytes;
}

}  // namespace

Files export_ply(const MovingSurface& surface, const ExportTarget& target) {
  const SurfaceMesh& mesh = surface.mesh;
  const auto uv = vertex_uv(mesh);
  const std::string tail = cells(mesh);
  std::string header = fmt::format(
      "element vertex {}\nproperty float x\nproperty float y\nproperty float z\n{}element face {}\n"
      "property list uint int vertex_indices\n",
      mesh.positions.size(), uv ? "property float s\nproperty float t\n" : "", mesh.polygons());
  if (!mesh.lines.empty())
    header += fmt::format("element edge {}\nproperty int vertex1\nproperty int vertex2\n", mesh.lines.size());
  Files files;
  for (std::size_t k = 0; k < surface.times.size(); ++k) {
    std::string bytes =
        fmt::format("ply\nformat binary_little_endian 1.0\ncomment t = {} s\n{}end_header\n", surface.times[k], header);
    const std::vector<Vec3> x = surface.positions(k);
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (const double c : x[i]) put<little>(bytes, static_cast<float>(c));
      if (uv)
        for (const double c : (*uv)[i]) put<little>(bytes, static_cast<float>(c));
    }
    files.push_back(target.frame_path(k));
    write_atomically(files.back(), bytes + tail);
    target.progress(k + 1, surface.times.size());
  }
  return files;
}

}  // namespace limber
