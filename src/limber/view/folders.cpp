#include "limber/view/folders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/surface_formats.hpp"
#include "limber/mesh/io/surface_io.hpp"
#include "limber/record/directory.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/other_method.hpp"
#include "limber/scene/scene_files.hpp"

namespace limber {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::vector<ExampleScene> example_scenes(const std::string& folder) {
  std::vector<ExampleScene> scenes;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() != ".json") continue;
    try {
      const Document scene = Document::load(entry.path().string());
      if (!json_of(scene).contains("bodies")) continue;
      scenes.push_back({entry.path().stem().string(), entry.path().string(), json_of(scene).value("description", "")});
    } catch (const std::exception&) {  // a file that cannot be read is no example
    }
  }
  std::sort(scenes.begin(), scenes.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return scenes;
}

StageSource scene_source(const std::string& name, const Document& scene, const std::string& folder,
                         const std::vector<std::string>& methods, const FileAccess& access) {
  const Document document = with_absolute_paths(scene, folder, access);
  std::vector<std::string> shown = methods;
  if (shown.empty()) shown = read_scene(document, vocabulary(), "", access).view_methods;
  StageSource source;
  source.name = name;
  for (const std::string& method : shown) source.scenes.push_back(with_method(document, method));
  if (shown.empty()) source.scenes.push_back(document);
  return source;
}

void require_source(const std::string& path) {
  if (!fs::exists(path)) throw InputError(path, "does not exist; give a scene's file or the directory of a run");
  const fs::path folder(path);
  if (fs::is_directory(folder) && !(fs::exists(folder / run_file::scene) && fs::exists(folder / run_file::trajectory)))
    throw InputError(path, "is not the directory of a run (which has a scene.json and a trajectory.h5)");
}

StageSource source_of(const std::string& path, const std::vector<std::string>& overrides,
                      const std::vector<std::string>& methods) {
  require_source(path);
  const bool is_run = fs::is_directory(path);
  const fs::path file = is_run ? fs::path(path) / run_file::scene : fs::path(path);
  Document scene = Document::load(file.string());
  for (const auto& assignment : overrides) scene.set(assignment);
  const fs::path absolute = fs::absolute(file).lexically_normal();
  const std::string name = is_run ? fs::path(path).lexically_normal().filename().string() : file.stem().string();
  std::vector<std::string> shown = methods;
  if (is_run && shown.empty()) shown = {read_scene(scene, vocabulary(), absolute.parent_path().string()).method.name};
  StageSource source = scene_source(name, scene, absolute.parent_path().string(), shown, {});
  source.file = path;
  source.files = files_named_in(source.scenes[0]);
  if (is_run) source.run = fs::absolute(path).lexically_normal().string();
  return source;
}

std::string surface_extension(const std::string& name) {
  std::string extension = extension_of(name);
  std::vector<std::string> known;
  for (const SurfaceFormat& format : surface_formats)
    if (std::string(format.extension) != ".gltf") known.emplace_back(format.extension);  // which needs other files
  if (std::find(known.begin(), known.end(), extension) == known.end())
    throw InputError("name", fmt::format("{}: its extension is none of {}", name, join(known)));
  return extension;
}

Document scene_of_surface(const std::string& file, const FileAccess& access) {
  const SurfaceMesh surface = read_surface_mesh(file, access);
  if (surface.positions.empty()) throw InputError(file, "has no vertices");
  Vec3 low = surface.positions[0], high = low;
  for (const Vec3& x : surface.positions) {
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  const double size = (high - low).norm();
  if (!(size > 0)) throw InputError(file, "has no extent");
  // As if it were half a metre across: files often are in other units.
  const double scale = .5 / size;
  const Vec3 centre = (low + high) / 2;
  return document_of(
      {{"description", "A soft body from " + fs::path(file).filename().string()},
       {"time", {{"step", .01}, {"duration", 5}}},
       {"method", {{"name", "TR-BDF2"}}},
       {"bodies",
        {{{"name", "body"},
          {"mesh", {{"surface", file}, {"tets", 6000}}},
          {"scale", scale},
          {"position", {-scale * centre[0], .1 - scale * low[1], -scale * centre[2]}},
          {"material", {{"model", "stable_neo_hookean"}, {"young", 2e4}, {"poisson", .4}, {"density", 1000}}}}}},
       {"obstacles", {{{"shape", "plane"}, {"point", {0, 0, 0}}, {"normal", {0, 1, 0}}}}}});
}

}  // namespace limber
