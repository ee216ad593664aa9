#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "limber/core/errors.hpp"
#include "limber/scene/exported.hpp"

namespace limber::app {
namespace {

struct ExportArguments {
  std::string directory, output;
  long frame = -1;  // −1: all
  bool json = false;
};

/// name.obj → name_0007.obj
std::string numbered(const std::string& file, long frame) {
  std::filesystem::path path(file);
  const std::string name = fmt::format("{}_{:04}{}", path.stem().string(), frame, path.extension().string());
  return path.replace_filename(name).string();
}

int export_command(const ExportArguments& a) {
  const std::filesystem::path output(a.output);
  if (output.extension() != ".obj")
    throw InputError("--output", fmt::format("'{}' cannot be written: the extension must be .obj", a.output));
  const ExportedSurface surface(a.directory);
  const long frames = surface.frames();
  if (frames == 0) throw InputError(a.directory, "has no frames yet");
  if (a.frame >= frames)
    throw InputError("--frame", fmt::format("{} is too large: there are {} frames, numbered from 0", a.frame, frames));
  if (!output.parent_path().empty()) std::filesystem::create_directories(output.parent_path());
  std::vector<std::string> files;
  TimeLeft progress;
  const long first = a.frame < 0 ? 0 : a.frame, last = a.frame < 0 ? frames : a.frame + 1;
  for (long k = first; k < last; ++k) {
    files.push_back(a.frame < 0 ? numbered(a.output, k) : a.output);
    write_obj(surface.mesh(), surface.positions(k), files.back());
    progress.show(static_cast<double>(k + 1 - first) / static_cast<double>(last - first),
                  fmt::format("frame {} of {}", k + 1 - first, last - first));
  }
  const std::size_t vertices = surface.mesh().positions.size(), faces = surface.mesh().polygons();
  if (a.json)
    write_text("", nlohmann::json{{"files", files}, {"vertices", vertices}, {"faces", faces}}.dump() + "\n");
  else
    write_text("", fmt::format("{}{}: {} vertices, {} faces\n", files.front(),
                               files.size() > 1 ? " to " + files.back() : "", vertices, faces));
  return 0;
}

}  // namespace

void add_export(CLI::App& cli, Action& action) {
  auto* command = cli.add_subcommand("export", "Write the surface of a run, for Blender and others");
  command->footer(
      "Example:\n  limber export out/bunny -o bunny.obj            bunny_0000.obj, bunny_0001.obj, ...\n"
      "  limber export out/bunny -o last.obj --frame 50  one frame\n\n"
      "A body that was made from a surface appears as that surface: its polygons, texture coordinates and names, "
      "moved\n"
      "with the body. Others appear as the boundary of their tetrahedra, their triangles or their lines. y is up.");
  auto a = std::make_shared<ExportArguments>();
  command->add_option("directory", a->directory, "Directory of a run")->required();
  command->add_option("-o,--output", a->output, "File to write (.obj); frames are numbered: name_0000.obj")->required();
  command->add_option("--frame", a->frame, "Only this frame, from 0, without a number in the name")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--json", a->json, "Print as JSON");
  command->callback([=, &action] { action = [a] { return export_command(*a); }; });
}

}  // namespace limber::app
