#pragma once
/// JSON → Scene. Every error is an InputError that names the key, as in `bodies[1].material.poisson: 0.5 is outside
/// (-1, 0.5)`; the first one found is thrown.

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "limber/scene/scene.hpp"

namespace limber {

/// The names that a scene may use, of those in other rooms' catalogs. They ignore case.
struct Vocabulary {
  std::vector<std::string> methods, materials, solvers;
  /// Methods that cannot split off modes → why.
  std::map<std::string, std::string> without_modes;
};

/// Mesh files are looked for in `base_directory`, the scene file's folder.
Scene read_scene(const nlohmann::json& json, const Vocabulary& vocabulary, const std::string& base_directory);

/// Reads plain JSON. Throws InputError("file:line:column", …) for wrong syntax, and for a key that stands twice in
/// one object.
nlohmann::json load_json(const std::string& path);
/// The same from memory; `name` stands for the file.
nlohmann::json parse_json(const std::string& text, const std::string& name);

/// Sets one value by "key.path[0].x=value", the value read as JSON if it is JSON, else taken as a string. Objects on
/// the way are made where missing, so that the reader, not this, judges unknown keys.
void apply_override(nlohmann::json& json, const std::string& assignment);

}  // namespace limber
