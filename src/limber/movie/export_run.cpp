#include "limber/movie/export_run.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "limber/core/errors.hpp"
#include "limber/exchange/catalog.hpp"
#include "limber/record/directory.hpp"
#include "limber/record/resample.hpp"
#include "limber/scene/construction/element_fields.hpp"
#include "limber/scene/run/exported.hpp"

namespace limber {
namespace {

namespace fs = std::filesystem;

/// The run behind the file that is written, and what the user should hear of it.
struct Exported {
  ExportedSurface surface;
  std::vector<double> stored, times;  // [s] of the run's frames, and of those that are written
  std::vector<std::string> notes;
};

std::vector<double> chosen_times(const ExportOptions& options, const std::vector<double>& stored) {
  if (options.fps > 0) return times_at_rate(stored.front(), stored.back(), options.fps);
  const auto count = static_cast<long>(stored.size());
  if (options.frame >= count)
    throw InputError("--frame",
                     fmt::format("{} is too large: there are {} frames, numbered from 0", options.frame, count));
  if (options.frame >= 0) return {stored[static_cast<std::size_t>(options.frame)]};
  std::vector<double> times;
  for (long k = 0; k < count; k += options.every) times.push_back(stored[static_cast<std::size_t>(k)]);
  return times;
}

Exported open_run(const std::string& directory, const ExportOptions& options) {
  Exported run{ExportedSurface(directory), {}, {}, {}};
  run.stored = run.surface.trajectory().times();
  if (run.stored.empty()) throw InputError(directory, "has no frames yet");
  run.times = chosen_times(options, run.stored);
  if (options.fps > 0)
    run.notes.push_back(fmt::format("between the {} stored frames all goes straight", run.stored.size()));
  return run;
}

/// Of each body, the diameter of rods; empty, with a note, where nothing says it.
std::vector<double> thickness_of_bodies(const std::string& directory, Exported& run) {
  const fs::path file = fs::path(directory) / run_file::scene;
  std::vector<double> thickness;
  try {
    for (const BodyChoice& body : load_scene(file.string()).bodies) thickness.push_back(body.thickness);
  } catch (const InputError& e) {
    const std::string why = e.where() == file.string() ? e.what() : fmt::format("{}: {}", file.string(), e.what());
    run.notes.push_back("how thick rods are is not known: " + why);
    return {};
  }
  return thickness;
}

MovingSurface moving_surface(const std::string& directory, Exported& run) {
  if (run.surface.mesh().polygons() == 0 && run.surface.mesh().lines.empty())
    throw InputError(directory, "its bodies have neither faces nor lines");
  MovingSurface moving{run.surface.mesh(), {}, run.surface.polygon_body(), run.surface.line_body(), run.times, {}, {}};
  if (!run.surface.mesh().lines.empty()) moving.thickness = thickness_of_bodies(directory, run);
  for (const BodyRange& body : run.surface.trajectory().header().bodies) moving.bodies.push_back(body.name);
  moving.positions = [&run](std::size_t k) {
    auto positions = run.surface.positions(frame_at(run.surface.trajectory(), run.stored, run.times[k]).q);
    for (const Vec3& x : positions)
      if (!x.cast<float>().allFinite())
        throw InputError("--output", fmt::format("at t = {} s positions are not finite: the run has failed; --frame "
                                                 "takes one before that",
                                                 run.times[k]));
    return positions;
  };
  return moving;
}

std::vector<Vec3> points(const Vector& all) {
  std::vector<Vec3> list;
  for (Index i = 0; i < all.size(); i += 3) list.push_back(all.segment<3>(i));
  return list;
}

std::optional<ElementFields> element_fields(const std::string& directory, Exported& run) {
  const fs::path file = fs::path(directory) / run_file::scene;
  if (fs::exists(file)) return ElementFields(load_scene(file.string()), run.surface.trajectory().header());
  run.notes.push_back(fmt::format("{} has no scene.json: no stress, no energy", directory));
  return {};
}

MovingCells moving_cells(const std::string& directory, Exported& run) {
  const TrajectoryReader& trajectory = run.surface.trajectory();
  const TrajectoryHeader& h = trajectory.header();
  MovingCells moving{h.nodes, h.tets, h.triangles, h.edges, {}, run.times, {}};
  const auto add_bodies = [&](const auto& count) {
    for (std::size_t b = 0; b < h.bodies.size(); ++b)
      moving.body.insert(moving.body.end(), static_cast<std::size_t>(count(h.bodies[b])), static_cast<int>(b));
  };
  add_bodies([](const BodyRange& b) { return b.tet_count; });
  add_bodies([](const BodyRange& b) { return b.triangle_count; });
  add_bodies([](const BodyRange& b) { return b.edge_count; });
  const bool stored = h.velocities == Velocities::store, several = run.stored.size() > 1;
  if (!stored)
    run.notes.emplace_back(several ? "velocities are differences of stored frames (\"output\": {\"velocities\": true} "
                                     "stores them)"
                                   : "no velocities: the run did not store them");
  auto fields = std::make_shared<std::optional<ElementFields>>(element_fields(directory, run));
  moving.frame = [&run, &trajectory, stored, several, fields](std::size_t k) {
    const Frame f = frame_at(trajectory, run.stored, run.times[k]);
    CellFrame frame{points(f.q), points(f.v), {}, {}};
    if (!stored && several) frame.velocities = points(difference_velocities(trajectory, run.stored, run.times[k]));
    if (*fields) {
      ElementValues values = (*fields)->at(f.q);
      frame.von_mises = std::move(values.von_mises);
      frame.energy_density = std::move(values.energy_density);
    }
    return frame;
  };
  return moving;
}

void make_folder(const fs::path& file) {
  std::error_code error;
  if (!file.parent_path().empty()) fs::create_directories(file.parent_path(), error);
  if (error) throw OutputError(fmt::format("{}: cannot be made: {}", file.parent_path().string(), error.message()));
}

}  // namespace

ExportFacts export_run(const std::string& directory, const std::string& output, const ExportOptions& options) {
  const ExportFormat format = find_export_format(output, "--output");
  Exported run = open_run(directory, options);
  make_folder(output);
  const ExportTarget target{output, options.frame < 0 ? Numbering::numbered : Numbering::one_file, options.large,
                            [&](std::size_t done, std::size_t all) {
                              options.progress(static_cast<double>(done) / static_cast<double>(all));
                            }};
  ExportFacts facts;
  if (const auto* write = std::get_if<CellWriter>(&format.write)) {
    const MovingCells cells = moving_cells(directory, run);
    facts = {(*write)(cells, target), 0, ExportFacts::What::cells, cells.rest.size(), cells.body.size(), {}};
  } else {
    const MovingSurface surface = moving_surface(directory, run);
    facts.files = std::get<SurfaceWriter>(format.write)(surface, target);
    facts.points = surface.mesh.positions.size();
    facts.faces = surface.mesh.polygons();
  }
  facts.frames = run.times.size();
  facts.notes = run.notes;
  return facts;
}

}  // namespace limber
