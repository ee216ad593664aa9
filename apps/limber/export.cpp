#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "limber/core/errors.hpp"
#include "limber/exchange/catalog.hpp"
#include "limber/record/directory.hpp"
#include "limber/record/resample.hpp"
#include "limber/scene/element_fields.hpp"
#include "limber/scene/exported.hpp"

namespace limber::app {
namespace {

namespace fs = std::filesystem;

struct ExportArguments {
  std::string directory, output;
  long frame = -1;  // −1: all
  long every = 1;
  double fps = 0;  // 0: as stored
  bool large = false, json = false;
};

/// The run behind the file that is written, and what the user should hear of it.
struct Exported {
  ExportedSurface surface;
  std::vector<double> stored, times;  // [s] of the run's frames, and of those that are written
  std::vector<std::string> notes;
};

std::vector<double> chosen_times(const ExportArguments& a, const std::vector<double>& stored) {
  if (a.fps > 0) return times_at_rate(stored.front(), stored.back(), a.fps);
  const auto count = static_cast<long>(stored.size());
  if (a.frame >= count)
    throw InputError("--frame", fmt::format("{} is too large: there are {} frames, numbered from 0", a.frame, count));
  if (a.frame >= 0) return {stored[static_cast<std::size_t>(a.frame)]};
  std::vector<double> times;
  for (long k = 0; k < count; k += a.every) times.push_back(stored[static_cast<std::size_t>(k)]);
  return times;
}

Exported open_run(const ExportArguments& a) {
  Exported run{ExportedSurface(a.directory), {}, {}, {}};
  run.stored = run.surface.trajectory().times();
  if (run.stored.empty()) throw InputError(a.directory, "has no frames yet");
  run.times = chosen_times(a, run.stored);
  if (a.fps > 0) run.notes.push_back(fmt::format("between the {} stored frames all goes straight", run.stored.size()));
  return run;
}

MovingSurface moving_surface(const std::string& directory, const Exported& run) {
  if (run.surface.mesh().polygons() == 0 && run.surface.mesh().lines.empty())
    throw InputError(directory, "its bodies have neither faces nor lines");
  MovingSurface moving{run.surface.mesh(), {}, run.surface.polygon_body(), run.surface.line_body(), run.times, {}};
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
    run.notes.push_back(several ? "velocities are differences of stored frames (\"output\": {\"velocities\": true} "
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

int export_report(const ExportArguments& a, const Exported& run, const Files& files, const nlohmann::json& counts) {
  if (a.json) {
    nlohmann::json j{{"files", files}, {"frames", run.times.size()}, {"notes", run.notes}};
    j.update(counts);
    write_text("", j.dump() + "\n");
    return 0;
  }
  std::string text = files.front() +
                     (files.size() > 2   ? " to "
                      : files.size() > 1 ? " and "
                                         : "") +
                     (files.size() > 1 ? files.back() : "");
  text += fmt::format(": {}", run.times.size() == 1 ? "1 frame" : fmt::format("{} frames", run.times.size()));
  for (const auto& [what, count] : counts.items()) text += fmt::format(", {} {}", count.get<std::size_t>(), what);
  text += "\n";
  for (const std::string& note : run.notes) text += note + "\n";
  write_text("", text);
  return 0;
}

int export_command(const ExportArguments& a) {
  const ExportFormat& format = find_export_format(a.output, "--output");
  Exported run = open_run(a);
  make_folder(a.output);
  TimeLeft left;
  ExportTarget target{a.output, a.frame < 0 ? Numbering::numbered : Numbering::one_file,
                      a.large ? Large::allowed : Large::refused, [&left](std::size_t done, std::size_t all) {
                        left.show(static_cast<double>(done) / static_cast<double>(all),
                                  fmt::format("{:.0f} %", 100 * static_cast<double>(done) / static_cast<double>(all)));
                      }};
  if (const auto* write = std::get_if<CellWriter>(&format.write)) {
    const MovingCells cells = moving_cells(a.directory, run);
    return export_report(a, run, (*write)(cells, target), {{"nodes", cells.rest.size()}, {"cells", cells.body.size()}});
  }
  const MovingSurface surface = moving_surface(a.directory, run);
  return export_report(a, run, std::get<SurfaceWriter>(format.write)(surface, target),
                       {{"vertices", surface.mesh.positions.size()}, {"faces", surface.mesh.polygons()}});
}

std::string export_footer() {
  std::string text = "Formats:\n";
  for (const ExportFormat& format : export_formats())
    text += fmt::format("  {:<7}{}\n", format.extension, format.description);
  return text +
         "\nExample:\n"
         "  limber export out/bunny -o bunny.glb --fps 30      one file that plays\n"
         "  limber export out/bunny -o bunny.pc2               bunny.pc2 and bunny.obj, for Blender's Mesh Cache\n"
         "  limber export out/bunny -o bunny.obj               bunny_0000.obj, bunny_0001.obj, ...\n"
         "  limber export out/bunny -o last.obj --frame 50     one frame\n"
         "  limber export out/bunny -o bunny.pvd --every 10    bunny.pvd, bunny_0000.vtu, ... for ParaView\n\n"
         "A body that was made from a surface appears as that surface: its polygons, texture coordinates and names, "
         "moved\n"
         "with the body. Others appear as the boundary of their tetrahedra, their triangles or their lines. y is up.";
}

}  // namespace

void add_export(CLI::App& cli, Action& action) {
  auto* command = cli.add_subcommand("export", "Write the motion of a run for Blender, ParaView and others");
  command->footer(export_footer());
  auto a = std::make_shared<ExportArguments>();
  command->add_option("directory", a->directory, "Directory of a run")->required();
  command->add_option("-o,--output", a->output, "File to write; its extension is the format, see below")->required();
  auto* frame = command->add_option("--frame", a->frame, "Only this frame, from 0, without a number in the name")
                    ->check(CLI::NonNegativeNumber);
  auto* every = command->add_option("--every", a->every, "Every Nth stored frame")
                    ->check(CLI::Range(1L, 1000000000L))
                    ->excludes(frame);
  command->add_option("--fps", a->fps, "Frames for each second of simulated time (those that are stored)")
      ->check(CLI::Range(1e-3, 1e6))
      ->excludes(frame)
      ->excludes(every);
  command->add_flag("--large", a->large, "Allow a .glb of more than 100 MB");
  command->add_flag("--json", a->json, "Print as JSON");
  command->callback([=, &action] { action = [a] { return export_command(*a); }; });
}

}  // namespace limber::app
