#pragma once  // internal
/// Where the viewer's scenes come from.

#include <string>
#include <vector>

#include "limber/scene/document.hpp"
#include "limber/view/stage.hpp"

namespace limber {

struct ExampleScene {
  std::string name, file, description;
};
/// Scenes of a folder, by name; none where there is no such folder.
std::vector<ExampleScene> example_scenes(const std::string& folder);

/// Throws InputError unless this is a file or the folder of a run.
void require_source(const std::string& path);

/// A scene's file, or the folder of a run, that the user named, so that all files may be opened that it names.
/// `overrides`: as of --set. `methods`: side by side; empty: what the scene says. Throws InputError.
StageSource source_of(const std::string& path, const std::vector<std::string>& overrides,
                      const std::vector<std::string>& methods);
/// A scene whose files are relative to the folder, and are opened through `access`.
StageSource scene_source(const std::string& name, const Document& scene, const std::string& folder,
                         const std::vector<std::string>& methods, const FileAccess& access);

/// A body that fills the surface of a file and falls on the ground. Throws InputError.
Document scene_of_surface(const std::string& file, const FileAccess& access);
/// ".obj" for "a.OBJ". Throws InputError where no such surface can be read from one file.
std::string surface_extension(const std::string& name);

}  // namespace limber
