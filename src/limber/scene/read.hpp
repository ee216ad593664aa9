#pragma once
/// Document → Scene. Every error is an InputError that names the key, as in `bodies[1].material.poisson: 0.5 is outside
/// (-1, 0.5)`; the first one found is thrown.

#include <map>
#include <string>
#include <vector>

#include "limber/scene/document.hpp"
#include "limber/scene/scene.hpp"

namespace limber {

/// The names that a scene may use, of those in other rooms' catalogs. They ignore case.
struct Vocabulary {
  std::vector<std::string> methods, materials, solvers;
  /// Methods that cannot split off modes → why.
  std::map<std::string, std::string> without_modes;
};

/// Mesh files are looked for in `base_directory`, the scene file's folder; all are opened through `access`, now and
/// whenever something is built of the scene.
Scene read_scene(const Document& document, const Vocabulary& vocabulary, const std::string& base_directory,
                 const FileAccess& access = {});

}  // namespace limber
