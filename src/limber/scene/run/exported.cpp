#include "limber/scene/run/exported.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/surface_io.hpp"
#include "limber/record/directory.hpp"

namespace limber {
namespace {

std::string surface_path(const std::string& directory, std::size_t body) {
  return (std::filesystem::path(directory) / run_file::body_surface(body)).string();
}

std::string trajectory_in(const std::string& directory) {
  if (!std::filesystem::is_directory(directory))
    throw InputError(directory, "is not the directory of a run (which has a trajectory.h5)");
  return (std::filesystem::path(directory) / run_file::trajectory).string();
}

}  // namespace

std::vector<std::optional<SurfaceMesh>> written_body_surfaces(const std::string& directory, std::size_t bodies) {
  std::vector<std::optional<SurfaceMesh>> written(bodies);
  for (std::size_t b = 0; b < bodies; ++b)
    if (const std::string file = surface_path(directory, b); std::filesystem::exists(file))
      written[b] = read_surface_mesh(file);
  return written;
}

void write_body_surfaces(const Model& model, const std::string& directory) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    if (const auto& surface = model.bodies[b].surface)
      write_obj(*surface, surface->positions, surface_path(directory, b));
}

ExportedSurface::ExportedSurface(const std::string& directory, BodySurface which)
    : ExportedSurface(TrajectoryReader(trajectory_in(directory)), directory, which) {}

ExportedSurface::ExportedSurface(TrajectoryReader reader, const std::string& directory, BodySurface which)
    : BodiesSurface(reader.header(), which == BodySurface::given
                                         ? written_body_surfaces(directory, reader.header().bodies.size())
                                         : std::vector<std::optional<SurfaceMesh>>(reader.header().bodies.size())),
      reader_(std::move(reader)) {}

}  // namespace limber
